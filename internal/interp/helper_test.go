package interp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// load returns the only pipeline of source. A source without a pipeline
// keyword is the parameters and body of one: "(x: [n]i32) { ... }".
func load(t *testing.T, source string) *ir.Pipeline {
	t.Helper()
	if !strings.HasPrefix(source, "pipeline") {
		source = "pipeline test" + source
	}
	pipelines, errs := ir.Load("test.kg", []byte(source))
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, source)
	}
	return pipelines[0]
}

// columns gives Go slices the kinds of the parameters; nil takes a default.
func columns(p *ir.Pipeline, slices []any) []ir.Column {
	in := make([]ir.Column, len(slices))
	for i, s := range slices {
		in[i] = ir.Column{Kind: p.Params[i].Type.Kind, Slice: s}
	}
	return in
}

// run evaluates p over Go slices and returns the Go slices of the results.
func run(t *testing.T, p *ir.Pipeline, slices ...any) []any {
	t.Helper()
	out, err := Run(p, columns(p, slices))
	if err != nil {
		t.Fatal(err)
	}
	results := make([]any, len(out))
	for i, c := range out {
		if want := p.Results[i].Value.Type.Kind; c.Kind != want {
			t.Fatalf("result %s is %v, not %v", p.Results[i].Label, c.Kind, want)
		}
		results[i] = c.Slice
	}
	return results
}

// text shows a slice so that equal values, and only they, look the same: -0
// differs from 0, NaN does not from NaN.
func text(slice any) string {
	if s, ok := slice.([][8]byte); ok {
		return fmt.Sprintf("%T%q", s, s)
	}
	return fmt.Sprintf("%T%v", slice, slice)
}

func equalResults(t *testing.T, p *ir.Pipeline, got, want []any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		if g, w := text(got[i]), text(want[i]); g != w {
			t.Errorf("result %s is %.300s, want %.300s", p.Results[i].Label, g, w)
		}
	}
}

// example is a pipeline with data and what it gives by hand.
type example struct {
	name, source string
	in, want     []any
}

func runExamples(t *testing.T, examples []example) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			p := load(t, e.source)
			equalResults(t, p, run(t, p, e.in...), e.want)
		})
	}
}

// failure runs p, which must fail a check, and returns the failure.
func failure(t *testing.T, p *ir.Pipeline, slices ...any) *ir.CheckError {
	t.Helper()
	_, err := Run(p, columns(p, slices))
	var check *ir.CheckError
	if !errors.As(err, &check) {
		t.Fatalf("error is %v, want a failed check", err)
	}
	return check
}

func chars(texts ...string) [][8]byte {
	out := make([][8]byte, len(texts))
	for i, s := range texts {
		copy(out[i][:], s)
	}
	return out
}
