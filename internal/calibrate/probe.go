package calibrate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Probe is a pipeline to be timed.
type Probe struct {
	Name     string
	Text     string // of one pipeline
	Level    string
	Schedule string // for devices with work-groups
	Rows     int64
	Table    int64 // rows of the table that it reaches into; 0 if it has none
	columns  []func(p *Probe) ir.Column
}

// sharesKernels reports whether two probes run the same pipeline in the same way, over whatever rows.
func (p *Probe) sharesKernels(other *Probe) bool {
	return p.Text == other.Text && p.Level == other.Level && p.Schedule == other.Schedule
}

// elementBytes is the size of an element of the tables.
const elementBytes = 8

// Columns makes the arguments of the pipeline.
func (p *Probe) Columns() (list []ir.Column) {
	for _, make := range p.columns {
		list = append(list, make(p))
	}
	return list
}

// ascending are the numbers from 0 on.
func ascending(n int64) ir.Column {
	return spread(n, func(i int64) int64 { return i })
}

// spread are numbers of rows, each by a function that is called in their order.
func spread(n int64, number func(i int64) int64) ir.Column {
	list := make([]int64, n)
	for i := range list {
		list[i] = number(int64(i))
	}
	return ir.Column{Kind: ir.I64, Slice: list}
}

func chance() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// The arguments of probes.
var (
	rows   = func(p *Probe) ir.Column { return ascending(p.Rows) }
	table  = func(p *Probe) ir.Column { return ascending(p.Table) }
	size   = func(p *Probe) ir.Column { return ir.Column{Kind: ir.I64, Slice: []int64{p.Table}} }
	places = func(p *Probe) ir.Column {
		list, r := make([]int32, p.Rows), chance()
		for i := range list {
			list[i] = int32(r.Int64N(p.Table))
		}
		return ir.Column{Kind: ir.I32, Slice: list}
	}
	keys   = func(p *Probe) ir.Column { return spread(p.Table, func(i int64) int64 { return 2 * i }) }
	sought = func(p *Probe) ir.Column {
		r := chance()
		return spread(p.Rows, func(int64) int64 { return r.Int64N(2 * p.Table) })
	}
	flags = func(p *Probe) ir.Column {
		return ir.Column{Kind: ir.Bool, Slice: slices.Repeat([]bool{true, false}, int(p.Rows/2))}
	}
	// Half of the numbers are negative: those of random rows, or the first ones.
	mixed = func(p *Probe) ir.Column {
		list, r := make([]int32, p.Rows), chance()
		for i := range list {
			list[i] = int32(r.Uint32())
		}
		return ir.Column{Kind: ir.I32, Slice: list}
	}
	parted = func(p *Probe) ir.Column {
		list := make([]int32, p.Rows)
		for i := range list {
			list[i] = int32(int64(i) - p.Rows/2)
		}
		return ir.Column{Kind: ir.I32, Slice: list}
	}
)

type arguments = []func(*Probe) ir.Column

func copyProbe(n int64) Probe {
	return Probe{Name: "copy", Text: "pipeline copied(x: [n]i64) { return y: x ^ 1 }\n", Level: "auto", Rows: n, columns: arguments{rows}}
}

// launchesProbe has a kernel for each of three operators.
func launchesProbe(n int64) Probe {
	return Probe{Name: "three launches", Text: "pipeline launched(x: [n]i64) {\n\ta = x ^ 1\n\tb = a * 3\n\treturn a, b, c: b ^ 5\n}\n", Level: "none", Rows: n, columns: arguments{rows}}
}

// The operators of the probes of operators: so many that they take longer than the bytes
// behind which the first are hidden. Products do not wait for each other, as the operators of
// different rows and columns do not.
const manyOperators, dearChained = 64, 8

func operatorProbe(operator string, n int64) Probe {
	return Probe{Name: "operators", Text: "pipeline computed(x: [n]i64) { return y: " + operators(operator) + " }\n", Level: "onepass", Rows: n, columns: arguments{rows}}
}

// operators returns many operators on x, half of them of one kind.
func operators(operator string) string {
	text := "x"
	for i := range manyOperators / 2 {
		text += fmt.Sprintf(" ^ (x %s %d)", operator, 12345+2*i)
	}
	return text
}

// loopProbe hardly has bytes, and two operators.
func loopProbe(n int64) Probe {
	return Probe{Name: "loop", Text: "pipeline looped(x: [n]bool) { return y: count(x) }\n", Level: "onepass", Rows: n, columns: arguments{flags}}
}

// Each division has an addition beside it, and all have one divisor, which is never zero.
func dearProbe(n int64) Probe {
	text := "x"
	for range dearChained {
		text = "(" + text + " + 12345) / divisor"
	}
	return Probe{Name: "divisions", Text: "pipeline divided(x: [n]i64) {\n\tdivisor = x | 1\n\treturn y: " + text + "\n}\n", Level: "onepass", Rows: n, columns: arguments{rows}}
}

// quotientProbe is the same with floats: processors have no division of 64-bit integers in lanes, but one of floats.
func quotientProbe(n int64) Probe {
	text := "f"
	for range dearChained {
		text = "(" + text + " + 12345.0) / divisor"
	}
	return Probe{Name: "quotients of floats", Text: "pipeline quotients(x: [n]i64) {\n\tf = f64(x)\n\tdivisor = f + 1.0\n\treturn y: " + text + "\n}\n", Level: "onepass", Rows: n, columns: arguments{rows}}
}

func scanProbe(level string, n int64) Probe {
	return Probe{Name: "scan at level " + level, Text: "pipeline scanned(x: [n]i64) { return y: scan(add, x) }\n", Level: level, Rows: n, columns: arguments{rows}}
}

func besideProbe(n int64) Probe {
	return Probe{Name: "scans beside each other", Text: "pipeline beside(x: [n]i64) { return y: scan(add, x), z: scan(max, x) }\n", Level: "onepass", Rows: n, columns: arguments{rows}}
}

// waitingProbe is a prefix of a prefix in one kernel.
func waitingProbe(n int64) Probe {
	return Probe{Name: "a scan that waits for a scan", Text: "pipeline waiting(x: [n]i64) { return y: scan(max, scan(add, x)) }\n", Level: "partial1 offset1 add1 partial2 offset2 add2", Rows: n,
		columns: arguments{rows}}
}

// storingProbe is the same with the results of the first one stored.
func storingProbe(n int64) Probe {
	return Probe{Name: "a scan that waits for a scan and its stores", Text: "pipeline storing(x: [n]i64) {\n\ta = scan(add, x)\n\treturn a, y: scan(max, a)\n}\n", Level: "partial1 offset1 add1 partial2 offset2 add2",
		Rows: n, columns: arguments{rows}}
}

// closingProbe keeps some segments in the kernel in which they end, with the aggregates that
// are usual: what one of them takes alone says little.
func closingProbe(n int64) Probe {
	segments := func(p *Probe) ir.Column { // of 4 and 12 rows
		list := make([]int32, p.Rows)
		for i := range list {
			list[i] = int32(i / 16 * 2)
			if i%16 >= 4 {
				list[i]++
			}
		}
		return ir.Column{Kind: ir.I32, Slice: list}
	}
	return Probe{Name: "segments that are kept where they end", Text: `pipeline closing(x: [n]i32, y: [n]i32) {
	g = runs(x)
	c = count(by: g)
	keep = c >= 8
	return key: first(x, by: g)[keep], count: c[keep], total: sum(y, by: g)[keep]
}
`, Level: "mask1 partial1 offset1 add1 aggregate mask2 partial2 offset2 add2 compact", Rows: n, columns: arguments{segments, mixed}}
}

func selectProbe(n int64) Probe {
	return Probe{Name: "rows selected", Text: "pipeline selected(x: [n]i32) { return y: x[x >= 0] }\n", Level: "onepass", Rows: n, columns: arguments{mixed}}
}

// branchProbe carries a state from each selected row to the next, which others must not change. Rows cannot be listed before
// they are visited, since what is selected belongs to the row before or, in kernels of work-groups, is a state of all rows.
func branchProbe(name, selected string, argument func(*Probe) ir.Column, n int64) Probe {
	return Probe{Name: "a scan of rows selected " + name, Text: fmt.Sprintf("pipeline branched(x: [n]i32) { return y: scan(add, %s[x >= 0]) }\n", selected), Level: "onepass", Rows: n, columns: arguments{argument}}
}

func gatherProbe(n, m int64) Probe {
	return Probe{Name: "gather", Text: "pipeline gathered(i: [n]i32, x: [m]i64) { return y: x[i] }\n", Level: "onepass", Rows: n, Table: m, columns: arguments{places, table}}
}

// tileProbe counts beside a prefix. Tables of tiles have lengths that are known when it is compiled.
func tileProbe(n, m int64) Probe {
	return Probe{Name: "counts in tables of tiles", Text: fmt.Sprintf("pipeline tallied(i: [n]i32) {\n\tplace = bins(i, %d)\n\treturn c: count(by: place), y: scan(add, i)\n}\n", m),
		Level: "onepass", Rows: n, Table: m, columns: arguments{places}}
}

// searchProbe looks for keys of which half are found. At level none each kernel has one part of a hash, or
// searches; at level onepass what searches computes hashes, too.
func searchProbe(level string, n, m int64) Probe {
	return Probe{Name: "search at level " + level, Text: "pipeline searched(a: [n]i64, b: [n]i64, c: [m]i64, d: [m]i64) { return row: find((a, b), in: (c, d)) }\n", Level: level, Rows: n, Table: m,
		columns: arguments{sought, sought, keys, keys}}
}

func updateProbe(name, schedule string, n, m int64) Probe {
	return Probe{Name: name, Text: "pipeline counted(i: [n]i32, size: i64) { \n\tplace = bins(i, size)\n\treturn c: count(by: place)\n}\n", Level: "onepass", Schedule: schedule, Rows: n, Table: m,
		columns: arguments{places, size}}
}
