package support

//lint:file-ignore U1000 Traced pipelines use it.

import "time"

// WithTrace makes a pipeline tell how long its steps took: "allocate" for
// memory, and the name of each kernel. Pages of new memory are paid for by the
// kernel that first writes to them.
func WithTrace(tell func(step string, elapsed time.Duration)) Option {
	return Option{trace: tell}
}

// kgenTrace measures the steps of one call.
type kgenTrace struct {
	tell  func(step string, elapsed time.Duration) // nil: nobody asks
	begun time.Time
}

func kgenStartTrace(c *kgenCall) *kgenTrace { return &kgenTrace{c.trace, time.Now()} }

// end tells how long the step took that ends here; the next one begins.
func (t *kgenTrace) end(step string) {
	if t.tell == nil {
		return
	}
	now := time.Now()
	t.tell(step, now.Sub(t.begun))
	t.begun = now
}
