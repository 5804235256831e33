package tables_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

const sourcesText = `
pipeline repeated(length: [n]i32, x: [n]i64) {
	r = repeat(length)
	return row: r, x: x[r], total: sum(x[r], by: r)
}
`

// TestSources finds the rows that are repeated in each way. Ends are counted unless the way
// says otherwise, and rows are told their sources where it says so. Where not all ends are stored, a work-item loads
// the lengths of a few rows at once if they have 32 bits.
func TestSources(t *testing.T) {
	for _, kind := range []ir.Kind{ir.I32, ir.U8} {
		p := irtest.Load(t, strings.Replace(sourcesText, "i32", kind.String(), 1))
		ways := plan.SourceWays
		if kind != ir.I32 {
			ways = ways[:slices.Index(ways, plan.Search)+1] // the others see no lengths
		}
		for _, way := range ways {
			testSources(t, p, kind, plan.Schedule{Workgroup: 8, Items: 3, Sources: way})
		}
		testSources(t, p, kind, plan.Schedule{Workgroup: 64, Items: 3, Sources: plan.PerSubgroup}) // two rows at once
		testSources(t, p, kind, plan.Schedule{Workgroup: 8, Items: 4, Sources: plan.Count})        // four counters at once
		testSources(t, p, kind, plan.Schedule{Sources: plan.Count})                                // neighbouring lengths at once
	}
}

func testSources(t *testing.T, p *ir.Pipeline, kind ir.Kind, schedule plan.Schedule) {
	lowered, way := kerneltest.Lowered(t, p, fuse.LevelAuto, schedule), schedule.Sources
	isTold := slices.ContainsFunc(lowered.Plan.Buffers, func(b plan.Buffer) bool { return strings.HasSuffix(b.Name, "_sources") })
	if want := slices.Index(plan.SourceWays, way) > slices.Index(plan.SourceWays, plan.Search); isTold != want {
		t.Errorf("sources=%s: rows are told their sources: %t", way, isTold)
	}
	hasLengths, isCounted := way == plan.Count, way == plan.Count || way == plan.Ends
	if counts := strings.Contains(kerneltest.TextOf(lowered), "end_of_sources"); counts != isCounted {
		t.Errorf("sources=%s: ends are counted: %t", way, counts)
	}
	hasAll := slices.ContainsFunc(lowered.Plan.Buffers, func(b plan.Buffer) bool { return b.Kind == plan.U32 && b.Length.String() == plan.Len("n").String() })
	if want := !hasLengths; hasAll != want {
		t.Errorf("sources=%s: all ends are stored: %t", way, hasAll)
	}
	for _, most := range []int{1, 4, 40, 250, 9000} { // lengths: so short that rows search, so long that ends are counted, and mostly 0
		rows := 2003 // of more blocks than one, and the last few are not four
		if most == 40 {
			rows = 403
		}
		if most == 9000 && way != plan.Count {
			continue
		}
		if most == 9000 || way == plan.PerChild {
			rows = 20000 // of which all may end in a tile; two pages
		}
		in := []ir.Column{ir.NewColumn(kind, rows), ir.NewColumn(ir.I64, rows)}
		for row := range rows {
			length := row % most
			if most == 250 && row%64 != 63 && row != rows-1 {
				length = 0
			}
			if most == 9000 {
				length = max(length-8990, 0)
			}
			in[0].Set(row, ir.Int(kind, int64(length)))
			in[1].Set(row, ir.Int(ir.I64, int64(row*row)))
		}
		if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
			t.Errorf("sources=%s, items=%d, lengths below %d of %v: %s", way, schedule.Items, most, kind, different)
		}
	}
}

// TestSourcesBehindLastEnd finds the rows in the slots of a table of grouped rows, of which the last ones lie behind the last end.
func TestSourcesBehindLastEnd(t *testing.T) {
	p := irtest.Load(t, `
pipeline both(a: [n]i32, b: [m]i32) {
	j = join(a, b)
	return left: j.left, right: j.right
}
`)
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelAuto, Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range plan.SourceWays {
		lowered, err := simt.Target{Children: true}.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Sources: way})
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{1, 7, 8, 15, 16, 200} { // less than a work-group has, as many, more
			in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, 2*rows)}
			for row := range 2 * rows {
				key := ir.Int(ir.I32, int64(int32(uint32(row/2)*2654435761))) // of two rows, and no slot
				in[0].Set(row/2, key)
				in[1].Set(row, key)
			}
			if different := kerneltest.DiffersFromInterpreter(t, lowered, p, in); different != "" {
				t.Errorf("sources=%s, %d keys: %s", way, rows, different)
			}
		}
	}
}

// TestSourcesOfSums adds up what rows repeat in kernels that store nothing of a row: a work-item's rows
// do not lie together there.
func TestSourcesOfSums(t *testing.T) {
	p := irtest.Load(t, `
pipeline summed(length: [n]i32, x: [n]i64) {
	r = repeat(length)
	return all: sum(x[r] * index(r))
}
`)
	in := []ir.Column{ir.NewColumn(ir.I32, 203), ir.NewColumn(ir.I64, 203)}
	for row := range 203 {
		in[0].Set(row, ir.Int(ir.I32, int64(row%4)))
		in[1].Set(row, ir.Int(ir.I64, int64(row*row)))
	}
	if different := kerneltest.DiffersFromInterpreter(t, kerneltest.Lowered(t, p, fuse.LevelAuto, plan.Schedule{Workgroup: 8, Items: 4, Sources: plan.Count}), p, in); different != "" {
		t.Error(different)
	}
}

// TestSourcesBesidePrefix adds up every few lengths in a kernel with a prefix, whose work-items have consecutive rows.
func TestSourcesBesidePrefix(t *testing.T) {
	p := irtest.Load(t, `
pipeline both(length: [n]i32) {
	return row: repeat(length), before: exscan(add, length)
}
`)
	made := kerneltest.Lowered(t, p, fuse.LevelOnePass, plan.Schedule{Workgroup: 8, Items: 4})
	if text := made.Kernels[0].String(); !strings.Contains(text, "aggregate[run]") || !strings.Contains(text, "_status") {
		t.Error("the first kernel does not add up runs of rows beside a prefix")
	}
	in := []ir.Column{ir.NewColumn(ir.I32, 2003)}
	for row := range 2003 {
		in[0].Set(row, ir.Int(ir.I32, int64(row%4)))
	}
	if different := kerneltest.DiffersFromInterpreter(t, made, p, in); different != "" {
		t.Error(different)
	}
}

// Kernels launch kernels only where the target's do; elsewhere the error says what to choose.
func TestSourcesRefused(t *testing.T) {
	program, _, err := compile.Compile(irtest.Load(t, sourcesText), compile.For(fuse.LevelAuto, plan.Schedule{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target simt.Target
		way    string
		want   string
	}{{simt.Target{Children: true}, plan.PerChild, ""}, {simt.Target{}, plan.Search, ""}, {simt.Target{}, plan.PerChild, "sources=search"}} {
		_, err := c.target.Lower(program, plan.Schedule{Sources: c.way})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("sources=%s, kernels launch kernels %t: %v", c.way, c.target.Children, err)
		}
	}
}
