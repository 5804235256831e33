package worker

import (
	"os"

	"github.com/gofrs/flock"
)

// TurnsVariable is the environment variable that names a file: workers that have it repeat work in turns, so
// that several processes share a device. Columns move, and compilers run, beside each other.
const TurnsVariable = "KGEN_TURNS"

// turn waits until no other worker repeats work, and returns what ends the turn.
func turn() (end func(), err error) {
	path := os.Getenv(TurnsVariable)
	if path == "" {
		return func() {}, nil
	}
	lock := flock.New(path)
	if err := lock.Lock(); err != nil {
		return nil, err
	}
	return func() { lock.Close() }, nil
}
