package ir_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
)

// copyOf makes a pipeline again, value by value.
// constantOf is a constant of a parameter, as it is passed to a builder.
func constantOf(v *ir.Value, s ir.Scalar) any {
	if v.Literal != nil {
		return *v.Literal
	}
	return s
}

func copyOf(p *ir.Pipeline) (*ir.Pipeline, error) {
	b := ir.NewBuilder(p.Name)
	b.Doc(p.Doc)
	made := map[*ir.Value]ir.Operand{}
	for _, v := range p.Values {
		switch {
		case v.Op == ir.OpParam && v.Like != nil && v.Missing.Kind != ir.Invalid:
			made[v] = b.ColumnLike(v.Name, v.Type.Domain.Name, string(*v.Like), v.Missing.IsTrue())
		case v.Op == ir.OpParam && v.Like != nil:
			made[v] = b.ColumnLike(v.Name, v.Type.Domain.Name, string(*v.Like))
		case v.Op == ir.OpParam && v.Missing.Kind != ir.Invalid:
			made[v] = b.ColumnMissing(v.Name, v.Type.Domain.Name, v.Type.Kind, constantOf(v, v.Missing))
		case v.Hidden:
			made[v] = b.Text(*v.Literal)
		case v.Op == ir.OpParam && v.Present != nil:
			made[v] = b.Present(v.Name, made[v.Present])
		case v.Op == ir.OpParam && !v.Type.IsScalar():
			made[v] = b.Column(v.Name, v.Type.Domain.Name, v.Type.Kind)
		case v.Op == ir.OpParam && v.Const.Kind != ir.Invalid:
			made[v] = b.ScalarWithDefault(v.Name, v.Type.Kind, constantOf(v, v.Const))
		case v.Op == ir.OpParam:
			made[v] = b.Scalar(v.Name, v.Type.Kind)
		default:
			made[v] = b.Copy(v, func(o *ir.Value) ir.Operand { return made[o] })
		}
	}
	var results []any
	for _, r := range p.Results {
		results = append(results, ir.As(r.Label, made[r.Value]))
	}
	if p.Reproducible {
		b.Reproducible()
	}
	if p.Unordered {
		b.ReturnUnordered(results...)
	} else {
		b.Return(results...)
	}
	return b.Pipeline()
}

// Whatever the corpus has can be built, and is then the same pipeline, with
// the same checks at the same places.
func TestCopyOfCorpus(t *testing.T) {
	files, err := filepath.Glob("../testsuite/corpus/*.kg")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	used := map[ir.Op]bool{}
	for _, file := range files {
		pipelines, err := ir.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			again, err := copyOf(p)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if diff := cmp.Diff(p.String(), again.String()); diff != "" {
				t.Errorf("%s: the copy differs:\n%s", file, diff)
			}
			type check struct {
				Pos     ir.Pos
				Message string
			}
			checks := func(p *ir.Pipeline) (list []check) {
				for _, s := range p.Sites {
					list = append(list, check{s.Pos, s.Message})
				}
				return list
			}
			if diff := cmp.Diff(checks(p), checks(again)); diff != "" {
				t.Errorf("%s: the checks of the copy differ:\n%s", file, diff)
			}
			for _, v := range p.Values {
				used[v.Op] = true
			}
		}
	}
	for op := ir.OpParam; op <= slices.Max(ir.Aggregates()); op++ {
		if !used[op] && op != ir.OpBits && op != ir.OpOfBits {
			t.Errorf("no pipeline of the corpus has %v", op)
		}
	}
}

func TestCopyRefusesParameters(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]i32) {\n\treturn x\n}\n"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b := ir.NewBuilder("q")
	b.Return(ir.As("x", b.Copy(pipelines[0].Params[0], nil)))
	if _, err := b.Pipeline(); err == nil || err.Error() != "p.kg:1:12: parameter x is not copied\n  declare it by Column or Scalar" {
		t.Errorf("got %v", err)
	}
}

// A copy of what is no value, or without its operands, is an error at the caller.
func TestCopyRefusesWhatIsNone(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [n]i32) {\n\treturn y: x + x\n}\n"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	sum := pipelines[0].Results[0].Value
	zero := func(*ir.Value) ir.Operand { return ir.Operand{} }
	for _, c := range []struct {
		v    *ir.Value
		of   func(*ir.Value) ir.Operand
		want string
	}{
		{nil, nil, "a copy of nil"},
		{sum, nil, "a copy of x + x without its operands"},
		{sum, zero, "the zero ir.Operand is no value"},
		{&ir.Value{}, zero, "a copy of what is no value"},
		{&ir.Value{Op: 250}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpAdd, Args: []*ir.Value{sum}}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpAdd, Args: []*ir.Value{sum, nil}}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpPrev}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpFind, Args: []*ir.Value{sum}, Split: 4}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpOrder, Args: []*ir.Value{sum}, Desc: []bool{true, true}}, zero, "a copy of what is no value"},
		{&ir.Value{Op: ir.OpConst}, zero, "ir.Scalar{invalid, 0x0} is no constant"},
	} {
		b := ir.NewBuilder("q")
		b.Return(b.Copy(c.v, c.of).As("x"))
		_, err := b.Pipeline()
		list, _ := err.(ir.ErrorList)
		if len(list) != 1 || !strings.Contains(list[0].Msg, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		} else if file := filepath.Base(list[0].Pos.File); file != "builder_copy_test.go" && c.v != sum {
			t.Errorf("%s is reported in %s", c.want, file)
		}
	}
}
