// Package kgen compiles pipelines at run time and runs them on a device, on which columns
// may stay from run to run.
package kgen
