//go:build !unix

package worker

import "os"

// TakeStdout returns this process's standard output for [Serve]. What Go code
// writes there from now on goes to standard error.
func TakeStdout() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
