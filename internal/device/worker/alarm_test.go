package worker

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An alarm rings for the call that is late, not for one that ended or began since its timer
// was started.
func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a alarm
		var rings atomic.Int64
		ring := func(again time.Duration) func() time.Duration {
			return func() time.Duration {
				rings.Add(1)
				return again
			}
		}
		expect := func(after time.Duration, want int64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := rings.Swap(0); got != want {
				t.Errorf("it rang %d times, not %d", got, want)
			}
		}
		a.begin(10*time.Second, ring(0))
		expect(9*time.Second, 0)
		a.end()
		a.begin(10*time.Second, ring(0)) // the timer fires a second from now
		expect(9*time.Second, 0)
		expect(2*time.Second, 1)
		expect(time.Minute, 0) // once
		a.end()
		a.begin(10*time.Second, ring(0))
		a.end()
		a.begin(time.Second, ring(3*time.Second)) // earlier than the timer
		expect(1500*time.Millisecond, 1)
		expect(6*time.Second, 2)
		a.end()
		expect(time.Minute, 0)
		a.begin(time.Second, ring(0))
		a.stop()
		expect(time.Minute, 0)
		a.begin(time.Second, ring(0))
		expect(2*time.Second, 1)
		a.stop()
	})
}
