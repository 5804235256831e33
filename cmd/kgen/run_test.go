package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// Two tables may not go to one place, however it is spelled.
func TestOutputsDiffer(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [a]i64, y: [b]i64) { return x, y }\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Chdir(folder)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"x.csv", "x.csv", true},
		{"x.csv", "./x.csv", true},
		{"x.csv", "sub/../x.csv", true},
		{"x.csv", filepath.Join(folder, "x.csv"), true},
		{"new/", "./new//", true},
		{".", "./", true}, // a folder that is there needs no / at its end
		{"-", "-", true},
		{"x.csv", "y.csv", false},
		{"x.csv", "sub/x.csv", false},
		{"new/", "newer/", false},
		{"-", "x.csv", false},
	} {
		_, err := parseOutputs(pipelines[0], []string{"a=" + c.a, "b=" + c.b})
		if same := err != nil && strings.Contains(err.Error(), "--out b="+c.b+": a already goes there"); same != c.same || same != (err != nil) {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
	}
}

func TestPrintTimes(t *testing.T) {
	var out bytes.Buffer
	if err := printTimes(&out, nil); err != nil || out.Len() > 0 {
		t.Error(err, out.String())
	}
	err := printTimes(&out, []time.Duration{3 * time.Millisecond, time.Millisecond, 1500 * time.Microsecond})
	if want := "fills and kernels again, 3 times: median 1.500 ms, least 1.000, most 3.000\n"; err != nil || out.String() != want {
		t.Error(err, out.String())
	}
}

// TestBytesThatJSONCannotHold: a char8 that is not UTF-8 is no other text, and
// neither a part of the results nor their files appear.
func TestBytesThatJSONCannotHold(t *testing.T) {
	writeFiles(t, map[string]string{
		"both.kg":  "pipeline both(x: [n]char8, y: [m]f64) { return same: x, zero: -y }\n",
		"data.csv": "x,y\na,0\n\xff,0\n",
	})
	run := func(args ...string) (int, string, string) {
		return execute("", append([]string{"run", "both.kg", "--device", "interp", "--in", "n=data.csv", "--in", "m=data.csv"}, args...)...)
	}
	const fault = `column "same", row 1: "\xff" is not UTF-8, and JSON is; .csv, .parquet and .npy hold any bytes` + "\n"
	for want, args := range map[string][]string{
		"--json: n: " + fault:       {"--json", "--out", "m=m.csv"},
		"writing n.jsonl: " + fault: {"--out", "n=n.jsonl", "--out", "m=m.csv"},
	} {
		if code, stdout, stderr := run(args...); code != exitFailed || stdout != "" || stderr != want {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		for _, name := range []string{"n.jsonl", "m.csv"} {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("%v: %s is there", args, name)
			}
		}
	}
	if code, stdout, stderr := run("--json", "--out", "n=n.csv"); code != exitOK || !strings.Contains(stdout, `"values":[-0.0,-0.0]`) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestShardRows: a run in shards has the results of one, on each device, and says what it cannot do.
func TestShardRows(t *testing.T) {
	writeFiles(t, map[string]string{
		"p.kg": "pipeline p(k: [n]text, x: [n]i64, y: [m]i32) {\n\tg = groups(k)\n\tr = runs(y)\n\treturn k: first(k, by: g), x: last(x, by: g), rises: count(x > prev(x, 1, 0)), y: first(y, by: r), mean: avg(100 / y, else: 0)\n}\n" +
			"pipeline star(x: [n]i64, id: [m]i32) { f = find(x * 2 + 2, in: i64(id))\n j = join(x, i64(id) - 3)\n return found: count(f >= 0), id: id[j.right], x: x[j.left], known: x[f >= 0], ids: count(by: groups(id)) }\n" +
			"pipeline pairs(x: [n]i64, id: [m]i32) { r = repeat(x)\n q = exscan(add, 1, by: r)\n j = join(x, i64(id) - 3)\n v = id[j.right]\n return number: q, run: scan(max, x[r] - q, by: r), most: max(q, by: r, else: -1), odd: count(by: r[q % 2 == 1]), partners: count(by: j.left), sum: sum(v, by: j.left), all: sum(q) }\n" +
			"pipeline kept(x: [n]i64) { m = x < 9 && prev(x, 1, 0) > 0\n return x: x[m], before: prev(x, 1, 0)[m], next: next(x, 2, 7), share: f64(count(m)) / f64(len(x)) }\n" +
			"pipeline q(k: [n]text, x: [n]i64, y: [m]i32) {\n\tg = groups(k)\n\tr = runs(y)\n\treturn k: first(k, by: g), x: last(x, by: g), y: count(by: r), mean: avg(100 / y, else: 0)\n}\n" +
			"pipeline s(x: [n]i64) { return y: scan(add, x) }\n",
		"n.csv":    "k,x\nb,1\na,2\nb,3\nc,1\na,9\n",
		"m.csv":    "y\n4\n4\n4\n5\n5\n4\n-1\n",
		"zero.csv": "y\n4\n1\n3\n0\n",
	})
	run := func(args ...string) (int, string, string) {
		return execute("", append([]string{"run", "--in", "n=n.csv", "--in", "m=m.csv"}, args...)...)
	}
	code, want, stderr := run("p.kg#q", "--device", "interp")
	if code != exitOK {
		t.Fatal(stderr)
	}
	for _, device := range []string{"interp", "vector", "gocpu"} {
		for _, rows := range []string{"1", "2", "5", "9223372036854775807"} {
			if code, got, stderr := run("p.kg#q", "--device", device, "--shard-rows", rows); code != exitOK || got != want {
				t.Errorf("%s, %s rows: exit code %d\n%s%s\nwant\n%s", device, rows, code, got, stderr, want)
			}
		}
	}
	if code, want, stderr = execute("", "run", "p.kg#kept", "--in", "n.csv", "--device", "interp"); code != exitOK {
		t.Fatal(stderr)
	}
	for _, rows := range []string{"1", "2", "3"} {
		if code, got, stderr := execute("", "run", "p.kg#kept", "--in", "n.csv", "--device", "vector", "--shard-rows", rows); code != exitOK || got != want {
			t.Errorf("kept, %s rows: exit code %d\n%s%s\nwant\n%s", rows, code, got, stderr, want)
		}
	}
	if code, want, stderr = execute("", "run", "p.kg#star", "--in", "n=n.csv", "--in", "m=m.csv", "--bind", "id=y", "--device", "interp"); code != exitOK {
		t.Fatal(stderr)
	}
	for _, rows := range []string{"n=1", "n=2", "n=9"} {
		if code, got, stderr := execute("", "run", "p.kg#star", "--in", "n=n.csv", "--in", "m=m.csv", "--bind", "id=y", "--device", "vector", "--shard-rows", rows); code != exitOK || got != want {
			t.Errorf("star, %s rows: exit code %d\n%s%s\nwant\n%s", rows, code, got, stderr, want)
		}
	}
	if code, want, stderr = execute("", "run", "p.kg#pairs", "--in", "n=n.csv", "--in", "m=m.csv", "--bind", "id=y", "--device", "interp"); code != exitOK {
		t.Fatal(stderr)
	}
	for _, rows := range []string{"n=1", "n=2", "n=9"} {
		if code, got, stderr := execute("", "run", "p.kg#pairs", "--in", "n=n.csv", "--in", "m=m.csv", "--bind", "id=y", "--device", "vector", "--shard-rows", rows); code != exitOK || got != want {
			t.Errorf("pairs, %s rows: exit code %d\n%s%s\nwant\n%s", rows, code, got, stderr, want)
		}
	}
	const both = "--in n=n.csv --in m=m.csv --shard-rows "
	for want, args := range map[string]string{
		"p.kg:4:65: no partials: prev reads rows of other shards, and there are the domains n and m": "p.kg#p " + both + "2",
		"no partials: scan runs over the rows of earlier shards":                                     "p.kg#s --in n.csv --shard-rows 2",
		"--shard-rows 0: write N or DOMAIN=N":                                                        "p.kg#q " + both + "0",
		"--shard-rows n=: write N or DOMAIN=N":                                                       "p.kg#q " + both + "n=",
		"z: no parameter of pipeline q is a column":                                                  "p.kg#q " + both + "z=4 --device vector",
		"find looks for rows among those of other":                                                   "p.kg#star " + both + "2 --bind id=y",
		"--shard-rows runs each shard once: leave out":                                               "p.kg#q " + both + "2 --repeat 2 --time --device cuda:0",
		"--tuned has settings for all rows at once":                                                  "p.kg#q " + both + "2 --tuned x.jsonl",
		"row 3 of domain m":                                                                          "p.kg#q --in n=n.csv --in m=zero.csv --shard-rows 2 --device vector",
	} {
		if code, stdout, stderr := execute("", append([]string{"run"}, strings.Fields(args)...)...); code == exitOK || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d\n%s%s\nwant %s", args, code, stdout, stderr, want)
		}
	}
}
