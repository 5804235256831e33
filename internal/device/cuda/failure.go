//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// notLost returns err or, if the device is lost, the failure that lost it.
func (s *session) notLost(what string, err error) error {
	if isLost(err) {
		return s.failure(what, err)
	}
	return err
}

// failure names the command that failed. A kernel that loses the device may be
// reported by any later call, so kernels are searched first.
func (s *session) failure(what string, err error) error {
	if !isLost(err) {
		return fmt.Errorf("%s: %w", what, described{err})
	}
	if err := s.finish(nil); err != nil {
		return err
	}
	return &worker.LostError{Err: fmt.Errorf("%s failed: %w; the device is opened anew", what, described{err})}
}

// mostNamed is how many kernels an error names beside the first.
const mostNamed = 5

// finish forgets all commands, which have ended, and returns the error of the
// first that failed, or err. If the device is lost, all of them have failed,
// and a kernel is the cause.
func (s *session) finish(err error) error {
	failed := s.commands.Finish()
	if failed == nil || !isLost(failed) {
		return cmp.Or(failed, err)
	}
	var which *shared.FailedError
	if errors.As(failed, &which) && len(which.Kernels) > 0 {
		failed = fmt.Errorf("%s failed: %w", which.Kernels[0], which.Err)
		if behind := which.Kernels[1:]; len(behind) > 0 {
			if len(behind) > mostNamed {
				behind = append(behind[:mostNamed:mostNamed], fmt.Sprintf("%d more", len(behind)-mostNamed))
			}
			failed = fmt.Errorf("%w (or one behind it: %s)", failed, strings.Join(behind, ", "))
		}
	}
	return &worker.LostError{Err: fmt.Errorf("%w; the device is opened anew", failed)}
}
