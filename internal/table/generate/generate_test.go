package generate

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// rowsOf returns all rows of a relation.
func rowsOf(t testing.TB, g Generator, err error) []ir.Column {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all []ir.Column
	for _, c := range g.Columns() {
		all = append(all, ir.NewColumn(c.Kind, 0))
	}
	if err := g.Stream(t.Context(), 3, func(batch []ir.Column) error {
		for i, c := range batch {
			if c.Kind != all[i].Kind {
				t.Fatalf("column %d is %v, not %v", i, c.Kind, all[i].Kind)
			}
			if c.Len() != batch[0].Len() {
				t.Fatalf("columns of %d and %d rows", c.Len(), batch[0].Len())
			}
			all[i].Slice, all[i].Texts = appendRows(all[i].Slice, c.Slice), c.Texts
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func appendRows(all, more any) any {
	switch s := all.(type) {
	case []int8:
		return append(s, more.([]int8)...)
	case []int16:
		return append(s, more.([]int16)...)
	case []int32:
		return append(s, more.([]int32)...)
	case []int64:
		return append(s, more.([]int64)...)
	case []uint8:
		return append(s, more.([]uint8)...)
	case []uint16:
		return append(s, more.([]uint16)...)
	case []uint32:
		return append(s, more.([]uint32)...)
	case []uint64:
		return append(s, more.([]uint64)...)
	case []float32:
		return append(s, more.([]float32)...)
	case []float64:
		return append(s, more.([]float64)...)
	case [][8]byte:
		return append(s, more.([][8]byte)...)
	}
	panic(fmt.Sprintf("%T", all))
}

// hashOf condenses rows, by value, not by memory.
func hashOf(columns []ir.Column) string {
	h := fnv.New64a()
	var word [8]byte
	for _, c := range columns {
		for i := range c.Len() {
			binary.LittleEndian.PutUint64(word[:], c.At(i).Bits)
			h.Write(word[:])
		}
	}
	return fmt.Sprintf("%d rows %016x", columns[0].Len(), h.Sum64())
}

// star has the tables of the Star Schema Benchmark at a small scale.
func star() *SSB {
	s, err := NewSSB(0.02, 1)
	if err != nil {
		panic(err)
	}
	return s
}

// tables has the tables of TPC-H at a small scale.
func tables() *TPCH {
	t, err := NewTPCH(0.02, 1)
	if err != nil {
		panic(err)
	}
	return t
}

// relations are all generators at small sizes, several batches where that is
// cheap.
func relations() map[string]func() (Generator, error) {
	all := map[string]func() (Generator, error){
		"lineitem":            func() (Generator, error) { return Lineitem(0.02, 1) },
		"orders":              func() (Generator, error) { return Orders(0.02, 1) },
		"students":            func() (Generator, error) { return Students(150_001, 7, 1) },
		"events":              func() (Generator, error) { return Events(150_001, 700, 1) },
		"biker":               func() (Generator, error) { return CubeFacts(Biker, 100_000, 1) },
		"machines":            func() (Generator, error) { return CubeFacts(Machines, 100_000, 1) },
		"biker tree":          func() (Generator, error) { return CubeHierarchies(Biker, 1) },
		"machine":             func() (Generator, error) { return CubeHierarchies(Machines, 1) },
		"ancestors":           func() (Generator, error) { return CubeAncestors(Machines, 1) },
		"targets":             func() (Generator, error) { return CubeTargets(Machines, 2519, 1) },
		"lineitem with texts": func() (Generator, error) { return tables().Lineitem, nil },
		"orders with texts":   func() (Generator, error) { return tables().Orders, nil },
		"customers":           func() (Generator, error) { return tables().Customer, nil },
		"parts":               func() (Generator, error) { return tables().Part, nil },
		"partsupp":            func() (Generator, error) { return tables().PartSupp, nil },
		"suppliers":           func() (Generator, error) { return tables().Supplier, nil },
		"nations":             func() (Generator, error) { return tables().Nation, nil },
		"regions":             func() (Generator, error) { return tables().Region, nil },
		"lineorder":           func() (Generator, error) { return star().LineOrder, nil },
		"date":                func() (Generator, error) { return star().Date, nil },
		"customer":            func() (Generator, error) { return star().Customer, nil },
		"supplier":            func() (Generator, error) { return star().Supplier, nil },
		"part":                func() (Generator, error) { return star().Part, nil },
	}
	for _, size := range []string{Small, Numbers, Standard, Large} {
		all[size] = func() (Generator, error) { return Wisconsin(100_000, size, 1) }
	}
	for _, distribution := range Distributions() {
		for _, sorted := range []bool{false, true} {
			o := IntsOptions{Rows: 100_003, Names: []string{"a", "b"}, Kind: ir.I32, Distribution: distribution, Sorted: sorted, MeanRun: 5, S: 1.1, Seed: 1,
				Min: big.NewInt(-50_000)}
			all[fmt.Sprint(distribution, sorted)] = func() (Generator, error) { return Ints(o) }
		}
	}
	return all
}

// Another machine, another number of cores and another version of Go give the
// same bits. Whoever changes a generator on purpose changes its line here.
func TestSameEverywhere(t *testing.T) {
	for name, relation := range relations() {
		g, err := relation()
		rows := rowsOf(t, g, err)
		if got := hashOf(rows); got != golden[name] {
			t.Errorf("%q: %q,", name, got)
		}
		if n := int64(rows[0].Len()); n != g.Rows() && !strings.HasPrefix(name, "line") {
			t.Errorf("%s: %d rows, not %d", name, n, g.Rows())
		}
	}
}

// The sample of the examples is the beginning of lineitem at scale 1. To write
// it anew: go run ./cmd/kgen data lineitem --out - | head -201
func TestSample(t *testing.T) {
	want, err := os.ReadFile("../../../examples/tpch/lineitem-sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	g, err := Lineitem(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	w, err := table.NewStage(t.Context(), &got).NewWriter(table.Standard, Fields(g))
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	err = g.Stream(t.Context(), 1, func(batch []ir.Column) error {
		for i, c := range batch {
			batch[i] = table.Rows(c, 0, 200)
		}
		return errors.Join(w.Write(batch), w.Close(), enough)
	})
	if !errors.Is(err, enough) || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the sample differs: %v", err)
	}
}

// A batch's memory is used again, so each row must be stored anew.
func TestWorkers(t *testing.T) {
	for name, relation := range relations() {
		g, err := relation()
		if err != nil {
			t.Fatal(err)
		}
		var hashes []string
		for _, workers := range []int{1, 8} {
			var all []ir.Column
			for _, c := range g.Columns() {
				all = append(all, ir.NewColumn(c.Kind, 0))
			}
			if err := g.Stream(t.Context(), workers, func(batch []ir.Column) error {
				for i, c := range batch {
					all[i].Slice, all[i].Texts = appendRows(all[i].Slice, c.Slice), c.Texts
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, hashOf(all))
		}
		if hashes[0] != hashes[1] {
			t.Errorf("%s: %s with one worker, %s with eight", name, hashes[0], hashes[1])
		}
	}
}

func TestSeeds(t *testing.T) {
	for name, make := range map[string]func(seed uint64) (Generator, error){
		"lineitem":  func(seed uint64) (Generator, error) { return Lineitem(0.001, seed) },
		"orders":    func(seed uint64) (Generator, error) { return Orders(0.001, seed) },
		"wisconsin": func(seed uint64) (Generator, error) { return Wisconsin(1000, Standard, seed) },
		"students":  func(seed uint64) (Generator, error) { return Students(1000, 7, seed) },
		"events":    func(seed uint64) (Generator, error) { return Events(1000, 7, seed) },
		"cube":      func(seed uint64) (Generator, error) { return CubeFacts(Machines, 1000, seed) },
		"hierarchy": func(seed uint64) (Generator, error) { return CubeHierarchies(Machines, seed) },
		"ints": func(seed uint64) (Generator, error) {
			return Ints(IntsOptions{Rows: 1000, Names: []string{"x"}, Kind: ir.U8, Distribution: Uniform, Seed: seed})
		},
	} {
		one, err := make(1)
		a := hashOf(rowsOf(t, one, err))
		two, err := make(2)
		if b := hashOf(rowsOf(t, two, err)); a == b {
			t.Errorf("%s does not depend on the seed", name)
		}
	}
}

func TestStreamEnds(t *testing.T) {
	failed := errors.New("the disk is full")
	for name, relation := range relations() {
		g, err := relation()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Stream(t.Context(), 2, func([]ir.Column) error { return failed }); err != failed {
			t.Errorf("%s: %v after a failed write", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		writes := 0
		err = g.Stream(ctx, 2, func([]ir.Column) error { writes++; cancel(); return nil })
		if err != context.Canceled || writes != 1 {
			t.Errorf("%s: %v and %d writes after cancellation in the first", name, err, writes)
		}
	}
}

func TestPermutation(t *testing.T) {
	for n := int64(1); n <= 700; n++ {
		p := newPermutation(newStream(uint64(n), "test"), n)
		seen := make([]bool, n)
		for i := range n {
			at := p.at(uint64(i))
			if at >= uint64(n) || seen[at] {
				t.Fatalf("of %d: place %d has %d, out of range or again", n, i, at)
			}
			seen[at] = true
		}
	}
	// No order is left: neighbours are as far apart as in a random order, where
	// the mean distance is a third, and few places keep their number.
	const n = 1 << 20
	p := newPermutation(newStream(1, "test"), n)
	distance, kept, last := 0.0, 0, p.at(n-1)
	for i := range uint64(n) {
		at := p.at(i)
		distance += float64(max(at, last)-min(at, last)) / n
		if last = at; at == i {
			kept++
		}
	}
	if mean := distance / n; mean < 0.332 || mean > 0.335 || kept > 8 {
		t.Errorf("neighbours are %v apart, %d places keep their number", mean, kept)
	}
}

// The numbers are those of SplitMix64: the first that its authors' code gives
// for a seed of 1234567.
func TestSplitMix(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := stream(1234567).at(int64(i)); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// Numbers below n come as often as each other: chi-square of 100 values.
func TestBelow(t *testing.T) {
	s := newStream(1, "test")
	var counts [100]float64
	const draws = 1_000_000
	for i := range int64(draws) {
		counts[s.below(i, 100)]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - draws/100) * (c - draws/100) / (draws / 100)
	}
	if chi < 61 || chi > 149 { // 99 degrees of freedom, 0.1 % at either end
		t.Errorf("chi-square %v", chi)
	}
}
