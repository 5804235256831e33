package fuse

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Kernels and buffers of decimals are those of the i64 that stand for them; ports have
// the decimals.
func TestDecimalsAreIntegers(t *testing.T) {
	for _, c := range []struct{ parameters, body, integers, same string }{
		{"p: [n]decimal(2), d: [n]decimal(2), z: decimal(2) = 0.07", "g = groups(d)\nreturn r: sum(p * (1 - d)), a: p[d > z], s: sum(p, by: g), k: first(d, by: g)",
			"p: [n]i64, d: [n]i64, z: i64 = 7", "g = groups(d)\nreturn r: sum(p * (100 - d)), a: p[d > z], s: sum(p, by: g), k: first(d, by: g)"},
		{"p: [n]decimal(2)", "return u: unscaled(p), s: scan(add, p), w: decimal(p, 4), i: i32(p), c: align(decimal(1.5, 1), to: p)",
			"p: [n]i64", "return u: p, s: scan(add, p), w: p * 100, i: i32(p / 100), c: align(15, to: p)"},
	} {
		for _, level := range Levels {
			p, q := program(t, graph(t, c.parameters, c.body), level), program(t, graph(t, c.integers, c.same), level)
			if len(p.Kernels) != len(q.Kernels) {
				t.Fatalf("level %s: %d kernels, and %d of integers", level, len(p.Kernels), len(q.Kernels))
			}
			for i, k := range p.Kernels {
				if got, want := tile.Analyze(k).String(), tile.Analyze(q.Kernels[i]).String(); got != want {
					t.Errorf("level %s: kernel\n%s\nof integers\n%s", level, got, want)
				}
			}
			if err := plan.Validate(p.Plan); err != nil {
				t.Error(err)
			}
			for _, b := range p.Plan.Buffers {
				if b.Kind.Stored() != b.Kind {
					t.Errorf("buffer %s is %s", b.Name, b.Kind)
				}
			}
		}
	}
}

func TestPortsOfDecimals(t *testing.T) {
	p := program(t, graph(t, "p: [n]decimal(2), z: decimal(1) = -0.5", "m = p > decimal(z, 2)\nreturn p, q: p[m] * p[m], z, c: decimal(0.25, 2), cents: unscaled(p), none: sum(p)"), LevelOnePass)
	want := map[string]plan.Kind{"p": "decimal(2)", "q": "decimal(4)", "z": "decimal(1)", "c": "decimal(2)", "cents": plan.I64, "none": "decimal(2)"}
	for _, port := range p.Plan.Ports {
		if port.Kind != want[port.Name] {
			t.Errorf("port %s is %s, want %s", port.Name, port.Kind, want[port.Name])
		}
		if port.Name == "z" && port.Direction == plan.In && port.Default != "-5" {
			t.Errorf("the default of z is %s, want -5", port.Default)
		}
	}
	if err := plan.Validate(p.Plan); err != nil {
		t.Error(err)
	}
}
