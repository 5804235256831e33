// Package plan is the host program of a pipeline as pure data: which buffers
// to allocate, which kernels to launch over which rows, what to read back and
// how to go on from there.
//
// A [Plan] is produced by package fuse, turned into the body of a Go function
// by backends/gocpu, and interpreted over a device by package exec. Its JSON
// form is its syntax; docs/plan.md is the reference. Things refer to each
// other by name, so that a plan can be read and written by hand.
package plan
