//go:build !linux

package cudacompile

import "errors"

func nvrtc() (*Compiler, error) {
	return nil, errors.New("no NVRTC: it is looked for on Linux only")
}
