//go:build !unix

package main

import "time"

// processorTime is not known.
func processorTime() time.Duration { return 0 }
