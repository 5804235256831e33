package main

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDataUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"", "name a kind of data: lineitem, orders"},
		{"gold", "there is no kind of data gold; there are lineitem"},
		{"gold --out x.csv --rows 5", "there is no kind of data gold; there are lineitem"},
		{"--out x.csv", "name a kind of data: lineitem, orders"},
		{"ints --out x.csv --seed -1", `"--seed" flag: a whole number from 0 to 18446744073709551615 is needed`},
		{"lineitem --out x.csv --scale x", `"--scale" flag: a number is needed`},
		{"ints", "name the file to write: --out FILE"},
		{"ints x.csv", "takes no arguments, only flags, not also x.csv"},
		{"ints --out x.xyz", "--out x.xyz: unknown file format .xyz; known: .csv"},
		{"ints --out x.csv --rows 0", "at least 1 and at most 9223372036854775807"},
		{"ints --out x.csv --rows 1.5", "write a whole number, such as 1000000, 1_000_000 or 1e6"},
		{"ints --out x.csv --rows ten", "write a whole number"},
		{"ints --out x.csv --rows 1e19", "at least 1 and at most"},
		{"ints --out x.csv --rows 1e999999999", "write a whole number"},
		{"ints --out x.csv --s 2", "--s: only of --dist zipf"},
		{"ints --out x.csv --mean-run 2 --dist zipf", "--mean-run: only of --dist repeated"},
		{"ints --out x.csv --type int", "--type int: choose an integer type"},
		{"ints --out x.csv --type f32", "--type f32: choose an integer type"},
		{"ints --out x.csv --dist normal", "--dist normal: choose uniform"},
		{"ints --out x.csv --columns 65", "--columns: 65; there may be 1 to 64"},
		{"ints --out x.csv --columns 0", "--columns: 0; there may be 1 to 64"},
		{"ints --out x.csv --columns a,,b", `--columns: "" is empty or named twice`},
		{"ints --out x.csv --min 5 --max 4", "--max 4: from min, 5"},
		{"lineitem --out x.csv --scale 0", "--scale 0: more than 0 and at most 100000"},
		{"lineitem --out x.csv --rows 5", "unknown flag: --rows"},
		{"orders --out x.csv --scale NaN", "--scale NaN: more than 0"},
		{"wisconsin --out x.csv --size huge", "--size huge: choose small, numbers, standard, large"},
		{"wisconsin --out x.csv --rows 3e9", "--rows 3000000000: 1 to 2147483647 at size standard"},
		{"students --out x.csv --mean-run 1 --rows 3e9", "let mean-run be larger than 1"},
		{"cube --out x.csv --shape ball", "--shape ball: choose biker, machines"},
		{"cube --out x.csv --fill 2", "--fill 2: more than 0 and at most 1"},
		{"cube --out x.csv --fill 0.1 --rows 5", "--fill, --rows: give one of them"},
		{"cube --out x.csv --shape machines --rows 1e12", "1 to 226176000000"},
		{"cube --out x.csv --out-hierarchy x.csv", "--out-hierarchy x.csv: --out already goes there"},
		{"ssb --out x.csv --scale -1", "--scale -1: more than 0 and at most 100000"},
		{"cube --out x.csv --targets 0", "at least 1"},
		{"cube --out x.csv --out-ancestors y.csv --out-targets y.csv", "--out-targets y.csv: --out-ancestors already goes there"},
		{"cube --out x.csv --out-hierarchy x.xyz", "--out-hierarchy x.xyz: unknown file format"},
	} {
		code, stdout, stderr := execute("", append([]string{"data"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("kgen data %s: exit %d, %s%s\nwant %s", c.args, code, stdout, stderr, c.want)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestWholeNumber(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "1e8": "100000000", "1_000_000": "1000000", "1.5e3": "1500", "-7": "-7", "+1E+2": "100",
		"18446744073709551615": "18446744073709551615", "007": "7"} {
		var n wholeNumber
		if err := n.Set(text); err != nil || n.Int.String() != want {
			t.Errorf("%s is %v, %v", text, n.Int, err)
		}
	}
	for _, text := range []string{"", "_1", "1_", "1__0", "0x10", "1e", "1e-2", "1.", ".5e1", "1 000", "1e100", "NaN", strings.Repeat("9", 61)} {
		n := wholeNumber{big.NewInt(5)}
		if err := n.Set(text); err == nil {
			t.Errorf("%q is %v", text, n.Int)
		}
	}
}

// What is cancelled leaves no file, in no phase.
func TestDataCancelled(t *testing.T) {
	for _, args := range []string{
		"data ints --rows 1e13 --out x.csv",
		"data ints --rows 1e13 --sorted --out x.csv", // in its first pass
		"data lineitem --scale 90000 --out x.parquet",
		"data cube --rows 1e11 --out x.csv --out-hierarchy y.csv",
	} {
		t.Chdir(t.TempDir())
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // once there is a temporary file
			for entries, _ := os.ReadDir("."); len(entries) == 0 && ctx.Err() == nil; entries, _ = os.ReadDir(".") {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		root, _ := newRoot()
		root.SetArgs(strings.Fields(args))
		var stdout bytes.Buffer
		root.SetOut(&stdout)
		_, err := root.ExecuteContextC(ctx)
		if !errors.Is(err, context.Canceled) || stdout.Len() > 0 {
			t.Errorf("%s: %v, printed %s", args, err, &stdout)
		}
		if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
			t.Errorf("%s: left %v, %v", args, entries, err)
		}
	}
}
