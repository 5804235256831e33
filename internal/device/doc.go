// Package device is code that all drivers share, independently of their
// interface to a device: a pool of buffers, the queued commands, the compiled
// kernels, and the constants that a text is compiled with.
package device
