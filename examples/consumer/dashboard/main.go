// Command dashboard keeps the sales of a shop on a device and answers one query after the
// other: revenue and number of sales by region, from a day on. It prints how long a call
// takes, and how much of that is the device's own time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kgen-go/kgen"
)

const regions, days = 16, 365

const text = `pipeline revenue(region: [n]u8, day: [n]i32, amount: [n]i64, since: i32) {
	late = day >= since
	r = bins(region[late], 16)
	return region: first(region[late], by: r, else: 0), revenue: sum(amount[late], by: r), sales: count(by: r)
}
`

func main() {
	name := flag.String("device", "gocpu", "the device, as kgen devices lists them")
	rows := flag.Int("rows", 1<<20, "how many sales there are")
	calls := flag.Int("calls", 1000, "how many queries are answered")
	flag.Parse()
	if err := run(context.Background(), *name, *rows, *calls); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name string, rows, calls int) error {
	region, day, amount := make([]uint8, rows), make([]int32, rows), make([]int64, rows)
	for i := range rows {
		region[i], day[i], amount[i] = uint8(rand.N(regions)), int32(rand.N(days)), rand.Int64N(10_000)
	}
	program, err := kgen.Compile(text, "revenue")
	if err != nil {
		return err
	}
	device, err := kgen.Open(ctx, name)
	if err != nil {
		return err
	}
	defer device.Close()
	query, err := program.On(ctx, device)
	if err != nil {
		return err
	}
	defer query.Close()

	sales := kgen.Args{}
	if sales["region"], err = kgen.Upload(ctx, device, region); err != nil {
		return err
	}
	if sales["day"], err = kgen.Upload(ctx, device, day); err != nil {
		return err
	}
	if sales["amount"], err = kgen.Upload(ctx, device, amount); err != nil {
		return err
	}

	var took []time.Duration
	for call := range calls + 1 {
		sales["since"] = call % days
		begun := time.Now()
		out, err := query.Run(ctx, sales)
		if err != nil {
			return err
		}
		if call > 0 { // the first one compiles
			took = append(took, time.Since(begun))
		}
		revenue, err := kgen.Read[int64](ctx, out.Column("revenue"))
		if err != nil {
			return err
		}
		if err := check(revenue, region, day, amount, call); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Printf("%d rows on %s: a call takes %v (median), %v (99 %%)\n", rows, device.Name(), took[len(took)/2], took[len(took)*99/100])
	if out, err := query.Run(ctx, sales, kgen.Repeat(100)); err == nil {
		slices.Sort(out.Times)
		fmt.Printf("the device's own time is %v\n", out.Times[len(out.Times)/2])
	}
	return nil
}

// check compares some answers with a loop.
func check(revenue []int64, region []uint8, day []int32, amount []int64, call int) error {
	if call > 3 {
		return nil
	}
	want := make([]int64, regions)
	for i := range region {
		if int(day[i]) >= call%days {
			want[region[i]] += amount[i]
		}
	}
	if !slices.Equal(revenue, want) {
		return fmt.Errorf("since day %d the revenue is %d, not %d", call%days, revenue, want)
	}
	return nil
}
