// Command twodevices splits rows between two devices, which work at the same time, and adds up
// what they return.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"sync"

	"github.com/kgen-go/kgen"
)

const text = `pipeline squares(x: [n]i64) {
	return sum: sum(x * x), count: count(x % 3 == 0)
}
`

func main() {
	names := flag.String("devices", "gocpu,interp", "two devices, as kgen devices lists them")
	rows := flag.Int("rows", 1<<20, "how many rows there are")
	share := flag.Float64("share", 0.9, "the part of them for the first device")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*names, ","), *rows, *share); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, names []string, rows int, share float64) error {
	if len(names) != 2 || share < 0 || share > 1 {
		return fmt.Errorf("%q and %v: two devices, and a part between 0 and 1, are needed", names, share)
	}
	program, err := kgen.Compile(text, "squares")
	if err != nil {
		return err
	}
	x := make([]int64, rows)
	for i := range x {
		x[i] = int64(i)
	}
	cut := int(share * float64(rows))
	parts := [][]int64{x[:cut], x[cut:]}
	sums, counts, errs := make([]int64, 2), make([]int64, 2), make([]error, 2)
	var both sync.WaitGroup
	for i, name := range names {
		both.Go(func() { sums[i], counts[i], errs[i] = squares(ctx, program, name, parts[i]) })
	}
	both.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	n := int64(rows)
	if want := (n - 1) * n / 2 * (2*n - 1) / 3; sums[0]+sums[1] != want {
		return fmt.Errorf("the sum is %d, not %d", sums[0]+sums[1], want)
	}
	fmt.Printf("%d rows on %s and %d on %s: sum %d, multiples of three %d\n", cut, names[0], rows-cut, names[1], sums[0]+sums[1], counts[0]+counts[1])
	return nil
}

// squares computes a part on one device.
func squares(ctx context.Context, program *kgen.Program, name string, x []int64) (sum, count int64, err error) {
	device, err := kgen.Open(ctx, name)
	if err != nil {
		return 0, 0, err
	}
	defer device.Close()
	part, err := program.On(ctx, device)
	if err != nil {
		return 0, 0, err
	}
	out, err := part.Run(ctx, kgen.Args{"x": x})
	if err != nil {
		return 0, 0, err
	}
	if sum, err = kgen.Scalar[int64](out, "sum"); err != nil {
		return 0, 0, err
	}
	count, err = kgen.Scalar[int64](out, "count")
	return sum, count, err
}
