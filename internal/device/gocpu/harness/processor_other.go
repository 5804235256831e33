//go:build !linux

package harness

import "time"

// processorTime is not known.
func processorTime() time.Duration { return 0 }
