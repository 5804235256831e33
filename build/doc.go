// Package build is for programs that define pipelines in Go and emit code for
// them, as the command kgen emit does. Such a program makes pipelines with
// [ir.Builder] and ends with [Main]:
//
//	b := ir.NewBuilder("revenue")
//	price := build.Column[float64](b, "price", "n")
//	discount := build.Column[float64](b, "discount", "n")
//	hit := b.Let("hit", discount.Ge(build.Optional[float64](b, "least", 0.05)))
//	b.Return(b.Sum(price.At(hit)).As("revenue"))
//	build.Main(b)
//
// It runs by a line in a file of the package that it generates:
//
//	//go:generate go run gen.go --package tpch -o .
//
// [Column], [Scalar], [Optional] and [Cast] take element types as Go types. The
// rest of the package is shared with kgen emit: the flags ([Flags]), the table of
// backends ([Emitters]) and the value of the flag --schedule ([ParseSchedule]).
//
// Errors of pipelines name the line of the program that made the call. A
// [UsageError] is an error of the command line. docs/builder.md is a guide.
package build
