// Package opencl drives OpenCL devices for the worker program kgen-opencl. With
// the build tag opencl it links libOpenCL by cgo; without it the package is
// empty, so that everything else builds without cgo.
//
// A kernel is called with the arguments
//
//	row0, rows, ARGUMENTS OF THE PLAN'S VARIANT, [__local POINTER]
//
// where row0 and rows are long or int, as the text declares them. Buffers are
// __global pointers. A scalar is passed as the bytes that it has in a column,
// so a bool is a uchar, a date an int and a char8 a ulong; an expression is a
// long. The last argument is passed if the text declares one more than the plan
// gives, and has the variant's localBytes.
//
// Programs are built with -cl-std=CL1.2, correctly rounded f32 division if the
// driver offers it, the options of the request, and -DNAME=VALUE for each of
// the variant's spec: a text with several kernels is built once for each set of
// values, and must compile without the constants of another kernel.
package opencl
