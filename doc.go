// Package kgen compiles pipelines at run time and runs them on a device, on which columns
// may stay from run to run.
//
// [Compile] verifies the text of a pipeline, [Open] opens a device by the name that kgen
// devices prints, and [Program.On] compiles the one for the other. [Executable.Run] takes
// slices, or columns of [Upload]; its results are in ordinary memory, or stay on the device
// ([Keep], [KeepAll]) as arguments of the next run, until [Column.Free]:
//
//	program, err := kgen.Compile(text, "")
//	device, err := kgen.Open(ctx, "cuda:0")
//	totals, err := program.On(ctx, device)
//	key, err := kgen.Upload(ctx, device, keys)
//	out, err := totals.Run(ctx, kgen.Args{"key": key, "value": values})
//	total, err := kgen.Read[int64](ctx, out.Column("total"))
//
// # Processes
//
// GPUs are driven by programs of their own, kgen-opencl and kgen-cuda, which kgen finds beside
// the running program, on PATH, or where KGEN_OPENCL_WORKER and KGEN_CUDA_WORKER say; device
// gocpu runs the Go that it emits as a child process, and needs the go command to build it. A
// process that dies fails the calls under way with a [CrashError] or [GoCrashError], and the
// next call starts it anew. Columns that a GPU's process held are gone then, and using one is
// a [ColumnError] that says why.
//
// # Contexts
//
// A call whose context ends returns its error. On a GPU the device finishes what it has begun,
// for at most a second, so that no other caller loses columns; after that its process is
// killed. The interpreter cannot be stopped: it goes on reading the slices of the call.
//
// docs/library.md is a guide.
package kgen
