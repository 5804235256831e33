// Package kerneltest runs pipelines of the corpus as kernels, for the tests of every
// device and dialect that has some: it chooses levels and schedules, emits, and
// compares the results with those of the interpreter.
package kerneltest
