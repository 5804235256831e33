//go:build linux

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupt keeps what has been measured, in both files, and --resume goes on.
func TestInterruptedExplore(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled})
	explore := []string{"explore", "doubled.kg", "--levels", "none,auto", "--json", "o.jsonl", "--out", "o.html"}
	var rows []string
	for n := range 500 { // takes minutes
		rows = append(rows, strconv.Itoa(1000+n))
	}
	p := command(t, append(explore, "--rows", strings.Join(rows, ","))...).start()
	waitFor(t, "the copy has been measured", func() bool {
		text, err := os.ReadFile("o.jsonl.part")
		return err == nil && strings.Contains(string(text), `{"copy":`)
	})
	time.Sleep(time.Second) // so that there are samples; without, the same holds
	p.signal(syscall.SIGINT)
	p.expect("o.jsonl has what was measured; --resume goes on", "kgen: interrupted")
	if names := list(t, "."); strings.Join(names, " ") != "doubled.kg o.html o.jsonl" {
		t.Errorf("%v", names)
	}
	p = command(t, append(explore, "--rows", "1000,1001", "--quick", "--resume", "--text")...)
	var out strings.Builder
	p.Stdout = &out
	if code := p.start().finish(); code != exitOK || !strings.Contains(out.String(), " agree with the interpreter, 0 differ or fail, 0 refused") {
		t.Errorf("exit %d: %s%s", code, out.String(), p.stderr.String())
	}
}
