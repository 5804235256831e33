package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A call is guarded from when it is said to last on: its context may have ended before.
func TestGuard(t *testing.T) {
	const grace, limit = 2 * time.Second, 10 * time.Second
	for _, test := range []struct {
		name         string
		ended        time.Duration // when the context ends
		lasts        time.Duration
		begins       bool
		killed, late bool
	}{
		{"short", time.Hour, 0, false, false, false}, {"within its limit", time.Hour, 9 * time.Second, true, false, false},
		{"late", time.Hour, 11 * time.Second, true, true, true}, {"within grace", time.Second, 2900 * time.Millisecond, true, false, false},
		{"beyond grace", time.Second, 3100 * time.Millisecond, true, true, false}, {"ended before it began", 0, 2100 * time.Millisecond, true, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var g guard
			defer g.stop()
			for range 2 { // the second call as the first
				ctx, cancel := context.WithCancel(t.Context())
				if test.ended == 0 {
					cancel()
				}
				stop := time.AfterFunc(test.ended, cancel)
				kills := 0
				g.ready(ctx, grace, limit, func() { kills++ })
				if test.begins {
					g.begin()
					g.begin()
				}
				time.Sleep(test.lasts)
				synctest.Wait()
				if killed, late := g.end(); killed != test.killed || late != test.late || kills > 1 || (kills > 0) != killed {
					t.Errorf("%s: killed %v, late %v, %d times", test.name, killed, late, kills)
				}
				stop.Stop()
				cancel()
			}
		})
	}
}

// The context of a call that has ended does not end the next one.
func TestGuardOfEndedCall(t *testing.T) {
	var g guard
	defer g.stop()
	killed := make(chan bool, 1)
	ctx, cancel := context.WithCancel(t.Context())
	g.ready(ctx, 0, time.Hour, func() { killed <- true })
	g.begin()
	g.mutex.Lock() // the end of the context is noticed, but not at once
	cancel()
	time.Sleep(10 * time.Millisecond)
	g.calls++
	g.ready(t.Context(), 0, time.Hour, func() { killed <- true })
	g.mutex.Unlock()
	g.begin()
	select {
	case <-killed:
		t.Error("the next call is killed")
	case <-time.After(50 * time.Millisecond):
	}
	g.end()
}
