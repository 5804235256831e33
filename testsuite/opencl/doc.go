// Package opencl tests the OpenCL C that kgen emits for the corpus, without a device: what clang says of it, and
// what kernels with PTX declare.
package opencl
