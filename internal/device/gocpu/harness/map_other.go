//go:build !linux

package harness

import "errors"

// mapFile is never asked for: package memory shares nothing on these systems.
func mapFile(string, int64, bool) (data []byte, release func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
