//go:build !unix

package harness

import (
	"fmt"
	"io"
	"os"
)

// mapFile reads the first size bytes of a file, where the standard library
// maps none.
func mapFile(name string, size int64) (data []byte, release func(), err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data = AlignedBytes(size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, func() {}, nil
}
