package main

// text are bugs in the printing of expressions.
var text = []Mutant{
	{Name: "shifts in Go are not taken modulo the width", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old: "jen.Lit(int(width - 1))",
		New: "jen.Lit(int(2*width - 1))"},
	{Name: "least of Go is greatest", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old: `return helper("min", left.code, right.code)`,
		New: `return helper("max", left.code, right.code)`},
	{Name: "operands of && bind as of ||", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old: `ir.OpLogicalAnd: {"&&", 2}, ir.OpLogicalOr: {"||", 1},`,
		New: `ir.OpLogicalAnd: {"&&", 1}, ir.OpLogicalOr: {"||", 1},`},
	{Name: "a - (b - c) loses its brackets", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old: `right.within(o.precedence + 1)), o.precedence}
}

// operands`,
		New: `right.within(o.precedence)), o.precedence}
}

// operands`},
	{Name: "limits of i8 for all", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old:      "bits := fmt.Sprint(k.Size() * 8)",
		New:      "bits := fmt.Sprint(min(k.Size()*8, 32))",
		Programs: "casts"},
	{Name: "products are not rounded", File: "backends/gocpu/print_expr.go", Device: "gocpu",
		Old:        "if x.Op == ir.OpMul && x.Type().Kind.IsFloat() {",
		New:        "if x.Op == ir.OpMul && x.Type().Kind == ir.Char8 {",
		Equivalent: "on amd64 Go fuses no product with a sum; on arm64 it does, and this shows"},
	{Name: "shifts in C are not taken modulo the width", File: "internal/ctext/arithmetic.go", Device: "cudaemu",
		Old:      "mask := x.Type().Kind.Size()*8 - 1",
		New:      "mask := x.Type().Kind.Size()*16 - 1",
		Programs: "bit_operations"},
	{Name: "64 bits are computed in 32", File: "internal/ctext/arithmetic.go", Device: "cudaemu",
		Old: `if t.Kind.Size() == 8 {
		work = ir.U64`,
		New: `if t.Kind.Size() == 16 {
		work = ir.U64`,
		Programs: "signed_widths"},
	{Name: "no barrier in CUDA", File: "backends/cuda/dialect.go", Device: "cudaemu:check",
		Old:      `return "__syncthreads();"`,
		New:      `return ";"`,
		Programs: "prefix_scans"},
	{Name: "OpenCL C has no barriers", File: "backends/opencl/dialect.go", Device: "oclgrind",
		Old: `return "barrier(CLK_LOCAL_MEM_FENCE);"`,
		New: `return ";"`},
	{Name: "no tail guard of rows in OpenCL C", File: "internal/simt/rows.go", Device: "oclgrind",
		Old: "e.b.If(loop.Lt(at, e.count), body, nil)",
		New: "e.b.If(loop.Le(at, e.count), body, nil)"},
}
