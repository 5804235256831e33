package tile_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// The laws are tested for states of every width that a status may have.
func TestMonoidWords(t *testing.T) {
	for _, c := range []struct {
		monoid *tile.Monoid
		words  int
	}{
		{tile.NewFold(ir.ReduceAdd, ir.I8), 1}, // no narrower than a word
		{tile.NewFold(ir.ReduceOr, ir.Bool), 1},
		{tile.NewFold(ir.ReduceAdd, ir.I64), 2},
		{tile.NewLast(ir.I32), 2},
		{tile.NewSegmented(tile.NewFold(ir.ReduceAdd, ir.I64)), 3},
		{tile.NewSegmented(tile.NewLast(ir.Char8)), 3}, // both flags in one word
		{tile.NewProduct(tile.NewFold(ir.ReduceAdd, ir.I64), tile.NewLast(ir.I64)), 5},
	} {
		if got := c.monoid.Words(); got != c.words {
			t.Errorf("%d words, not %d:\n%v", got, c.words, c.monoid)
		}
	}
	var widths []int
	for _, l := range laws() {
		widths = append(widths, l.monoid.Words())
	}
	for words := 1; words <= 8; words++ {
		if !slices.Contains(widths, words) {
			t.Errorf("no monoid of %d words is tested", words)
		}
	}
}

// The kind tells a scheme what it may exploit.
func TestMonoidKinds(t *testing.T) {
	sum := tile.NewFold(ir.ReduceAdd, ir.I64)
	for _, c := range []struct {
		monoid *tile.Monoid
		kind   tile.MonoidKind
	}{
		{sum, tile.Fold},
		{tile.NewSegmented(sum), tile.Segmented},
		{tile.NewFirst(ir.I32), tile.Ordered},
		{tile.NewLast(ir.I32), tile.Ordered},
		{tile.NewProduct(sum), tile.Fold},
		{tile.NewProduct(tile.NewSegmented(sum)), tile.Segmented},
		{tile.NewProduct(sum, sum), tile.Ordered},
	} {
		if c.monoid.Kind != c.kind {
			t.Errorf("%v, not %v:\n%v", c.monoid.Kind, c.kind, c.monoid)
		}
	}
}
