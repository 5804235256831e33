package device

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var a Ahead[int]
	var calls atomic.Int64
	refused := errors.New("refused")
	compile := func(i int) func() (int, error) {
		return func() (int, error) {
			calls.Add(1)
			if i == 7 {
				return 0, refused
			}
			return i * i, nil
		}
	}
	const count = 100
	for range 2 {
		for i := range count {
			a.Begin(fmt.Sprint(i), compile(i))
		}
	}
	for i := count - 1; i >= 0; i-- {
		got, err := a.Result(fmt.Sprint(i), compile(i))
		if want := i * i; i == 7 && err != refused || i != 7 && (got != want || err != nil) {
			t.Errorf("%d: %d, %v", i, got, err)
		}
	}
	if n := calls.Load(); n != count {
		t.Errorf("%d compilations of %d texts", n, count)
	}
	if _, err := a.Result("7", compile(3)); err != nil || calls.Load() != count+1 {
		t.Error("a result is kept")
	}
}

// Who asks for what no thread has taken compiles it; nobody waits for a thread that is busy.
func TestAheadIsNotWaitedFor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one thread
	var a Ahead[string]
	begun, hold := make(chan bool), make(chan bool)
	a.Begin("slow", func() (string, error) { begun <- true; <-hold; return "slow", nil })
	<-begun
	a.Begin("next", func() (string, error) { t.Error("compiled by a thread"); return "", nil })
	next := make(chan string, 1)
	go func() {
		got, _ := a.Result("next", func() (string, error) { return "mine", nil })
		next <- got
	}()
	select {
	case got := <-next:
		if got != "mine" {
			t.Errorf("got %q", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("who needs a text waits for the thread that is busy with another one")
	}
	close(hold)
	if got, _ := a.Result("slow", func() (string, error) { t.Error("compiled again"); return "", nil }); got != "slow" {
		t.Errorf("got %q", got)
	}
}

func TestAheadWithOneThread(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var a Ahead[int]
	a.Begin("x", func() (int, error) { t.Error("compiled by a thread"); return 0, nil })
	if got, err := a.Result("x", func() (int, error) { return 5, nil }); got != 5 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}
