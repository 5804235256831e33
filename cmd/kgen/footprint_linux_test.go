package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/table"
)

// TestFootprint holds what kgen run and its child occupy together: at most 1.3
// times the columns and the results at their true length, and 200 MB. Memory
// that both map counts once (PSS). KGEN_TEST_SCALE makes the relation larger.
func TestFootprint(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a file of 6 million rows")
	}
	scale := 0.2 // docs/testing.md
	if os.Getenv("KGEN_TEST_ALL") != "" {
		scale = 1
	}
	if text := os.Getenv("KGEN_TEST_SCALE"); text != "" {
		var err error
		if scale, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile("../../examples/tpch/orders.kg")
	if err != nil {
		t.Fatal(err)
	}
	enter(t, map[string]string{"orders.kg": string(source)})
	if code, _, stderr := execute("", "data", "lineitem", "--scale", fmt.Sprint(scale), "--out", "lineitem.parquet"); code != exitOK {
		t.Fatal(stderr)
	}
	rows := rowsOf(t, "lineitem.parquet")
	for _, out := range []string{"orders.parquet", "orders.csv"} {
		p := command(t, "run", "orders.kg", "--in", "lineitem.parquet", "--out", out, "--fuse", "onepass").start()
		peak := int64(0)
		done := make(chan int)
		go func() { done <- p.finish() }()
		for code := -1; code < 0; {
			select {
			case code = <-done:
				if code != exitOK {
					t.Fatalf("exit code %d: %s", code, &p.stderr)
				}
			case <-time.After(2 * time.Millisecond):
				peak = max(peak, shareOf(p.Process.Pid))
			}
		}
		groups := int64(float64(rows) / 4) // an order has four lines on average
		columns := rows*16 + groups*24
		limit := columns*13/10 + 200<<20
		t.Logf("%s: %d rows, columns and results of %d MB, peak %d MB, limit %d MB", out, rows, columns>>20, peak>>20, limit>>20)
		if peak > limit {
			t.Errorf("%s: peak of %d bytes, at most %d are allowed", out, peak, limit)
		}
		if peak < columns/2 {
			t.Errorf("%s: a peak of %d bytes cannot be all of it", out, peak)
		}
	}
}

func rowsOf(t *testing.T, path string) int64 {
	rows, known, err := table.NewSource(t.Context(), nil).Rows(path)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	return rows
}

// shareOf adds up the proportional share of memory of a process and of its children.
func shareOf(pid int) int64 {
	total := int64(0)
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			total += kilobytes << 10
		}
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, thread := range threads {
		children, _ := os.ReadFile(thread)
		for child := range strings.FieldsSeq(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				total += shareOf(id)
			}
		}
	}
	return total
}
