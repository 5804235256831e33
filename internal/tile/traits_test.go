package tile_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
)

// Every kind of operation has a row in the table of traits, and the row is whole.
func TestTraits(t *testing.T) {
	if n := len(tile.Kinds()); n != int(tile.StoreScalar)+1 {
		t.Errorf("the table has %d rows, and there are %d kinds", n, int(tile.StoreScalar)+1)
	}
	names := map[string]tile.OpKind{}
	for _, kind := range tile.Kinds() {
		traits := kind.Traits()
		if other, taken := names[traits.Name]; traits.Name == "" || taken {
			t.Errorf("kind %d is called %q, as kind %d is", kind, traits.Name, other)
		}
		names[traits.Name] = kind
		if len(traits.Res) == 0 && traits.Effect == tile.Pure {
			t.Errorf("%v does nothing: it has no result and no effect", kind)
		}
		if traits.State != tile.RowState && !traits.Folds {
			t.Errorf("%v has a state and folds nothing", kind)
		}
		if traits.Cuts && (traits.State != tile.GridState || traits.Asks&tile.Prefixes == 0) {
			t.Errorf("%v cuts, and its state does not live in the whole grid, or it asks for no prefix", kind)
		}
		if (traits.Effect == tile.Combines || traits.Effect == tile.Claims || traits.Effect == tile.Writes) != strings.Contains("store update claim insert enter enterparts cuckoo pairs parts partnerparts groupparts", traits.Name) {
			t.Errorf("%v has effect %d", kind, traits.Effect)
		}
	}
}

// A scheme refuses a demand that it does not meet, and says which.
func TestDemands(t *testing.T) {
	all := tile.Demands(0)
	for demand := tile.Prefixes; demand <= tile.InOrder; demand <<= 1 {
		if reason := demand.Refuse(0); reason == "" {
			t.Errorf("nothing says what a scheme lacks that does not meet demand %#x", demand)
		}
		if reason := demand.Refuse(demand); reason != "" {
			t.Errorf("demand %#x is met, and refused: %s", demand, reason)
		}
		all |= demand
	}
	if want := "work-group"; !strings.Contains(all.Refuse(all&^tile.LocalTables), want) {
		t.Errorf("a scheme without local tables is refused because %s, not because of the %s", all.Refuse(all&^tile.LocalTables), want)
	}
	for name, want := range map[string]tile.Demands{"scan": tile.Prefixes | tile.AnEnd, "count": tile.Prefixes | tile.AnEnd | tile.Neighbours,
		"chunks": tile.WholeChunks | tile.Neighbours} {
		if got := program(name).Asks(); got != want {
			t.Errorf("%s asks for %#x, not %#x", name, got, want)
		}
	}
}

// Traits can describe the operations of lowerings to come, and a scheme that
// meets the demands of today's operations refuses each of them.
func TestTraitsOfOperationsToCome(t *testing.T) {
	met := tile.Demands(0)
	for _, kind := range tile.Kinds() {
		met |= kind.Traits().Asks
	}
	for _, c := range []struct {
		traits tile.Traits
		want   string
	}{
		{tile.Traits{Name: "insert locally", Args: []tile.Role{tile.Keys}, Res: []tile.Role{tile.Number}, State: tile.WorkgroupState,
			Effect: tile.Claims, Asks: tile.LocalTables}, "a table would have to live as long as a work-group"},
	} {
		if got := c.traits.Asks.Refuse(met); got != c.want {
			t.Errorf("%s is refused because %q, not because %q", c.traits.Name, got, c.want)
		}
	}
}

// With finds operations by what they do.
func TestWith(t *testing.T) {
	k := program("count")
	for _, c := range []struct {
		name      string
		condition func(*tile.Op) bool
		want      int
	}{
		{"pure", (*tile.Op).IsPure, 6}, {"cuts", (*tile.Op).Cuts, 3}, {"stores", func(op *tile.Op) bool { return op.Does(tile.Writes) }, 2},
		{"reductions", (*tile.Op).IsReduction, 0}, {"neighbours", (*tile.Op).SeesNeighbours, 1},
	} {
		n := 0
		for range k.With(c.condition) {
			n++
		}
		if n != c.want || k.Has(c.condition) != (c.want > 0) {
			t.Errorf("%s: there are %d, not %d", c.name, n, c.want)
		}
	}
}
