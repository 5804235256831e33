// Generate writes rows of TPC-H's lineitem table to standard output as CSV,
// sorted by l_orderkey, with the column rules of section 4.2.3 of the TPC-H
// specification at scale factor 1 (l_comment is left out). The same -rows and
// -seed give the same bytes; ../lineitem-sample.csv is its output with no flags.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"time"
)

const (
	parts     = 200_000 // SF * 200,000
	suppliers = 10_000  // SF * 10,000
	header    = "l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,l_tax," +
		"l_returnflag,l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,l_shipmode\n"
)

var (
	firstDay   = time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC)
	lastOrder  = time.Date(1998, 12, 31-151, 0, 0, 0, 0, time.UTC)
	currentDay = time.Date(1995, 6, 17, 0, 0, 0, 0, time.UTC)

	instructions = []string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}
	modes        = []string{"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}
)

func main() {
	rows := flag.Int("rows", 200, "lines to write")
	seed := flag.Uint64("seed", 6, "seed of the random numbers")
	flag.Parse()
	if err := write(os.Stdout, *rows, *seed); err != nil {
		log.Fatal(err)
	}
}

// write writes the header and the first rows lines of the table.
func write(w io.Writer, rows int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 0))
	out := bufio.NewWriter(w)
	out.WriteString(header)
	for order := 0; rows > 0; order++ {
		// The specification uses the first 8 of every 32 order keys.
		key := order/8*32 + order%8 + 1
		orderDay := firstDay.AddDate(0, 0, r.IntN(int(lastOrder.Sub(firstDay).Hours()/24)+1))
		lines := min(1+r.IntN(7), rows)
		for line := range lines {
			writeLine(out, r, key, line+1, orderDay)
		}
		rows -= lines
	}
	return out.Flush()
}

func writeLine(out *bufio.Writer, r *rand.Rand, key, line int, orderDay time.Time) {
	part := 1 + r.IntN(parts)
	supplier := (part+r.IntN(4)*(suppliers/4+(part-1)/suppliers))%suppliers + 1
	quantity := 1 + r.IntN(50)
	cents := quantity * (90_000 + part/10%20_001 + 100*(part%1000))
	discount, tax := r.IntN(11), r.IntN(9)
	shipped := orderDay.AddDate(0, 0, 1+r.IntN(121))
	committed := orderDay.AddDate(0, 0, 30+r.IntN(61))
	received := shipped.AddDate(0, 0, 1+r.IntN(30))
	flag, status := "N", "F"
	if !received.After(currentDay) {
		flag = []string{"R", "A"}[r.IntN(2)]
	}
	if shipped.After(currentDay) {
		status = "O"
	}
	fmt.Fprintf(out, "%d,%d,%d,%d,%d,%d.%02d,0.%02d,0.%02d,%s,%s,%s,%s,%s,%s,%s\n",
		key, part, supplier, line, quantity, cents/100, cents%100, discount, tax, flag, status,
		shipped.Format(time.DateOnly), committed.Format(time.DateOnly), received.Format(time.DateOnly),
		instructions[r.IntN(len(instructions))], modes[r.IntN(len(modes))])
}
