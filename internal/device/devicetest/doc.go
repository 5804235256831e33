// Package devicetest tests drivers through their worker program: plans written
// by hand give the right results, and injected faults end in the right errors.
// A driver's tests supply the kernels in its language.
package devicetest
