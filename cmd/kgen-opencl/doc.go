// Command kgen-opencl drives OpenCL devices for kgen, which starts it; it is
// the only program that links libOpenCL, with the build tag opencl and cgo:
//
//	CGO_ENABLED=1 go install -tags opencl ./cmd/kgen-opencl
//
// It is used as
//
//	kgen-opencl devices [--json]   list the devices and what is known of them
//	kgen-opencl serve              answer kgen on standard input and output
package main
