package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// The loops of star queries return what the pipelines mean. Most customers and parts are
// missing here, so rows without a partner are there, and queries that keep few rows keep none.
func TestStarQueries(t *testing.T) {
	space := memory.NewSpace(0)
	defer space.Close()
	data := newColumns(space, 1<<16)
	all, err := loadPipelines()
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for _, w := range byStar() {
		a, err := w.arguments(data)
		if err != nil {
			t.Fatal(err)
		}
		var in []ir.Column
		for _, c := range a.columns {
			in = append(in, raw.FromBytes(ir.I32, c.Data))
		}
		out, err := interp.Run(all[w.pipeline].Pipelines[0], in)
		if err != nil {
			t.Fatal(err)
		}
		want := answer{}
		switch list := out[0].Slice.(type) {
		case []float64:
			want.Scalar = list[0]
			some += int(min(1, list[0]))
		case []int64:
			var d digest
			kept := 0
			for _, sum := range list {
				d.add(sum)
				if sum != 0 {
					kept = 1
				}
			}
			some += kept
			want = one(d)
		}
		if difference := want.differs(w.expect(a)); difference != "" {
			t.Errorf("%s: %s", w.name, difference)
		}
	}
	if some < 9 {
		t.Errorf("%d queries keep rows", some)
	}
}

// Every column of a workload comes from somewhere.
func TestColumnsHaveDistributions(t *testing.T) {
	for _, w := range workloads() {
		for _, c := range w.columns {
			if _, ok := distributions[c.from]; !ok {
				t.Errorf("%s: no distribution %q", w.name, c.from)
			}
		}
	}
}
