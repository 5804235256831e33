//go:build !linux

package memory

import "errors"

// sharedFile does not exist here: all memory is ordinary.
type sharedFile struct{}

func newShared(int64) (*sharedFile, []byte, error) { return nil, nil, errors.ErrUnsupported }

func (*sharedFile) path() string                         { return "" }
func (*sharedFile) resize([]byte, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*sharedFile) settle([]byte)                        {}
func (*sharedFile) close([]byte)                         {}
