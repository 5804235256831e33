// Command beam computes the orders of TPC-H's lineitem in shards on Apache
// Beam, by the Prism runner in this process, and compares them with a single
// run: numbers of shards go in, partials as bytes come out. With names of text
// files it counts their words instead, a shard for each file.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"reflect"
	"time"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/dustin/go-humanize"

	"github.com/kgen-go/kgen/generated/partials"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

func main() {
	scale := flag.Float64("scale", 0.1, "scale of TPC-H: lineitem has 6,000,000 rows times that")
	shards := flag.Int("shards", 16, "number of shards")
	repeat := flag.Int("repeat", 5, "runs of each kind; the fastest counts")
	verbose := flag.Bool("v", false, "show what Beam logs")
	flag.Parse()
	if !*verbose {
		beamlog.LogLevel = "warn"
	}
	if *shards < 1 || *repeat < 1 {
		log.Fatal("--shards and --repeat are at least 1")
	}
	if flag.NArg() > 0 {
		if err := words(context.Background(), flag.Args()); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := compare(context.Background(), *scale, *shards, *repeat); err != nil {
		log.Fatal(err)
	}
}

// compare prints the times of three ways to the same orders.
func compare(ctx context.Context, scale float64, shards, repeat int) error {
	var err error
	if lineitem, err = load(ctx, scale); err != nil {
		return err
	}
	rows := len(lineitem.keys)
	fmt.Printf("%s rows in %d shards\n", humanize.Comma(int64(rows)), shards)
	var want partials.OrdersResult
	for _, way := range []struct {
		name string
		run  func() (partials.OrdersResult, int, error)
	}{
		{"one call", func() (partials.OrdersResult, int, error) {
			result, err := partials.Orders(lineitem.keys, lineitem.quantities)
			return result, 0, err
		}},
		{"partials", func() (partials.OrdersResult, int, error) { return inOrder(shards) }},
		{"Beam", func() (partials.OrdersResult, int, error) { return onBeam(ctx, shards) }},
	} {
		var fastest time.Duration
		var size int
		for i := range repeat {
			start := time.Now()
			got, bytes, err := way.run()
			elapsed := time.Since(start)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if want.Key == nil {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				return fmt.Errorf("%s: %d orders differ from the %d of one call", way.name, len(got.Key), len(want.Key))
			}
			if i == 0 || elapsed < fastest {
				fastest, size = elapsed, bytes
			}
		}
		fmt.Printf("%-9s %9v %8.1f M rows/s", way.name, fastest.Round(10*time.Microsecond), float64(rows)/fastest.Seconds()/1e6)
		if size > 0 {
			fmt.Printf("   %s of partials", humanize.IBytes(uint64(size)))
		}
		fmt.Println()
	}
	fmt.Printf("%s orders, equal in all\n", humanize.Comma(int64(len(want.Key))))
	return nil
}

// lineitem stands for what a worker would read of its shard from storage.
var lineitem columns

type columns struct{ keys, quantities []int64 }

// load makes the columns.
func load(ctx context.Context, scale float64) (c columns, err error) {
	g, err := generate.Lineitem(scale, 1)
	if err != nil {
		return c, err
	}
	at := map[string]int{}
	for i, column := range g.Columns() {
		at[column.Name] = i
	}
	err = g.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		c.keys = append(c.keys, batch[at["l_orderkey"]].Slice.([]int64)...)
		c.quantities = append(c.quantities, batch[at["l_quantity"]].Slice.([]int64)...)
		return nil
	})
	return c, err
}

// shard returns the partial of a shard. An order may begin in one shard and
// end in the next.
func shard(number, shards int) (*partials.OrdersPartial, error) {
	rows := len(lineitem.keys)
	from, to := number*rows/shards, (number+1)*rows/shards
	p := partials.NewOrdersPartial()
	err := p.Add(lineitem.keys[from:to], lineitem.quantities[from:to], partials.WithWorkers(1))
	return p, err
}

// inOrder combines the shards one after another, by way of bytes.
func inOrder(shards int) (result partials.OrdersResult, size int, err error) {
	pieces := make([]Piece, shards)
	for i := range pieces {
		if pieces[i], err = compute(i, shards); err != nil {
			return result, 0, err
		}
		size += len(pieces[i].Bytes)
	}
	whole, err := join(pieces)
	if err != nil {
		return result, 0, err
	}
	result, err = finish(whole)
	return result, size, err
}
