//go:build linux

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kgen-go/kgen/internal/tune"
)

// An interrupt keeps what has been measured, and --resume goes on.
func TestInterruptedTune(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled})
	var rows []string
	for n := range 500 { // takes minutes
		rows = append(rows, strconv.Itoa(1000+n))
	}
	p := command(t, "tune", "doubled.kg", "--measure", "20ms", "--out", "t.json", "--rows", strings.Join(rows, ",")).start()
	waitFor(t, "something has been tuned", func() bool {
		_, err := os.Stat("t.json")
		return err == nil
	})
	p.signal(syscall.SIGINT)
	p.expect("t.json has what was measured; --resume goes on", "kgen: interrupted")
	f, err := tune.Read("t.json")
	if err != nil || len(f.Entries) == 0 || f.Entries[0].Best() == nil || !f.Entries[0].Searches[0].Whole {
		t.Fatalf("%+v, %v", f, err)
	}
	before := f.Entries[0].Default.Samples
	if code := command(t, "tune", "doubled.kg", "--measure", "20ms", "--out", "t.json", "--rows", "1000", "--resume").start().finish(); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	if f, err = tune.Read("t.json"); err != nil || len(f.Entries[0].Default.Samples) != len(before) || f.Entries[0].Default.Samples[0] != before[0] {
		t.Errorf("what was measured was measured again: %v", err)
	}
}
