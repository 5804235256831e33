package kgen_test

import (
	"errors"
	"testing"

	"github.com/kgen-go/kgen"
)

// TestMemoryLimits: columns that are uploaded, that stay, and that a run takes and gives lie below the limit
// together, and freed ones make room.
func TestMemoryLimits(t *testing.T) {
	const rows = 100_000
	for _, name := range names {
		if name == "interp" { // which has no limit
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := open(t, name, kgen.MemoryLimit(2*8*rows+8*rows/2))
			e := on(t, d, "pipeline p(x: [n]i64) {\n\treturn y: x * 2\n}\n")
			refused := func(what string, err error) {
				t.Helper()
				var full *kgen.AllocError
				if !errors.As(err, &full) || full.Limit <= 0 {
					t.Errorf("%s: %v", what, err)
				}
			}
			_, err := kgen.Upload(t.Context(), d, make([]int64, 3*rows))
			refused("a column that is too long", err)
			if _, err = e.Run(t.Context(), kgen.Args{"x": make([]int64, 3*rows)}); err == nil {
				t.Error("a run over an argument that is too long succeeded")
			}
			refused("an argument that is too long", err)
			x, err := kgen.Upload(t.Context(), d, make([]int64, rows))
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.KeepAll())
			if err != nil {
				t.Fatal(err)
			}
			_, err = kgen.Upload(t.Context(), d, make([]int64, rows))
			refused("a third column", err)
			_, err = e.Run(t.Context(), kgen.Args{"x": x}, kgen.KeepAll())
			refused("a second result", err)
			out.Free()
			if out, err = e.Run(t.Context(), kgen.Args{"x": x}, kgen.KeepAll()); err != nil {
				t.Fatalf("in the place of the first result: %v", err)
			}
			out.Free()
			x.Free()
			if x, err = kgen.Upload(t.Context(), d, make([]int64, 2*rows)); err != nil {
				t.Fatalf("in the place of both: %v", err)
			}
			x.Free()
		})
	}
}

// Names that are not there, settings that nobody has and closed devices have errors with a type.
func TestErrorsHaveTypes(t *testing.T) {
	const one = "pipeline p(x: [n]i64) {\n\treturn y: x\n}\n"
	compiled := func(text, name string) error {
		_, err := kgen.Compile(text, name)
		return err
	}
	opened := func(name string, options ...kgen.DeviceOption) error {
		_, err := kgen.Open(t.Context(), name, options...)
		return err
	}
	d := open(t, "vector")
	p, err := kgen.Compile(one, "")
	if err != nil {
		t.Fatal(err)
	}
	over := func(s kgen.Setting) error {
		_, err := p.On(t.Context(), d, s)
		return err
	}
	for what, err := range map[string]error{
		"no pipeline": compiled("", ""), "another pipeline": compiled(one, "q"), "which pipeline": compiled(one+"pipeline q(x: [n]i64) {\n\treturn y: x\n}\n", ""),
		"no device": opened("gpu"), "no number": opened("cuda:x"), "a limit": opened("vector", kgen.MemoryLimit(-1)),
		"workers": over(kgen.Workers(-1)), "pieces": over(kgen.Over("n")), "a level": over(kgen.Level("fast")),
	} {
		var usage *kgen.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %T %v", what, err, err)
		}
	}
	e := on(t, d, one)
	d.Close()
	var closed *kgen.ClosedError
	if _, err := e.Run(t.Context(), kgen.Args{"x": []int64{1}}); !errors.As(err, &closed) || closed.Device != "vector" {
		t.Errorf("a run on a closed device: %v", err)
	}
	if _, err := p.On(t.Context(), d); !errors.As(err, &closed) {
		t.Errorf("a program on a closed device: %v", err)
	}
}
