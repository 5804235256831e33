// Package device is what the drivers of devices share, whatever interface they
// drive them by: a pool of buffers, the commands that are under way, and the
// constants that a text is compiled with.
package device
