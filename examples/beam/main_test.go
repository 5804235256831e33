package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestBeamEqualsOneCall(t *testing.T) {
	for _, shards := range []int{1, 7} {
		if err := compare(context.Background(), 0.001, shards, 1); err != nil {
			t.Errorf("%d shards: %v", shards, err)
		}
	}
}

// Pieces combine in whatever order and grouping they come.
func TestPiecesInAnyOrder(t *testing.T) {
	var err error
	if lineitem, err = load(context.Background(), 0.001); err != nil {
		t.Fatal(err)
	}
	const shards = 9
	var pieces []Piece
	for i := range shards {
		piece, err := compute(i, shards)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, piece)
	}
	c := &combine{}
	var all [2]Pieces
	for i, piece := range slices.Backward(pieces) {
		all[i*i%3] = c.AddInput(all[i*i%3], piece) // i*i%3 is 0 or 1
	}
	some, err := c.MergeAccumulators(all[1], all[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := join(slices.Delete(slices.Clone(pieces), 3, 4)); err == nil || !strings.Contains(err.Error(), "shards are missing: there are 2 pieces") {
		t.Errorf("without a piece: %v", err)
	}
	whole, err := c.ExtractOutput(some)
	if err != nil || whole.First != 0 || whole.End != shards {
		t.Fatalf("shards %d to %d, %v", whole.First, whole.End, err)
	}
	got, err := finish(whole)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := inOrder(shards)
	if err != nil || !slices.Equal(got.Quantity, want.Quantity) || !slices.Equal(got.Key, want.Key) {
		t.Errorf("%d orders, in order %d, %v", len(got.Key), len(want.Key), err)
	}
}

// Words of files are those that a map counts, in the order of their bytes.
func TestWords(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	want := map[string]int64{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool { return !unicode.IsLetter(r) }) {
			want[w[:min(len(w), 16)]]++
		}
	}
	result, err := countWords(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	got, all := map[string]int64{}, []string{}
	for i, count := range result.Count {
		w := word(result.Head[i], result.Tail[i])
		got[w], all = count, append(all, w)
	}
	if !maps.Equal(got, want) || !slices.IsSorted(all) || len(all) != len(want) {
		t.Errorf("%d words, a map has %d", len(all), len(want))
	}
}
