package tile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// program returns a fresh kernel of tiletest.
func program(name string) *tile.Kernel {
	programs := append(tiletest.Programs(), dependentScans(), chunks())
	return programs[slices.IndexFunc(programs, func(k *tile.Kernel) bool { return k.Name == name })]
}

// find returns the index of the first operation of a kind.
func find(k *tile.Kernel, kind tile.OpKind) int {
	return slices.IndexFunc(k.Ops, func(op tile.Op) bool { return op.Kind == kind })
}

// lastScan is the last scan of k.
func lastScan(k *tile.Kernel) *tile.Op {
	for i := len(k.Ops) - 1; i >= 0; i-- {
		if k.Ops[i].Kind == tile.Scan {
			return &k.Ops[i]
		}
	}
	return nil
}

// Verify says what is wrong with a kernel, by the names in its text.
func TestVerifyRefuses(t *testing.T) {
	op := func(k *tile.Kernel, kind tile.OpKind) *tile.Op { return &k.Ops[find(k, kind)] }
	for _, c := range []struct {
		name    string
		program string
		corrupt func(k *tile.Kernel)
		want    string
	}{
		{"no domain", "scan", func(k *tile.Kernel) { k.Domains = nil }, "a kernel has a base domain"},
		{"no base", "filter", func(k *tile.Kernel) { k.Domains[0].Kind = tile.Compact }, "domain 0 n: domain 0 must be the base"},
		{"no guard", "filter", func(k *tile.Kernel) { k.Domains[1].Guard = 0 }, "domain 1 k: a derived domain needs an earlier parent and a guard"},
		{"own parent", "filter", func(k *tile.Kernel) { k.Domains[1].Parent = 1 }, "domain 1 k: a derived domain needs an earlier parent"},
		{"guard is no flag", "filter", func(k *tile.Kernel) { k.Domains[1].Guard = op(k, tile.Load).Res[0] },
			"domain 1 k: %1.x decides about rows and is i32, not bool"},
		{"groups without open", "count", func(k *tile.Kernel) { k.Domains[1].Open = 0 }, "domain 1 g: segments need Open"},
		{"counter of this row", "filter", func(k *tile.Kernel) { op(k, tile.Scan).Exclusive = false },
			"domain 1 k: %5.place does not count the rows before"},
		{"counter that doubles", "filter", func(k *tile.Kernel) { op(k, tile.Scan).Monoid.Combine[0].Args[1].Side = tile.A },
			"domain 1 k: %5.place does not count the rows before"},
		{"counter from 1", "filter", func(k *tile.Kernel) { op(k, tile.Scan).Monoid.Identity[0].Bits = 1 },
			"domain 1 k: %5.place does not count the rows before"},
		{"counter of other rows", "count", func(k *tile.Kernel) { op(k, tile.Scan).Args[0] = k.Domains[1].Position },
			"domain 1 g: %4.begun counts other rows"},
		{"counter of another guard", "filter", func(k *tile.Kernel) {
			k.Domains = append(k.Domains, k.Domains[1])
		}, "domain 2 k: %5.place counts other rows"},
		{"counter that is no position", "filter", func(k *tile.Kernel) { k.Domains[1].Position = 0 },
			"domain 1 k: the position no value is not the counter %5.place"},
		{"position of this segment", "count", func(k *tile.Kernel) { k.Domains[1].Position = k.Domains[1].Counter },
			"domain 1 g: the position %4.begun is not that of the segment before"},
		{"open without counter", "count", func(k *tile.Kernel) { k.Domains[1].Open = k.Domains[1].Guard },
			"domain 1 g: %2.head does not say whether a segment has begun"},
		{"segment without head", "count", func(k *tile.Kernel) { lastScan(k).Segment = 0 },
			"it begins anew at rows of %2.head, and names no value"},
		{"segment of a sum", "scan", func(k *tile.Kernel) { op(k, tile.Scan).Segment = 1 }, "it begins anew at rows of no value, and names %1.a"},
		{"guard defined late", "filter", func(k *tile.Kernel) {
			swap(k, find(k, tile.Map), find(k, tile.Scan))
		}, "%5.place = scan exclusive fold{add i64} %4: %3.keep, which decides about its rows, is defined later"},
		{"operand defined late", "scan", func(k *tile.Kernel) { swap(k, find(k, tile.Load), find(k, tile.Map)) },
			"%2.wide = i64(%1.a): %1.a is used before it is defined"},
		{"no operand", "scan", func(k *tile.Kernel) { op(k, tile.Store).Args[0] = 99 }, "operation 3: store: there is no value 99"},
		{"too few operands", "count", func(k *tile.Kernel) { op(k, tile.Head).Args = nil }, "operation 1: head takes no 0 operands"},
		{"too many results", "scan", func(k *tile.Kernel) { op(k, tile.Load).Res = append(op(k, tile.Load).Res, 1) }, "operation 0: load: value 1 a is defined twice"},
		{"value without definition", "scan", func(k *tile.Kernel) { op(k, tile.Load).Res[0] = 2 }, "value 1 a is not defined by operation 0"},
		{"operator", "scan", func(k *tile.Kernel) { op(k, tile.Map).Operator = ir.OpAdd }, "takes 2 operands, not 1"},
		{"comparison of kinds", "filter", func(k *tile.Kernel) {
			op(k, tile.Const).Const.Kind = ir.I64
			k.Values[op(k, tile.Const).Res[0]].Kind = ir.I64
		},
			"%3.keep = %1.x > %2: operator"},
		{"rows not of the domain", "filter_two_columns", func(k *tile.Kernel) {
			last := &k.Ops[len(k.Ops)-3]
			last.Domain, last.Args = 0, []tile.ID{last.Args[0]}
		}, "store out_y %9.twice: %9.twice belongs to rows of k, which are not rows of n"},
		{"no stream", "scan", func(k *tile.Kernel) { op(k, tile.Load).Stream = 7 }, "operation 0: load: there is no stream 7"},
		{"input is written", "scan", func(k *tile.Kernel) { op(k, tile.Store).Stream = 0 }, "store a %3.running: stream a is not for that"},
		{"input is an output", "scan", func(k *tile.Kernel) { k.Streams[1].Buffer = "a" }, "stream 1 out: buffer a has a stream already; inputs are not written"},
		{"stored kind", "scan", func(k *tile.Kernel) { k.Streams[1].Kind = ir.I32 }, "store out %3.running: %3.running is i64, and must be i32"},
		{"place is no number", "filter", func(k *tile.Kernel) { op(k, tile.Store).Args[1] = 1 }, "store out %1.x, %1.x: %1.x is i32, and must be i64"},
		{"fold without monoid", "scan", func(k *tile.Kernel) { op(k, tile.Scan).Monoid = nil }, "operation 2: scan has no monoid"},
		{"elements", "count", func(k *tile.Kernel) { op(k, tile.Scan).Monoid = tile.NewLast(ir.I64) }, "scan: 2 fields with 1 elements"},
		{"kind of an element", "scan", func(k *tile.Kernel) { op(k, tile.Scan).Monoid = tile.NewFold(ir.ReduceAdd, ir.I32) }, "%2.wide is i64, field add is i32"},
		{"identity kind", "scan", func(k *tile.Kernel) { op(k, tile.Scan).Monoid.Identity[0].Kind = ir.F64 }, "the identity of add is of another kind"},
		{"combination", "scan", func(k *tile.Kernel) { op(k, tile.Scan).Monoid.Combine[0].Args[0].Field = 1 },
			"the combination of add: there is no field 1 of that kind"},
		{"endless combination", "scan", func(k *tile.Kernel) { e := op(k, tile.Scan).Monoid.Combine[0]; e.Args[0] = e },
			"the combination of add: it has no element type, or no end"},
		{"neighbour of a scan", "scan", func(k *tile.Kernel) {
			b := tile.NewBuilder("heads_of_scan", "n", "n")
			b.Head(b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "sum", b.Row())...)
			*k = *b.Finish()
		}, "%3.head = head %2.sum: %2.sum cannot be computed for another row"},
		{"neighbour's fill", "chunks", func(k *tile.Kernel) { k.Streams[1].Kind, k.Values[1].Kind = ir.I32, ir.I32 }, "%2 is i64, and must be i32"},
		{"chunk totals", "chunks", func(k *tile.Kernel) { op(k, tile.ChunkScan).Totals = nil }, "totals in 0 streams"},
		{"epilogue in the rows", "scan", func(k *tile.Kernel) { op(k, tile.Total).Epilogue = false }, "total belongs into the epilogue"},
		{"rows behind the epilogue", "scan", func(k *tile.Kernel) { k.Ops[len(k.Ops)-2].Epilogue = true; k.Ops[len(k.Ops)-3].Epilogue = true },
			"store out %3.running: the epilogue runs once, not for rows"},
		{"total of no scan", "scan", func(k *tile.Kernel) { op(k, tile.Total).Args[0] = 2 }, "%2.wide is no result of a scan"},
		{"kind of operation", "scan", func(k *tile.Kernel) { k.Ops[0].Kind = 200 }, "operation 0: there is no operation of kind 200"},
	} {
		k := program(c.program)
		c.corrupt(k)
		if err := tile.Verify(k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is\n\t%v\nwhich does not say\n\t%s", c.name, err, c.want)
		}
	}
}

// swap exchanges two operations and keeps definitions in step.
func swap(k *tile.Kernel, i, j int) {
	k.Ops[i], k.Ops[j] = k.Ops[j], k.Ops[i]
	for at, op := range k.Ops {
		for _, v := range op.Res {
			k.Values[v].Op = at
		}
	}
}
