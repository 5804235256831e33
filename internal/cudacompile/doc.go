// Package cudacompile has CUDA C++ compiled where there is no GPU: by NVRTC,
// NVIDIA's own compiler as a library, which it loads at run time, and by clang.
//
// NVRTC is libnvrtc.so where KGEN_NVRTC says (a file), else by one of the names
// that the dynamic linker may know it by. .ci/run gets the one of Debian, 11.8,
// and Debian's clang-19 for the texts that need PTX 8.
package cudacompile

import (
	"bytes"
	"sync"
)

// Compiler is a compiler of CUDA C++.
type Compiler struct {
	Name      string
	CUDA      int  // the version up to whose PTX it makes, 11 as an example; 0 where it only reads
	Assembles bool // makes machine code of PTX
	// Check compiles a text for an architecture (compute_60 to PTX, sm_90 to machine
	// code); clang only reads what is for compute_60. Its error is the compiler's
	// log, which has a warning at least.
	Check func(source []byte, architecture string) error
}

// HasBulkCopies tells whether a text copies to shared memory beside the threads,
// which is of PTX 8, and so of CUDA 12 and compute capability 9.0.
func HasBulkCopies(source []byte) bool { return bytes.Contains(source, []byte("cp.async.bulk")) }

// Architecture returns the one for which a compiler sees most of a text. Code is
// that of the H200.
func (c *Compiler) Architecture(source []byte) string {
	bulk := HasBulkCopies(source)
	switch {
	case c.Assembles && (!bulk || c.CUDA >= 12):
		return "sm_90"
	case c.Assembles || bulk && c.CUDA >= 12:
		return "compute_90"
	}
	return "compute_60"
}

// Available returns the compilers of this machine, and why others are missing or
// do less than they could.
var Available = sync.OnceValues(func() (found []Compiler, missing []string) {
	for _, open := range []func() (*Compiler, error){nvrtc, clang} {
		c, err := open()
		if c != nil {
			found = append(found, *c)
		}
		if err != nil {
			missing = append(missing, err.Error())
		}
	}
	return found, missing
})
