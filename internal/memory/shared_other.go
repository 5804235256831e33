//go:build !linux

package memory

import "errors"

// sharedFile does not exist here: all memory is ordinary.
type sharedFile struct{}

func newShared(_, _ int64) (*sharedFile, []byte, error) { return nil, nil, errors.ErrUnsupported }

func (*sharedFile) path() string                 { return "" }
func (*sharedFile) resize(int64) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*sharedFile) settle()                      {}
func (*sharedFile) close()                       {}
