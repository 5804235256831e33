//go:build linux

package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func sum(program []byte) []byte { return fmt.Appendf(nil, "%x", sha256.Sum256(program)) }

// hangingGo puts a go command on PATH that hangs when it shall do work, with a
// process of its own, and puts both numbers into the file pids.
func hangingGo(t *testing.T, work, before string) {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pids := filepath.Join(folder, "pids")
	script(t, "go", fmt.Sprintf(`[ $1 = %s ] || { echo go1.23; exit; }
[ $1 != build ] || mkdir "${GOTMPDIR:-$TMPDIR}/go-build1" # as go does
%s
echo $$ >> %s
sh -c 'echo $$ >> %s; exec sleep 300'
`, work, before, pids, pids))
}

// TestInterruptInEachPhase: Ctrl-C and SIGTERM end kgen and all that it has
// started; the old output stays, and nothing else.
func TestInterruptInEachPhase(t *testing.T) {
	files := map[string]string{"doubled.kg": doubled, "both.kg": both, "data.csv": "x,y\n1,2\n", "out.csv": "old",
		"large.csv": "x,y\n" + strings.Repeat("1,2\n", 1<<17), "slow.kg": slowPipeline(),
		"far.kg": "pipeline far(x: [n]i64) {\n\treturn s: sum(index(repeat(x)) & 1)\n}\n", "far.csv": "x\n2000000000\n"}
	in := func(args ...string) []string {
		return append([]string{"run", "doubled.kg", "--out", "out.csv"}, args...)
	}
	for _, phase := range []struct {
		name string
		args []string
		// begin starts kgen, waits for the phase and returns the processes that kgen has started.
		begin func(t *testing.T, p *process) (processes []int)
	}{
		{"looking for go", in("--in", "data.csv"), func(t *testing.T, p *process) []int {
			hangingGo(t, "env", "")
			p.start()
			return waitForLines(t, "pids", 2)
		}},
		{"building", in("--in", "data.csv"), func(t *testing.T, p *process) []int {
			hangingGo(t, "build", "")
			p.under("KGEN_CACHE", t.TempDir())
			p.start()
			return waitForLines(t, "pids", 2)
		}},
		{"building by a go that does not listen", in("--in", "data.csv"), func(t *testing.T, p *process) []int {
			hangingGo(t, "build", "trap '' INT TERM")
			p.under("KGEN_CACHE", t.TempDir())
			p.start()
			return waitForLines(t, "pids", 2)
		}},
		{"opening a pipe to read", []string{"run", "both.kg", "--in", "n=first.csv", "--in", "m=pipe.csv", "--device", "interp"}, func(t *testing.T, p *process) []int {
			makePipe(t, "first.csv")
			makePipe(t, "pipe.csv")
			p.start()
			if err := os.WriteFile("first.csv", []byte("x\n1\n"), 0); err != nil { // waits for the reader
				t.Fatal(err)
			}
			waitFor(t, "first.csv has been read", func() bool { return !opened(p.Process.Pid, "first.csv") })
			return nil
		}},
		{"waiting for rows", in("--in", "pipe.csv", "--device", "interp"), func(t *testing.T, p *process) []int {
			makePipe(t, "pipe.csv")
			p.start()
			f, err := os.OpenFile("pipe.csv", os.O_WRONLY, 0) // waits for the reader
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return nil
		}},
		{"reading rows", in("--in", "-", "--device", "interp"), func(t *testing.T, p *process) []int {
			stdin, err := p.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			p.start()
			rows := strings.Repeat("1\n", 1<<20)
			io.WriteString(stdin, "x\n"+rows)
			go func() {
				for {
					if _, err := io.WriteString(stdin, rows); err != nil {
						return
					}
				}
			}()
			return nil
		}},
		{"interpreting", []string{"run", "slow.kg", "--in", "large.csv", "--out", "out.csv", "--device", "interp"}, func(t *testing.T, p *process) []int {
			p.startComputing()
			return nil
		}},
		{"computing in vectors", []string{"run", "far.kg", "--in", "far.csv", "--out", "out.csv", "--device", "vector"}, func(t *testing.T, p *process) []int {
			p.startComputing()
			return nil
		}},
		{"computing", in("--in", "data.csv"), func(t *testing.T, p *process) []int {
			cache := t.TempDir()
			t.Setenv("KGEN_CACHE", cache)
			if code, _, stderr := execute("", "run", "doubled.kg", "--in", "data.csv"); code != exitOK {
				t.Fatal(stderr)
			}
			plant(t, cache, "echo $$ >> pids\nexec sleep 300\n")
			p.start()
			return waitForLines(t, "pids", 1)
		}},
		{"opening a pipe to write", runBoth("n=out.csv", "m=pipe.csv"), func(t *testing.T, p *process) []int {
			makePipe(t, "pipe.csv")
			p.start()
			waitFor(t, "the first table is begun", func() bool { name, _ := temporaryOf("out.csv"); return name != "" })
			return nil
		}},
		{"writing to a pipe", runBoth("n=out.csv", "m=-"), func(t *testing.T, p *process) []int {
			stdout, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			p.start()
			if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			return nil
		}},
		{"printing", append(runBoth("n=out.csv"), "--json"), func(t *testing.T, p *process) []int {
			stdout, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			os.Remove("out.csv") // is complete by then
			p.start()
			if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			return nil
		}},
		{"generating CSV", []string{"data", "ints", "--rows", "1e12", "--out", "out.csv"}, func(t *testing.T, p *process) []int {
			p.start()
			waitFor(t, "rows are written", func() bool { _, size := temporaryOf("out.csv"); return size > 1<<20 })
			return nil
		}},
		{"generating Parquet", []string{"data", "ints", "--rows", "1e12", "--out", "out.parquet"}, func(t *testing.T, p *process) []int {
			p.start()
			waitFor(t, "rows are written", func() bool { _, size := temporaryOf("out.parquet"); return size > 1<<20 })
			return nil
		}},
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprintf("%s/%v", phase.name, s), func(t *testing.T) {
				enter(t, files)
				p := command(t, phase.args...)
				started := phase.begin(t, p)
				p.expectInterrupted(s)
				expectEnded(t, started)
				for _, helper := range []string{"pids", "first.csv", "pipe.csv"} {
					os.Remove(helper)
				}
				if phase.name == "printing" {
					os.WriteFile("out.csv", []byte("old"), 0o600)
				}
				expectSame(t, []string{"both.kg", "data.csv", "doubled.kg", "far.csv", "far.kg", "large.csv", "out.csv", "slow.kg"})
			})
		}
	}
}

// runBoth runs both.kg over large.csv.
func runBoth(out ...string) []string {
	args := []string{"run", "both.kg", "--in", "n=large.csv", "--in", "m=large.csv", "--device", "interp"}
	for _, o := range out {
		args = append(args, "--out", o)
	}
	return args
}

// opened reports whether a process has opened a file.
func opened(pid int, name string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return slices.ContainsFunc(links, func(link string) bool {
		target, _ := os.Readlink(link)
		return filepath.Base(target) == name
	})
}

// slowPipeline keeps the interpreter busy for a minute or so.
func slowPipeline() string {
	var text, sum strings.Builder
	text.WriteString("pipeline slow(x: [n]i64, y: [n]i64) {\n")
	for i := range 20 {
		fmt.Fprintf(&text, "\ts%d = 0", i)
		for j := range 400 {
			fmt.Fprintf(&text, " + min(x[order(y, x * %d)])", 400*i+j)
		}
		text.WriteString("\n")
		fmt.Fprintf(&sum, " + s%d", i)
	}
	return text.String() + "\treturn s: 0" + sum.String() + "\n}\n"
}

// startComputing starts kgen and waits until it has computed for .3 s more than
// it takes to start, which is long where it is built with the race detector.
func (p *process) startComputing() {
	p.t.Helper()
	idle := command(p.t, "version").start()
	if code := idle.finish(); code != exitOK {
		p.t.Fatalf("kgen version: exit code %d", code)
	}
	enough := int(2*idle.ProcessState.UserTime().Milliseconds()/10) + 30
	p.start()
	waitFor(p.t, "kgen computes", func() bool { return ticks(p.Process.Pid) > enough })
}

// ticks returns how long a process has computed, in hundredths of a second.
func ticks(pid int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 12 {
		return 0
	}
	n, _ := strconv.Atoi(fields[11])
	return n
}

// TestSecondSignal: who does not want to wait for the end of a build asks twice.
func TestSecondSignal(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
	hangingGo(t, "env", "trap '' INT")
	p := command(t, "run", "doubled.kg", "--in", "data.csv").start()
	started := waitForLines(t, "pids", 2)
	for _, pid := range started {
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.finish()
	}()
	waitFor(t, "kgen has ended", func() bool {
		p.Process.Signal(os.Interrupt)
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("%v; standard error: %s", p.ProcessState, p.stderr.String())
	}
}

// TestKillWhileWriting: what a killed kgen leaves is no half result, and goes
// with the next run.
func TestKillWhileWriting(t *testing.T) {
	for _, old := range []bool{false, true} {
		t.Run(fmt.Sprintf("over an old file %v", old), func(t *testing.T) {
			enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
			if old {
				if err := os.WriteFile("out.csv", []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := command(t, "data", "ints", "--rows", "1e12", "--out", "out.csv").start()
			waitFor(t, "rows are written", func() bool { _, size := temporaryOf("out.csv"); return size > 1<<20 })
			p.signal(os.Kill)
			p.finish()
			stale, size := temporaryOf("out.csv")
			if size < 0 {
				t.Error("the rows have gone somewhere else")
			}
			os.Truncate(stale, 1<<20)
			if text, err := os.ReadFile("out.csv"); old != (err == nil) || old && string(text) != "old" {
				t.Errorf("out.csv holds %.40q, %v", text, err)
			}
			if code, _, stderr := execute("", "run", "doubled.kg", "--in", "data.csv", "--out", "out.csv", "--device", "interp"); code != exitOK {
				t.Error(stderr)
			}
			if err := os.WriteFile("out.csv", []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			expectSame(t, []string{"data.csv", "doubled.kg", "out.csv"})
		})
	}
}

// TestReaderLeaves: nobody reads on, as behind | head -1. kgen ends without a
// word, and leaves nothing.
func TestReaderLeaves(t *testing.T) {
	for name, args := range map[string][]string{
		"a table": runBoth("n=other.csv", "m=-"),
		"JSON":    append(runBoth("n=other.csv"), "--json"),
		"data":    {"data", "ints", "--rows", "1e12", "--out", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			enter(t, map[string]string{"both.kg": both, "large.csv": "x,y\n" + strings.Repeat("1,2\n", 1<<17)})
			p := command(t, args...)
			stdout, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			p.start()
			if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			stdout.Close()
			if code := p.finish(); code != exitFailed || p.stderr.String() != "" {
				t.Errorf("%v; standard error: %s", p.ProcessState, p.stderr.String())
			}
			if name == "JSON" { // was complete before it was told
				os.Remove("other.csv")
			}
			expectSame(t, []string{"both.kg", "large.csv"})
		})
	}
}
