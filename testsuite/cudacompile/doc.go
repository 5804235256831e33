// Package cudacompile has CUDA C++ compiled where there is no GPU: by NVRTC,
// NVIDIA's own compiler as a library, which it loads at run time, and by clang.
//
// NVRTC is libnvrtc.so where KGEN_NVRTC says (a file), else by one of the names
// that the dynamic linker may know it by. .ci/run gets the one of Debian.
package cudacompile

import "sync"

// Compiler is a compiler of CUDA C++.
type Compiler struct {
	Name string
	CUDA int // whose version it is of, 11 as an example; 0 where it makes no code
	// Check compiles a text for an architecture (compute_60, sm_90). Its error
	// is the compiler's log, which has a warning at least.
	Check func(source []byte, architecture string) error
}

// Available returns the compilers of this machine, and why others are missing.
var Available = sync.OnceValues(func() (found []Compiler, missing []string) {
	for _, open := range []func() (*Compiler, error){nvrtc, clang} {
		if c, err := open(); err != nil {
			missing = append(missing, err.Error())
		} else {
			found = append(found, *c)
		}
	}
	return found, missing
})
