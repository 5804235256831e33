package worker

import (
	"path/filepath"
	"testing"
	"time"
)

func TestTurns(t *testing.T) {
	t.Setenv(TurnsVariable, filepath.Join(t.TempDir(), "turns"))
	end, err := turn()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan func())
	go func() {
		next, err := turn()
		if err != nil {
			t.Error(err)
		}
		second <- next
	}()
	select {
	case <-second:
		t.Fatal("two turns at once")
	case <-time.After(50 * time.Millisecond):
	}
	end()
	(<-second)()
}
