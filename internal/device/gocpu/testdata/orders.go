// Package orders has the shape of emitted code, written by hand.
package orders

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

type Option struct{ workers int }

func WithWorkers(n int) Option { return Option{n} }

type Scratch struct{}

func WithScratch(*Scratch) Option { return Option{} }

type CheckError struct {
	Site int
	Row  int64
}

func (e *CheckError) Error() string { return fmt.Sprintf("check %d, row %d", e.Site, e.Row) }

type OrdersResult struct{ Key, Count, Total []int64 }

// OrdersInto counts and sums runs of equal keys.
func OrdersInto(out *OrdersResult, lOrderkey, lQuantity []int64, opts ...Option) error {
	if len(lOrderkey) != len(lQuantity) {
		return errors.New("l_orderkey and l_quantity differ in length")
	}
	out.Key, out.Count, out.Total = out.Key[:0], out.Count[:0], out.Total[:0]
	for i, k := range lOrderkey {
		if i == 0 || k != lOrderkey[i-1] {
			out.Key, out.Count, out.Total = append(out.Key, k), append(out.Count, 0), append(out.Total, 0)
		}
		g := len(out.Key) - 1
		out.Count[g]++
		out.Total[g] += lQuantity[i]
	}
	return nil
}

type KindsResult struct {
	A       []bool
	B       []int8
	C       []uint16
	D       []float32
	E       []int32
	F       [][8]byte
	Workers int64
}

// KindsInto returns its arguments and the number of workers it was given.
func KindsInto(out *KindsResult, a []bool, b []int8, c []uint16, d []float32, e []int32, f [][8]byte, from int32, opts ...Option) error {
	var o Option
	if len(opts) > 0 {
		o = opts[len(opts)-1]
	}
	for i := range e {
		if e[i] < from {
			return fmt.Errorf("wrapped: %w", &CheckError{Site: 3, Row: int64(i)})
		}
	}
	*out = KindsResult{a, b, c, d, e, f, int64(o.workers)}
	return nil
}

type MisbehaveResult struct{ X []int64 }

// MisbehaveInto crashes, hangs or prints, as asked.
func MisbehaveInto(out *MisbehaveResult, how int64, x []int64, opts ...Option) error {
	switch how {
	case 1:
		panic("planted panic")
	case 2:
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	case 3:
		for { //lint:ignore SA5002 hangs on purpose
			how++
		}
	case 4:
		fmt.Println("stray print")
	case 5:
		x[0] = 1
	case 6:
		os.Exit(0)
	case 7:
		for {
			x = append(x, x...)
		}
	case 8:
		var workers sync.WaitGroup
		slot := make([]int64, 1)
		for i := range 2 {
			workers.Go(func() { slot[0] += int64(i) })
		}
		workers.Wait()
		x = slot
	}
	out.X = x
	return nil
}
