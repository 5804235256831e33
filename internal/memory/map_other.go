//go:build !linux

package memory

import "errors"

// Map is never called: no memory has a path on these systems.
func Map(string, int64, bool) (data []byte, release func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
