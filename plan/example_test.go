package plan_test

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// The plan of a pipeline that doubles a column.
const twice = `{
	"version": 1,
	"pipeline": "twice",
	"ports": [
		{"name": "x", "direction": "in", "kind": "i32", "domain": "n", "buffer": "x"},
		{"name": "y", "direction": "out", "kind": "i32", "domain": "n", "buffer": "y"}
	],
	"domains": [{"name": "n"}],
	"buffers": [
		{"name": "x", "kind": "i32", "role": "input"},
		{"name": "y", "kind": "i32", "length": {"len": "n"}, "role": "output"}
	],
	"kernels": [
		{
			"name": "twice",
			"variants": [
				{
					"schedule": {"workgroup": 256, "items": 4},
					"entry": "twice",
					"args": [{"name": "x", "buffer": "x"}, {"name": "y", "buffer": "y", "access": "write"}]
				}
			]
		}
	],
	"steps": [
		{"alloc": {"buffer": "y"}},
		{"launch": {"kernel": "twice", "rows": {"len": "n"}}},
		{"return": {}}
	]
}`

func Example() {
	p, err := plan.Decode([]byte(twice))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range p.Steps {
		fmt.Println(step.Kind())
	}
	fmt.Println(p.Kernels[0].Variants[0].Schedule.Rows(), "rows per work-group")
	fmt.Println(p.Footprint(map[string]int64{"n": 1000}, nil).Total(), "bytes")
	// Output:
	// alloc
	// launch
	// return
	// 1024 rows per work-group
	// 8000 bytes
}

func ExampleDecode_unknownField() {
	_, err := plan.Decode([]byte(`{
	"version": 1,
	"stpes": []
}`))
	fmt.Println(err)
	// Output: plan:3:2: /stpes: unknown object member name
}

func ExampleExpr_String() {
	grid := plan.CeilDiv(plan.Len("n"), plan.Mul(plan.Property("units"), plan.Const(1024)))
	fmt.Println(grid)
	// Output: ceildiv(len(n), (machine.units * 1024))
}

func ExampleValidate() {
	err := plan.Validate(&plan.Plan{Version: plan.Version, Pipeline: "p", Steps: []plan.Step{{Init: &plan.Init{Buffer: "y"}}}})
	fmt.Println(err)
	// Output:
	// plan: steps[0].init.buffer: there is no buffer "y"; there are none
	// plan: steps: there is a path through the steps without a return
}
