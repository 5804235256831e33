package ir_test

import (
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// The two examples of the package comment make one graph.
func TestPackageExample(t *testing.T) {
	b := ir.NewBuilder("adults")
	age := b.Column("age", "n", ir.I32)
	adult := age.Ge(18)
	b.Return(age.At(adult), b.Count(adult).As("count"))
	p, err := b.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	pipelines, errs := ir.Load("adults.kg", []byte("pipeline adults(age: [n]i32) {\n\tadult = age >= 18\n\treturn age[adult], count: count(adult)\n}"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	if len(p.Values) != len(pipelines[0].Values) {
		t.Errorf("built:\n%v\nread:\n%v", p, pipelines[0])
	}
	for i, v := range p.Values {
		if w := pipelines[0].Values[i]; v.Op != w.Op || v.Type.Kind != w.Type.Kind {
			t.Errorf("value %d is %v, from text %v", i, v.Op, w.Op)
		}
	}
}
