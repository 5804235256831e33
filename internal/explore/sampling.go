package explore

import (
	"context"
	"time"
)

// The time that the samples of a turn are to take, if all turns have that, and the most of them.
const (
	turnTime   = 100 * time.Millisecond
	turnRepeat = 200
)

// sample measures a configuration for a turn: long enough that most of the time
// is that of samples.
func (e *explorer) sample(ctx context.Context, data Data, r *running, limits Limits) {
	want := min(max(turnTime, r.overhead), e.Time)
	repeat := int(want / time.Duration(max(r.Median, 1)))
	out := e.run(ctx, data, r, min(max(repeat, 1), turnRepeat))
	if out == nil {
		return
	}
	r.Samples = append(r.Samples, out.Samples...)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.Samples = append(k.Samples, out.Launches[k.Name]...)
	}
	r.summarize()
	r.enough = r.spent >= limits.Time || len(r.Samples) >= limits.Least && r.Width() <= limits.Width
}

// Configurations are measured for longer, up to mostTimes as long, while the least times of one and its
// control are farther apart than settledWithin, or both are worse than a goodChoice: that may be chance.
const (
	settledWithin = 0.04
	mostTimes     = 4
	contends      = 1.5 // times the fastest: others are not measured for longer
)

// unsettled reports whether a configuration and its control are apart, or others are faster than both.
func unsettled(all []*running) bool {
	for _, control := range all {
		if !control.Control || len(control.Samples) == 0 {
			continue
		}
		c := control.Configuration
		c.Control = false
		both, fastest := control.least(), control.least()
		for _, r := range all {
			switch {
			case len(r.Samples) == 0 || r.Device != c.Device:
			case r.Configuration == c:
				if apart(r.least(), control.least()) > settledWithin {
					return true
				}
				both = min(both, r.least())
			default:
				fastest = min(fastest, r.least())
			}
		}
		if both > (1+goodChoice)*fastest {
			return true
		}
	}
	return false
}

// contenders are the configurations of which one may yet turn out to be the fastest of its device, and
// controls with what they control.
func contenders(all []*running) (list []*running) {
	for _, r := range all {
		fastest := r.least()
		for _, other := range all {
			if len(other.Samples) > 0 && other.Device == r.Device {
				fastest = min(fastest, other.least())
			}
		}
		if r.Level == automatic && r.Schedule == "" || r.least() <= contends*fastest {
			list = append(list, r)
		}
	}
	return list
}

// apart is how much longer the longer of two times is, as a fraction.
func apart(a, b float64) float64 { return max(a, b)/min(a, b) - 1 }
