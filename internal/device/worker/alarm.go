package worker

import (
	"sync"
	"time"
)

// alarm watches one call after the other. To start a timer for each would wake another thread
// each time; so the timer of an earlier call goes on, and when it fires looks how the present
// call stands.
type alarm struct {
	mutex sync.Mutex
	timer *time.Timer
	fires time.Time // when the timer does; zero if it does not
	due   time.Time // when a call is late; zero if there is none

	// late is called, at most until the call ends, which waits for it. It returns after which
	// time to call it again, or 0.
	late func() time.Duration
}

// begin starts a call, for which late is called after a time.
func (a *alarm) begin(after time.Duration, late func() time.Duration) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.due, a.late = time.Now().Add(after), late
	a.arm()
}

// end ends a call. The timer goes on.
func (a *alarm) end() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.due, a.late = time.Time{}, nil
}

// stop ends the timer, too.
func (a *alarm) stop() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.due, a.late, a.fires = time.Time{}, nil, time.Time{}
	if a.timer != nil {
		a.timer.Stop()
	}
}

// arm makes sure that the timer fires early enough.
func (a *alarm) arm() {
	if !a.fires.IsZero() && !a.fires.After(a.due) {
		return
	}
	a.fires = a.due
	if a.timer == nil {
		a.timer = time.AfterFunc(time.Until(a.due), a.fire)
	} else {
		a.timer.Reset(time.Until(a.due))
	}
}

func (a *alarm) fire() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.fires = time.Time{}
	if a.due.IsZero() {
		return
	}
	if !time.Now().Before(a.due) {
		again := a.late()
		if again == 0 {
			a.due, a.late = time.Time{}, nil
			return
		}
		a.due = time.Now().Add(again)
	}
	a.arm()
}
