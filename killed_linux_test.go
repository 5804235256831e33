package kgen_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kgen-go/kgen"
)

// children returns the processes that this one has started and that have not ended.
func children(t *testing.T) (numbers []int) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("this kernel does not list the children of a process")
	}
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if number, err := strconv.Atoi(field); err == nil {
				numbers = append(numbers, number)
			}
		}
	}
	return numbers
}

// TestKilledWorkers: whenever the process that drives a device ends, calls succeed or say that it
// has ended, before or after its start, or that a column is lost with it, and no result is wrong; the next call starts it
// anew.
func TestKilledWorkers(t *testing.T) {
	const callers, kills = 100, 20
	for _, name := range []string{"gocpu", "cudaemu", "opencl:0", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline p(x: [n]i64, k: i64) {\n\treturn y: x * k, s: sum(x)\n}\n")
			x := make([]int64, 20_000)
			var sum int64
			for i := range x {
				x[i] = int64(i)
				sum += x[i]
			}
			call := func(k int64) error {
				column, err := kgen.Upload(t.Context(), d, x)
				if err != nil {
					return err
				}
				defer column.Free()
				out, err := e.Run(t.Context(), kgen.Args{"x": column, "k": k}, kgen.KeepAll())
				if err != nil {
					return err
				}
				defer out.Free()
				got, err := kgen.Read[int64](t.Context(), out.Column("y"))
				if err != nil {
					return err
				}
				if s, err := kgen.Scalar[int64](out, "s"); err != nil || s != sum || len(got) != len(x) || got[777] != 777*k {
					t.Errorf("%d rows, sum %d, %v", len(got), s, err)
				}
				return nil
			}
			if err := call(1); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var over atomic.Bool
			var right, ended atomic.Int64
			for caller := range callers {
				all.Go(func() {
					for !over.Load() {
						var start *kgen.StartError
						var crash *kgen.CrashError
						var crashOfGo *kgen.GoCrashError
						var lost *kgen.ColumnError
						switch err := call(int64(caller)); {
						case err == nil:
							right.Add(1)
						case errors.As(err, &start) || errors.As(err, &crash) || errors.As(err, &crashOfGo) || errors.As(err, &lost):
							ended.Add(1)
						default:
							t.Errorf("caller %d: %v", caller, err)
							return
						}
					}
				})
			}
			killed := 0
			for limit := time.Now().Add(10 * time.Second); killed < kills && time.Now().Before(limit); {
				time.Sleep(time.Duration(rand.Int64N(int64(30 * time.Millisecond))))
				for _, number := range children(t) {
					if syscall.Kill(number, syscall.SIGKILL) == nil {
						killed++
					}
				}
			}
			over.Store(true)
			all.Wait()
			if right.Load() == 0 || killed > 0 && ended.Load() == 0 {
				t.Errorf("%d calls were right, and %d ended with one of %d processes", right.Load(), ended.Load(), killed)
			}
			if err := call(7); err != nil {
				t.Errorf("after the last process has ended: %v", err)
			}
			if used := d.Space().Used(); used != 0 {
				t.Errorf("%d bytes are still in use", used)
			}
			t.Logf("%d calls were right, %d ended with one of %d processes", right.Load(), ended.Load(), killed)
		})
	}
}
