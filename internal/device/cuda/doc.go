// Package cuda drives CUDA devices for the worker program kgen-cuda. With the
// build tag cuda it links libcuda by cgo; without it the package is empty, so
// that everything else builds without cgo.
//
// A kernel is called with the arguments
//
//	row0, rows, ARGUMENTS OF THE PLAN'S VARIANT
//
// where row0 and rows are long long. Buffers are pointers. A scalar is passed
// as the bytes that it has in a column, so a bool is an unsigned char, a date an
// int and a char8 an unsigned long long; an expression is a long long. A variant
// with localBytes is launched with as much dynamic shared memory.
//
// Texts are compiled by NVRTC, which is loaded at run time (libnvrtc of CUDA 11
// to 13, or the file that KGEN_NVRTC names), for the device's architecture, with
// the options of the request and -DNAME=VALUE for each of the variant's spec:
// a text with several kernels is compiled once for each set of values. The cache
// keeps the code, and PTX for other devices and for machines without NVRTC.
package cuda
