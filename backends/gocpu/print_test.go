package gocpu

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

// printed is a file of fs, as emitted.
func printed(t *testing.T, packageName string, fs ...*loop.Func) []byte {
	t.Helper()
	p := newPrinter()
	file := jen.NewFile(packageName)
	for _, f := range fs {
		file.Line().Add(p.function(f))
	}
	var b bytes.Buffer
	if err := file.Render(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPrintedText(t *testing.T) {
	for name, fs := range samples() {
		t.Run(name, func(t *testing.T) {
			got := printed(t, "sample", fs...)
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func i32(x int64) *loop.Const   { return loop.ConstOf(ir.Int(ir.I32, x)) }
func i64(x int64) *loop.Const   { return loop.ConstOf(ir.Int(ir.I64, x)) }
func f64(x float64) *loop.Const { return loop.ConstOf(ir.Float(ir.F64, x)) }

func sliceOf(k ir.Kind) loop.Type { return loop.SliceOf(loop.ScalarOf(k)) }

// samples are functions that between them use every node of profile cores.
func samples() map[string][]*loop.Func {
	return map[string][]*loop.Func{
		"runs":   {runsSample()},
		"filter": {filterSample()},
		"chain":  chainSample(),
		"exprs":  {exprSample()},
		"flow":   {flowSample()},
	}
}

// runsSample counts and sums runs, one store a row.
func runsSample() *loop.Func {
	b := loop.NewBuilder("run_totals")
	b.Doc("runTotals stores the count and sum of each run of key and returns the last slot.")
	key := b.Param("l_orderkey", sliceOf(ir.I32).AsReadOnly())
	val := b.Param("l_quantity", sliceOf(ir.F64).AsReadOnly())
	outKey := b.Param("key", sliceOf(ir.I32))
	outCount := b.Param("count", sliceOf(ir.I64))
	outSum := b.Param("sum", sliceOf(ir.F64))
	first := b.Param("first", loop.ScalarOf(ir.I32))
	b.Cut(outCount, loop.Int(0), loop.LenOf(outKey))
	b.Cut(outSum, loop.Int(0), loop.LenOf(outKey))
	b.Cut(val, loop.Int(0), loop.LenOf(key))
	slot := b.Decl("slot", loop.Int(0))
	prev := b.Decl("previous", first)
	count := b.Decl("count", i64(0))
	sum := b.Decl("sum", f64(0))
	b.For("row", loop.Int(0), loop.LenOf(key), func(row *loop.Var) {
		b.Note("orders.kg:3: g = runs(l_orderkey)")
		k := b.Let("k", loop.At(key, row))
		head := b.Let("head", loop.Ne(k, prev))
		b.Assign(slot, loop.Add(slot, loop.ToCounter(head)))
		keep := b.Let("keep", loop.Sub(loop.ToKind(ir.I64, head), i64(1)))
		b.Assign(count, loop.Add(loop.Apply(ir.OpAnd, count, keep), i64(1)))
		kept := loop.FromBits(ir.F64, loop.Apply(ir.OpAnd, loop.BitsOf(sum), loop.ToKind(ir.U64, keep)))
		b.Assign(sum, loop.Add(kept, loop.At(val, row)))
		b.Assign(prev, k)
		b.Store(outKey, slot, k)
		b.Store(outCount, slot, count)
		b.Store(outSum, slot, sum)
		b.Let("unread", loop.At(val, row))
	})
	return b.Func(slot)
}

// filterSample compacts windows through fixed-length views.
func filterSample() *loop.Func {
	b := loop.NewBuilder("filter")
	in := b.Param("in", sliceOf(ir.I32).AsReadOnly())
	out := b.Param("out", sliceOf(ir.I32))
	limit := b.Param("limit", loop.ScalarOf(ir.I32))
	rows := b.Decl("rows", loop.Int(0))
	b.While(loop.Ge(loop.LenOf(in), loop.Int(4)), func() {
		w := b.Window("w", in, loop.Int(0), 4)
		b.Cut(in, loop.Int(4), nil)
		var v [4]loop.Expr
		for i := range v {
			v[i] = b.Let("v", loop.At(w, loop.Int(int64(i))))
		}
		for i := range v {
			b.Store(out, rows, v[i])
			b.Assign(rows, loop.Add(rows, loop.ToCounter(loop.Lt(v[i], limit))))
		}
	})
	b.For("i", loop.Int(0), loop.LenOf(in), func(i *loop.Var) {
		v := b.Let("v", loop.At(in, i))
		b.If(loop.Lt(v, limit), func() {
			b.Store(out, rows, v)
			b.Assign(rows, loop.Add(rows, loop.Int(1)))
		}, nil)
	})
	return b.Func(rows)
}

// chainSample scans in blocks and sums in ranges.
func chainSample() []*loop.Func {
	part := loop.NewBuilder("scanPart")
	part.Doc("scanPart stores start plus the sums so far and returns the last.")
	in := part.Param("in", sliceOf(ir.I32).AsReadOnly())
	out := part.Param("out", sliceOf(ir.I32))
	start := part.Param("start", loop.ScalarOf(ir.I32))
	sum := part.Decl("sum", start)
	part.For("i", loop.Int(0), loop.LenOf(in), func(i *loop.Var) {
		v := part.Let("v", loop.At(in, i))
		part.Assign(sum, loop.Add(sum, v))
		part.Store(out, i, sum)
	})
	scanPart := part.Func(sum)

	b := loop.NewBuilder("scan")
	in = b.Param("in", sliceOf(ir.I32).AsReadOnly())
	out = b.Param("out", sliceOf(ir.I32))
	workers := b.Param("workers", loop.Counter)
	prefix := b.Decl("prefix", i32(0))
	var total, before *loop.Var
	b.Chain(loop.LenOf(in), workers, 8, loop.ChainParts{
		Before: func(lo, hi *loop.Var) {
			total = b.Decl("total", i32(0))
			block := b.Slice("block", in, lo, hi)
			b.For("i", loop.Int(0), loop.LenOf(block), func(i *loop.Var) {
				b.Assign(total, loop.Add(total, b.Let("v", loop.At(block, i))))
			})
			before = b.Decl("before", i32(0))
		},
		Turn: func(lo, hi *loop.Var) {
			b.Assign(before, prefix)
			b.Assign(prefix, loop.Add(prefix, total))
		},
		After: func(lo, hi *loop.Var) {
			src := b.Slice("src", in, lo, hi)
			dst := b.Slice("dst", out, lo, hi)
			b.Do(scanPart.Signature(), []loop.Expr{src, dst, before})
		},
	})
	counts := b.Make("counts", loop.ScalarOf(ir.I64), workers)
	b.Parallel(loop.LenOf(in), workers, 8, func(worker, lo, hi *loop.Var) {
		n := b.Decl("n", i64(0))
		b.For("i", lo, hi, func(i *loop.Var) {
			b.If(loop.Gt(loop.At(in, i), i32(0)), func() { b.Assign(n, loop.Add(n, i64(1))) }, nil)
		})
		b.Store(counts, worker, n)
	})
	all := b.Decl("all", i64(0))
	b.For("w", loop.Int(0), loop.LenOf(counts), func(w *loop.Var) {
		b.Assign(all, loop.Add(all, b.Let("c", loop.At(counts, w))))
	})
	return []*loop.Func{scanPart, b.Func(prefix, all)}
}

// flowSample has the statements that the others lack.
func flowSample() *loop.Func {
	b := loop.NewBuilder("flow")
	names := b.Param("type", sliceOf(ir.Char8))
	flags := b.Param("flags", sliceOf(ir.Bool))
	sites := b.Param("sites", sliceOf(ir.I64))
	n := b.Param("len", loop.Counter)
	found := b.Decl("found", loop.False)
	text := b.Decl("text", loop.ConstOf(ir.Char8Scalar("")))
	b.ForStep("base", loop.Int(0), n, 2, func(base *loop.Var) {
		b.If(loop.At(flags, base),
			func() { b.Assign(found, loop.True) },
			func() {
				b.If(loop.Eq(loop.At(names, base), loop.ConstOf(ir.Char8Scalar("ASIA"))),
					func() { b.Break() },
					func() {
						b.Store(names, base, loop.ConstOf(ir.Char8Scalar("EU")))
						b.Assign(text, loop.At(names, base))
					})
			})
	})
	b.Atomic(loop.AtomicMin, sites, loop.Int(0), i64(-7))
	b.Atomic(loop.AtomicAdd, sites, loop.Int(1), i64(2))
	old := b.AtomicOld("old", loop.AtomicMax, sites, loop.Int(2), i64(9))
	old2 := b.AtomicOld("old", loop.AtomicAdd, sites, loop.Int(3), i64(1))
	old3 := b.AtomicOld("old", loop.AtomicExchange, sites, loop.Int(3), old2)
	b.Store(sites, loop.Int(4), loop.Add(loop.At(sites, loop.Int(4)), old3))
	chosen := b.Let("chosen", loop.Choose(found, old, i64(1)))
	last := b.Decl("last", loop.Choose(found, i64(3), old))
	b.Assign(last, loop.Choose(loop.Gt(chosen, i64(0)), chosen, last))
	b.Assign(last, loop.Choose(loop.Eq(chosen, i64(5)), i64(1), i64(2)))
	square := b.Storage("squares", loop.ArrayOf(4, loop.ScalarOf(ir.I64)))
	b.For("i", loop.Int(0), loop.Int(4), func(i *loop.Var) {
		b.Store(square, i, loop.Mul(loop.ToKind(ir.I64, i), loop.ToKind(ir.I64, i)))
	})
	b.For("i", loop.Int(0), loop.Int(2), func(*loop.Var) {
		b.Assign(last, loop.Mul(last, i64(3)))
	})
	return b.Func(found, text, loop.Add(last, loop.At(square, loop.Int(3))))
}

// exprSample stores one expression a slot, each of which could go wrong.
func exprSample() *loop.Func {
	b := loop.NewBuilder("exprs")
	x := b.Param("x", loop.ScalarOf(ir.I32))
	y := b.Param("y", loop.ScalarOf(ir.I32))
	u := b.Param("u", loop.ScalarOf(ir.U8))
	f := b.Param("f", loop.ScalarOf(ir.F64))
	g := b.Param("g", loop.ScalarOf(ir.F64))
	s := b.Param("s", loop.ScalarOf(ir.F32))
	p := b.Param("p", loop.ScalarOf(ir.Bool))
	q := b.Param("q", loop.ScalarOf(ir.Bool))
	var results []loop.Expr
	add := func(x loop.Expr) { results = append(results, x) }
	op := loop.Apply
	add(loop.Sub(x, loop.Sub(y, i32(1))))
	add(loop.Mul(loop.Add(x, y), i32(-3)))
	add(op(ir.OpDiv, x, y))
	add(op(ir.OpRem, x, i32(-1)))
	add(op(ir.OpShl, x, y))
	add(op(ir.OpShr, x, i32(35)))
	add(op(ir.OpShl, i32(1), y))
	add(op(ir.OpAndNot, x, op(ir.OpOr, y, i32(8))))
	add(op(ir.OpNeg, op(ir.OpComplement, x)))
	add(op(ir.OpNeg, i32(-1<<31)))
	add(op(ir.OpAbs, x))
	add(op(ir.OpAbs, u))
	add(op(ir.OpAdd, u, loop.ConstOf(ir.Int(ir.U8, 255))))
	add(op(ir.OpYear, x))
	add(op(ir.OpMonth, x))
	add(op(ir.OpDay, x))
	add(loop.Add(loop.Mul(f, g), f64(0.1)))
	add(op(ir.OpDiv, loop.Mul(f, g), f64(0)))
	add(op(ir.OpSqrt, s))
	add(op(ir.OpSqrt, f))
	add(op(ir.OpAbs, s))
	add(loop.Least(f, g))
	add(loop.Greatest(s, loop.ConstOf(ir.Float(ir.F32, 0.1))))
	add(loop.Least(f64(1), f64(2)))
	add(loop.ToKind(ir.I8, f))
	add(loop.ToKind(ir.U64, s))
	add(loop.ToKind(ir.F32, f))
	add(loop.ToKind(ir.F64, p))
	add(loop.ToKind(ir.I16, loop.And(p, loop.Or(q, loop.Lt(x, y)))))
	add(loop.Not(loop.Lt(f, g)))
	add(loop.Not(loop.Lt(x, y)))
	add(loop.KeyEq(f, g))
	add(loop.KeyNe(f, f64(0)))
	add(loop.KeyLt(s, loop.ConstOf(ir.Float(ir.F32, 2))))
	add(&loop.Compare{Op: ir.OpGe, Key: true, X: f, Y: g})
	add(op(ir.OpLt, p, q))
	add(op(ir.OpGe, p, loop.And(p, q)))
	add(loop.Mul(f, loop.Choose(p, f64(2), f)))
	add(loop.FromBits(ir.F32, loop.BitsOf(s)))
	add(f64(0))
	add(loop.Add(i32(1<<31-1), i32(1)))
	return b.Func(results...)
}

// TestPrintedProgramRuns builds the samples with the support file and runs
// them on values at the edges of their types.
func TestPrintedProgramRuns(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		formatted, err := format.Source(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(formatted), string(text)); diff != "" {
			t.Errorf("%s is not as gofmt prints it: %s", name, diff)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, fs := range samples() {
		if err := loop.Verify(&loop.Program{Funcs: fs}, loop.Cores); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		write(name+".go", printed(t, "main", fs...))
	}
	write(SupportName, Support("main"))
	main, err := os.ReadFile("testdata/printed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", main)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module printed\n\ngo 1.23\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		command := exec.Command("go", args...)
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
}
