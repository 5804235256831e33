// Package worker lets kgen use devices whose driver it must not link.
//
// A worker program, such as kgen-opencl, links the driver and calls [Serve]
// with it. kgen starts the program as a child process through a [Client] and
// sends it plans; the executor of internal/device/exec runs in the child. Columns
// are passed as memory that both sides map, small ones inside the messages.
// Results come back at their true lengths, in memory that the client has reserved
// for them.
//
// So a missing library, a crash of the driver or a kernel that never ends is
// an error of one call, never the end of kgen. The child ends at the end of its
// standard input, and so with its parent, however that ends.
package worker
