// Package difftest is the differential tester behind kgen difftest: it runs
// programs over data on several devices and at several levels of fusion, and
// compares each with the interpreter by what the language promises (package
// testsuite). A difference is shrunk and can be kept as a file that repeats it.
//
// Programs come from files or from package random. Everything random follows from
// a seed and the numbers of a program and a run. So a case P.R names the same
// program and data on every machine, independently of all other runs.
//
// A new kind of device implements [Device].
package difftest
