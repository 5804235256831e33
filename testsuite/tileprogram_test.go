package testsuite_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestTilePrograms compares the tile programs of the corpus with the
// interpreter: row by row, and in blocks between which only the values named by
// the analysis survive. So the cuts, states and live values that a backend gets
// are enough for any scheme.
func TestTilePrograms(t *testing.T) {
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	for i, entry := range entries {
		if !sample.TakesMore(i) || kerneltest.Joins(entry.Pipeline) && !sample.Everything() || kerneltest.SkipsSorts(entry.Pipeline) {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for j, level := range fuse.Levels {
				if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
					continue
				}
				for _, variant := range kerneltest.VariantsOf(entry.Pipeline, plan.Direct, plan.Segmented) {
					options := kerneltest.EmulatedOptions(level, variant)
					options.Short = (i+j)%2 == 0
					program, _, err := compile.Compile(entry.Pipeline, options)
					if err != nil {
						t.Fatalf("at level %s, %s: %v", level, variant, err)
					}
					compareTilePrograms(t, program, entry, level+", "+variant)
				}
			}
		})
	}
}

// TestTileProgramsOfTables compares those of tables of few rows and of rows that move, whose slots are keys or, by a factor, are not.
func TestTileProgramsOfTables(t *testing.T) {
	for _, keys := range []string{"a, in: b", "a * 1640531527, in: b * 1640531527"} {
		text := "pipeline p(a: [n]i32, b: [m]i32, x: [m]i32) {\n\tf = find(" + keys + ")\n\treturn s: sum(x[f[f >= 0]]), misses: count(f < 0)\n}\n"
		pipelines, errs := ir.Load("tables.kg", []byte(text))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		entry := testsuite.Entry{Name: keys, Pipeline: pipelines[0], Columns: testsuite.RandomData{Rows: 40, Shape: testsuite.Shapes()[0]}.Columns(pipelines[0])}
		for _, moved := range []int{10, 1000} {
			options := kerneltest.EmulatedOptions(fuse.LevelAuto, "")
			options.Short, options.Partitions, options.Moved = true, true, moved
			program, _, err := compile.Compile(entry.Pipeline, options)
			if err != nil {
				t.Fatal(err)
			}
			compareTilePrograms(t, program, entry, fmt.Sprintf("%d rows move", moved))
		}
	}
}

func compareTilePrograms(t *testing.T, program *backends.Program, entry testsuite.Entry, level string) {
	name := fnv.New64a()
	fmt.Fprint(name, entry.Name, level)
	random := rand.New(rand.NewPCG(name.Sum64(), 0))
	executions := map[string]execution{
		"row by row": tiletest.Sequential,
		"in blocks": func(k *tile.Kernel, memory *tiletest.Memory, rows int) error {
			return tiletest.Blocks(tile.Analyze(k), memory, rows, random)
		},
	}
	compare := func(what string, in []ir.Column) {
		t.Helper()
		want, err := testsuite.Expect(entry.Pipeline, in)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for how, execute := range executions {
			got, err := runTilePrograms(program, in, execute)
			if difference := want.Differ(got, err); difference != "" {
				t.Fatalf("%s at level %s, %s: %s", what, level, how, difference)
			}
		}
	}
	compare("own data", entry.Columns)
	for _, shape := range testsuite.Shapes() {
		for seed, rows := range []int{0, 1, 2, 15, 150} {
			if rows > kerneltest.MostRows(entry.Pipeline) {
				continue
			}
			for _, careless := range []bool{false, true} {
				if careless && rows != 15 {
					continue
				}
				data := testsuite.RandomData{Rows: rows, Shape: shape, Seed: uint64(seed), Careless: careless, Whole: true}
				compare(fmt.Sprintf("%+v", data), data.Columns(entry.Pipeline))
			}
		}
	}
}

// execution runs one launch.
type execution func(*tile.Kernel, *tiletest.Memory, int) error

// runTilePrograms gives the results of a plan whose launches execute runs.
func runTilePrograms(program *backends.Program, in []ir.Column, execute execution) ([]ir.Column, error) {
	h := newTileHost(program, in)
	for _, s := range program.Plan.Steps {
		if err := h.step(s, execute); err != nil {
			return nil, err
		}
	}
	for i := range program.Pipeline.Sites {
		site := &program.Pipeline.Sites[i]
		if row, ok := h.memory.Failed[i]; ok {
			return nil, &ir.CheckError{Site: site, Row: row}
		}
		if when := program.Plan.Sites[i].When; !when.IsZero() && h.eval(when) != 0 {
			return nil, &ir.CheckError{Site: site}
		}
	}
	var columns []ir.Column
	for _, port := range program.Plan.Ports {
		if port.Direction == plan.Out {
			column, err := h.result(port)
			if err != nil {
				return nil, err
			}
			columns = append(columns, column)
		}
	}
	return columns, nil
}

// tileHost runs the steps of a plan over tile programs.
type tileHost struct {
	program *backends.Program
	memory  *tiletest.Memory
}

func newTileHost(program *backends.Program, in []ir.Column) *tileHost {
	h := &tileHost{program: program, memory: tiletest.NewMemory()}
	h.memory.ChunkRows = fuse.ChunkRows
	for _, s := range program.Plan.Scalars {
		h.memory.Scalars[s.Name] = literalScalar(s.Kind, s.Init)
	}
	for i, port := range program.Plan.Ports[:len(in)] {
		switch column := in[i]; {
		case port.Buffer != "":
			h.memory.Lengths[port.Domain] = int64(column.Len())
			h.memory.Buffers[port.Buffer] = make([]ir.Scalar, column.Len())
			for row := range h.memory.Buffers[port.Buffer] {
				h.memory.Buffers[port.Buffer][row] = stored(column.At(row))
			}
		case column.Slice == nil:
			h.memory.Scalars[port.Scalar] = literalScalar(port.Kind.Stored(), port.Default)
		default:
			h.memory.Scalars[port.Scalar] = stored(column.At(0))
		}
	}
	return h
}

// stored returns s as a plan holds it.
func stored(s ir.Scalar) ir.Scalar {
	if s.Kind.IsDecimal() {
		s.Kind = ir.I64
	}
	return s
}

func literalScalar(k plan.Kind, text plan.Literal) ir.Scalar {
	kind, _ := ir.KindByName(string(k))
	bits, err := k.Parse(text)
	if err != nil {
		panic(err)
	}
	return ir.Scalar{Kind: kind, Bits: bits}
}

func (h *tileHost) step(s plan.Step, execute execution) error {
	switch {
	case s.Alloc != nil:
		b := h.buffer(s.Alloc.Buffer)
		if b.Role != plan.Errors {
			h.memory.Buffers[b.Name] = make([]ir.Scalar, h.eval(b.Length))
		}
	case s.Init != nil:
		b := h.buffer(s.Init.Buffer)
		for i := range h.memory.Buffers[b.Name] {
			h.memory.Buffers[b.Name][i] = literalScalar(b.Kind, b.Fill)
		}
	case s.Set != nil:
		h.memory.Scalars[s.Set.Scalar] = ir.Int(ir.I64, h.eval(s.Set.Value))
	case s.If != nil:
		steps := s.If.Else
		if h.eval(s.If.Cond) != 0 {
			steps = s.If.Then
		}
		for _, step := range steps {
			if err := h.step(step, execute); err != nil {
				return err
			}
		}
	case s.Launch != nil:
		for _, k := range h.program.Kernels {
			if k.Name != s.Launch.Kernel {
				continue
			}
			for _, op := range k.Ops { // lengths are scalars by the time a kernel reads them
				if op.Kind == tile.Length {
					h.memory.Lengths[op.Ref], _ = h.Len(op.Ref)
				}
			}
			memory := *h.memory
			memory.Buffers = maps.Clone(memory.Buffers)
			for _, arg := range s.Launch.Bind {
				memory.Buffers[arg.Name] = h.memory.Buffers[arg.Buffer]
			}
			return execute(k, &memory, int(h.eval(s.Launch.Rows)))
		}
		return fmt.Errorf("there is no kernel %s", s.Launch.Kernel)
	}
	return nil
}

func (h *tileHost) buffer(name string) plan.Buffer {
	for _, b := range h.program.Plan.Buffers {
		if b.Name == name {
			return b
		}
	}
	panic("no buffer " + name)
}

// result reads an out port: as many rows as its domain has by then.
func (h *tileHost) result(port plan.Port) (ir.Column, error) {
	data := []ir.Scalar{h.memory.Scalars[port.Scalar]}
	if port.Buffer != "" {
		rows, err := h.Len(port.Domain)
		if err != nil {
			return ir.Column{}, err
		}
		data = h.memory.Buffers[port.Buffer][:rows]
	}
	kind, _ := ir.KindByName(string(port.Kind))
	column := ir.NewColumn(kind, len(data))
	for row, x := range data {
		if x.Kind != stored(ir.Scalar{Kind: kind}).Kind {
			return column, fmt.Errorf("row %d of %s is %v, not %v", row, port.Name, x.Kind, kind)
		}
		column.Set(row, ir.Scalar{Kind: kind, Bits: x.Bits})
	}
	return column, nil
}

func (h *tileHost) eval(e plan.Expr) int64 {
	v, err := e.Eval(h)
	if err != nil {
		panic(err)
	}
	return v
}

// Scalar, Len and the others make h a plan.Env.
func (h *tileHost) Scalar(name string) (int64, error) { return h.memory.Scalars[name].Int64(), nil }

func (h *tileHost) Len(domain string) (int64, error) {
	for _, d := range h.program.Plan.Domains {
		if d.Name == domain && !d.Len.IsZero() {
			return d.Len.Eval(h)
		}
	}
	if length, ok := h.memory.Lengths[domain]; ok {
		return length, nil
	}
	return 0, fmt.Errorf("the length of %s is not known", domain)
}

func (h *tileHost) Property(string) (int64, error) { return 0, errors.New("no machine") }
func (h *tileHost) Resident(string) (int64, error) { return 0, errors.New("no machine") }
func (h *tileHost) Rows() (int64, error)           { return 0, errors.New("no launch") }
