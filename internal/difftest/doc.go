// Package difftest is the differential tester behind kgen difftest: it runs
// programs over data on several devices and at several levels of fusion, and
// compares each with the interpreter by what the language promises (package
// testsuite). What differs is shrunk and can be kept as a file that repeats it.
//
// Programs are those of files or of package random. All that chance decides
// follows from a seed and the numbers of a program and a run, so that P.R, a
// case, names the same program and data on every machine, whatever else is run
// beside it.
//
// A [Device] is all that a new kind of device has to implement.
package difftest
