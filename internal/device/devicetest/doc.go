// Package devicetest tests drivers of devices through their worker: that plans
// written by hand give the right results, and what bad luck comes to. A backend
// gives the kernels in its language.
package devicetest
