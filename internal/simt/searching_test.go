package simt

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Rows with nothing but a key to look up load the buckets of a few rows together, and long keys once. Other rows do not.
func TestLoneSearches(t *testing.T) {
	words, rows := regexp.MustCompile(`var first_words \[(\d+)\]`), regexp.MustCompile(`var key_rows \[(\d+)\]`)
	for _, c := range []struct{ parameters, find, sum, words, rows string }{
		{"key: [n]i32, in: [m]i32", "key, in: in", "x[f[hit]]", "16", "8"},
		{"key: [n]i64, in: [m]i64", "key, in: in", "x[f[hit]]", "", "16"},
		{"key: [n]i32, in: [m]i32, y: [n]i32", "key, in: in", "x[f[hit]] + y[hit]", "", "16"},
		{"key: [n]i64, b: [n]i32, in: [m]i64, d: [m]i32", "(key, b), in: (in, d)", "x[f[hit]]", "8", "10"},
	} {
		text := fmt.Sprintf("pipeline p(%s, x: [m]i32) {\n\tf = find(%s)\n\thit = f >= 0\n\treturn s: sum(%s)\n}\n", c.parameters, c.find, c.sum)
		program := compiled(t, text, compile.Options{Level: fuse.LevelAuto, Options: fuse.Options{Short: true}})
		lowered, err := Target{Subgroup: SubgroupOf(32)}.Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		isOnce := false
		found := [2]string{}
		for _, k := range lowered.Kernels {
			dump := k.String()
			isOnce = isOnce || strings.Contains(dump, "= wide once key[")
			for i, of := range []*regexp.Regexp{words, rows} {
				if m := of.FindStringSubmatch(dump); m != nil {
					found[i] = m[1]
				}
			}
		}
		if isLong := strings.HasPrefix(c.parameters, "key: [n]i64, in"); isOnce != isLong || found != [2]string{c.words, c.rows} {
			t.Errorf("%s: first words and rows %q, keys once: %t", c.parameters, found, isOnce)
		}
	}
}

// Rows that have moved before they look keys up are searched by a work-group for each tile, and load the buckets of two rows together.
func TestMovedSearches(t *testing.T) {
	program := compiled(t, "pipeline p(key: [n]i32, in: [m]i32, x: [m]i32) {\n\tf = find(key, in: in)\n\thit = f >= 0\n\treturn s: sum(x[f[hit]])\n}\n",
		compile.Options{Level: fuse.LevelAuto, Options: fuse.Options{Short: true, Partitions: true}})
	lowered, err := Target{Subgroup: SubgroupOf(32)}.Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	isAhead := false
	for _, k := range lowered.Kernels {
		dump := k.String()
		if strings.Contains(dump, "var first_words [8]") && regexp.MustCompile(`var pass\w*_rows \[16\]`).MatchString(dump) {
			isAhead = true
		}
	}
	if !isAhead {
		t.Error("no kernel has 16 rows of a work-item, and loads the buckets of two together")
	}
	lengths := map[string]string{}
	for _, b := range lowered.Plan.Buffers {
		if strings.HasSuffix(b.Name, "_tile0") {
			lengths[b.Length.String()] = b.Name
		}
	}
	moved, others := false, false
	for length := range lengths {
		moved = moved || strings.Contains(length, "len(n_partitioned)") && !strings.Contains(length, "machine.units")
		others = others || strings.Contains(length, "len(n)") && strings.Contains(length, "machine.units")
	}
	if !moved || !others {
		t.Errorf("folds of moved rows by tile: %t, of others by walking work-groups: %t: %v", moved, others, lengths)
	}
}
