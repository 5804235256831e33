package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/kgen-go/kgen/plan"
)

// parseLimit reads a size; "" is none.
func parseLimit(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > math.MaxInt64 {
		return 0, usageErrorf("--memory-limit %s: a size like 500MB, 4GiB or 1000000 is needed", text)
	}
	return int64(size), nil
}

// checkLimit refuses a run that may not fit.
func checkLimit(pipeline string, f plan.Footprint, limit int64) error {
	if limit == 0 || f.Total() <= limit {
		return nil
	}
	size := func(n int64) string { return humanize.IBytes(uint64(n)) }
	return fmt.Errorf("%s needs up to %s of memory (%d bytes): %s for its columns, %s between kernels, up to %s for results; --memory-limit is %s",
		pipeline, size(f.Total()), f.Total(), size(f.Input), size(f.Temporary), size(f.Output), size(limit))
}
