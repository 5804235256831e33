// Package start ends a worker for CUDA devices, with the reason, where there is
// no device. It must be imported by the program that links gorgonia.org/cu: that
// package ends the process without a reason, but is initialised later, since Go
// initialises packages in the order of their paths.
package start
