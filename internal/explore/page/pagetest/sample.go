// Package pagetest makes a page whose numbers are invented, for tests: several
// devices, levels, settings and sizes, and one of every kind of result.
package pagetest

import (
	"fmt"
	"math"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/page"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Source is the pipeline of the sample. Its text tries to leave the page's script.
const Source = `// Orders & "lines" </script><b>bold</b>
pipeline orders(l_orderkey: [n]i64, l_quantity: [n]i64) {
	g = runs(l_orderkey)
	return key: first(l_orderkey, by: g), count: count(by: g), quantity: sum(l_quantity, by: g)
}
`

// Sample returns the page. The configuration of opencl:0 at level paper2 with 64 x 4
// differs, that with 256 x 16 is refused.
func Sample() (*page.Page, error) {
	const argument = "orders.kg"
	pipelines, errs := ir.Load(argument, []byte(Source))
	if err := errs.Err(); err != nil {
		return nil, err
	}
	source := &build.Source{Text: []byte(Source), Pipelines: pipelines}
	h := explore.NewHeader()
	h.Kgen, h.Machine, h.Reference, h.Begun = "v0", "linux/amd64, 2 cores", "the interpreter", time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	grid := explore.Grid{Pipelines: []string{argument}, Data: []string{"auto"}, Rows: []int64{1000, 100000, 4194304}, Devices: []string{"gocpu", "opencl:0"}, Levels: fuse.Levels,
		Sweeps: []explore.Sweep{{Key: "workgroup", Values: []string{"64", "128", "256"}}, {Key: "items", Values: []string{"4", "8", "16"}}}}
	grid.Title = "Levels and settings"
	sizes := grid
	sizes.Title, sizes.Levels, sizes.Devices, sizes.Sweeps = "One level by rows", []string{fuse.LevelNone, fuse.LevelOnePass}, []string{"gocpu"}, nil
	h.Grids = []explore.Grid{grid, sizes}
	p := &page.Page{Title: "Fusion of orders", Report: &explore.Report{Header: h, Devices: []explore.DeviceInfo{
		{Name: "gocpu", Detail: "emitted Go", Profile: "cores", Copy: 20}, {Name: "opencl:0", Detail: "a device with a long name that says what it has: progress.ticket progress.static", Profile: "cores", Copy: 30}}},
		Pipelines: []page.Pipeline{{Argument: argument, Name: "orders", Source: Source, File: argument}}}
	for _, level := range fuse.Levels {
		for device, backend := range map[string]string{"gocpu": "gocpu", "opencl:0": "opencl"} {
			_, program, err := build.Compile(source, pipelines[0], backend, level, plan.Schedule{})
			if err != nil {
				return nil, err
			}
			e, err := program.Explain()
			if err != nil {
				return nil, err
			}
			text := "// helpers\nint helper();\n"
			for _, k := range e.Kernels {
				text += fmt.Sprintf("\n// %s\nkernel void %[1]s(int n) {\n\tx = n < 1 && n > 2;\n}\n", k.Name)
			}
			p.Plans = append(p.Plans, page.Plan{Pipeline: argument, Device: device, Level: level, Explanation: e, Texts: []page.Text{{File: "orders.cl", Text: text}}})
		}
	}
	for _, c := range grid.Configurations(func(device string) bool { return device != "gocpu" }) {
		p.Report.Results = append(p.Report.Results, invent(c, p))
	}
	return p, nil
}

// invent returns a result with a time that depends on the configuration.
func invent(c explore.Configuration, p *page.Page) explore.Result {
	r := explore.Result{Configuration: c, Status: explore.Agrees}
	switch {
	case c.Device == "opencl:0" && c.Level == fuse.LevelPaper2 && c.Schedule == "workgroup=64,items=4":
		r.Status, r.Problem, r.Repeat = explore.Differs, "count[7] is 3, want 4", "kgen explore orders.kg --devices opencl:0 --levels paper2 --schedule workgroup=64,items=4"
		return r
	case c.Schedule == "workgroup=256,items=16":
		r.Status, r.Problem = explore.Refused, "workgroup=256,items=16: more local memory than the device has"
		return r
	}
	factor := 1.0
	fmt.Sscanf(c.Setting("items"), "%f", &factor)
	for _, plan := range p.Plans {
		if plan.Device != c.Device || plan.Level != c.Level {
			continue
		}
		e := plan.Explanation
		scale := float64(c.Rows) / fuse.AssumedRows
		for _, k := range e.Kernels {
			took := 2000 + k.Predicted*scale*(1+math.Abs(math.Log2(factor)-3))
			r.Kernels = append(r.Kernels, explore.KernelResult{Name: k.Name, Stages: k.Stages, Bytes: int64(float64(k.Bytes) * scale), Predicted: k.Predicted * scale, Median: took})
			r.Median += took
		}
		r.Bytes, r.Predicted = int64(float64(e.Total.Bytes)*scale), e.Total.Predicted*scale
		r.Low, r.High, r.Count, r.Known = 0.98*r.Median, 1.02*r.Median, 30, true
		for _, a := range e.Assumed {
			r.Lengths = append(r.Lengths, explore.Length{Domain: a.Domain, Rows: int64(float64(a.Rows) * scale), Measured: true})
		}
	}
	return r
}
