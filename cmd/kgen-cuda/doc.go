// Command kgen-cuda drives CUDA devices for kgen, which starts it; it is the
// only program that links libcuda, with the build tag cuda and cgo:
//
//	CGO_ENABLED=1 go install -tags cuda ./cmd/kgen-cuda
//
// It is used as
//
//	kgen-cuda devices [--json]   list the devices and what is known of them
//	kgen-cuda serve              answer kgen on standard input and output
package main
