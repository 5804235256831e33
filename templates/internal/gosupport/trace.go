package support

//lint:file-ignore U1000 Only traced pipelines use it.

import "time"

// WithTrace makes a pipeline report how long its steps took: "allocate" for
// memory, and the name of each kernel. The first kernel that writes to new memory
// pays for the page faults.
func WithTrace(report func(step string, elapsed time.Duration)) Option {
	return Option{trace: report}
}

// kgenTrace measures the steps of one call.
type kgenTrace struct {
	report func(step string, elapsed time.Duration) // nil if the call is not traced
	begun  time.Time
}

func kgenStartTrace(c *kgenCall) *kgenTrace { return &kgenTrace{c.trace, time.Now()} }

// end reports the duration of the step that ends here, and begins the next step.
func (t *kgenTrace) end(step string) {
	if t.report == nil {
		return
	}
	now := time.Now()
	t.report(step, now.Sub(t.begun))
	t.begun = now
}
