package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	if p := newProgress(&out, "x", "rows"); p != nil {
		t.Error("a line where there is no terminal")
	}
	var none *progress
	none.report(1, 2)
	none.end()

	p := &progress{out: &out, what: "lineitem.parquet", unit: "rows"}
	p.report(0, 0) // nothing is known yet
	p.report(10, 100)
	time.Sleep(progressInterval) // the line changes no faster
	var reporting sync.WaitGroup
	for i := range int64(4) {
		reporting.Go(func() { p.report(25*(i+1), 100) })
	}
	reporting.Wait()
	p.report(139, 100) // more than expected
	time.Sleep(progressInterval)
	p.report(140, 141)
	time.Sleep(progressInterval)
	p.report(140, 141)
	if text := out.String(); !strings.Contains(text, "lineitem.parquet 10 of 100 rows") || !strings.Contains(text, "140 of 141 rows") {
		t.Errorf("the line is %q", text)
	}
	p.end()
	if text := out.String(); !strings.HasSuffix(text, clearLine) {
		t.Errorf("not removed: %q", text)
	}
	length := out.Len()
	p.report(150, 200)
	if out.Len() != length {
		t.Errorf("shown again after its end: %q", out.String()[length:])
	}
}

func TestDescribeProgress(t *testing.T) {
	for _, c := range []struct {
		unit               string
		first, done, total int64
		elapsed            time.Duration
		want               string
	}{
		{inBytes, 0, 12_300_000, 51_700_000, 100 * time.Millisecond, "12.3 of 51.7 MB"},
		{inBytes, 300_000, 12_300_000, 51_700_000, time.Second, "12.3 of 51.7 MB, 12 MB/s, 4 s left"},
		{inBytes, 0, 999, 1000, time.Second, "1.0 of 1.0 kB, 999 B/s, 1 s left"},
		{inBytes, 0, 5e9, 2e12, time.Second, "0.0 of 2.0 TB, 5.0 GB/s, 6 min 39 s left"},
		{inBytes, 0, 417, 417, 0, "417 of 417 B"},
		{"rows", 0, 1_200_000, 6_001_215, 2 * time.Second, "1,200,000 of 6,001,215 rows, 600,000 rows/s, 9 s left"},
		{"rows", 0, 1 << 40, 1 << 62, time.Second, "1,099,511,627,776 of 4,611,686,018,427,387,904 rows, 1,099,511,627,776 rows/s, 1,165 h 5 min left"},
		{"inputs", 1, 1, 300, time.Hour, "1 of 300 inputs"}, // no speed is known
		{"inputs", 0, 1, 300, time.Hour, "1 of 300 inputs"}, // less than one a second
	} {
		if got := describeProgress(c.unit, c.first, c.done, c.total, c.elapsed); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestWaiting(t *testing.T) {
	var out bytes.Buffer
	if w := newWaiting(&out); w != nil {
		t.Error("a line where there is no terminal")
	}
	var none *waiting
	none.on("x")
	none.end()
}
