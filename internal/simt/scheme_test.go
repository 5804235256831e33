package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// TestDemands holds that every scheme refuses what no scheme does yet, and says why,
// and that the schemes meet the demands of today's operations.
func TestDemands(t *testing.T) {
	all := map[string]scheme{
		SchemeFlat: flat{}, SchemePublished: published{}, plan.Broadcast: broadcasting{}, SchemeLookback: &lookback{}, SchemePersistent: &persistent{},
	}
	for name, s := range all {
		for demand, want := range map[tile.Demands]string{
			tile.LocalTables: "a table would have to live as long as a work-group",
			tile.Counters:    "the state of a cut is an array of counters",
		} {
			err := refuseDemands("made_up", name, demand|tile.AnEnd, s.meets())
			if err == nil || !strings.Contains(err.Error(), "kernel made_up: "+want) || !strings.Contains(err.Error(), "scheme="+name) {
				t.Errorf("%s: %v, not %q", name, err, want)
			}
		}
	}
	for name, refused := range map[string]tile.Demands{SchemeFlat: tile.Prefixes | tile.InOrder, SchemePublished: tile.InOrder, SchemeLookback: tile.InOrder, SchemePersistent: tile.WholeChunks | tile.InOrder} {
		for _, kind := range tile.Kinds() {
			asks := kind.Traits().Asks
			if kind == tile.Rank || kind == tile.Order { // ranking has schemes of its own
				continue
			}
			if got := refuseDemands("made_up", name, asks, all[name].meets()) != nil; got != (asks&refused != 0) {
				t.Errorf("%s, %s: refused is %v", name, kind, got)
			}
		}
	}
}

// TestOperations holds that each kind of operation has a lowering in every place
// where it may stand.
func TestOperations(t *testing.T) {
	for _, kind := range tile.Kinds() {
		if kind == tile.MatchParts || kind == tile.PartnerParts { // refused
			continue
		}
		o, traits := operations[kind], kind.Traits()
		inRows, atEnd := traits.Place != tile.AfterRows, traits.Place == tile.AfterRows || traits.Place == tile.Anywhere || traits.Place == tile.Once
		if inRows && o.row == nil || atEnd && o.end == nil {
			t.Errorf("%s lacks a lowering", kind)
		}
		if op := (&tile.Op{Kind: kind}); (op.IsPure() || op.SeesNeighbours()) && o.value == nil {
			t.Errorf("%s has no value", kind)
		}
	}
}

// TestFormerScheme holds that the former name of a scheme is refused with the present.
func TestFormerScheme(t *testing.T) {
	if _, err := familyOf(plan.Schedule{Scheme: "round"}); err == nil || !strings.Contains(err.Error(), "scheme=round is called scheme="+SchemePersistent) {
		t.Error(err)
	}
}

// TestUnknownScheme holds that no scheme is taken for another.
func TestUnknownScheme(t *testing.T) {
	if _, err := familyOf(plan.Schedule{Scheme: "rounds"}); err == nil || !strings.Contains(err.Error(), "scheme=rounds: there are lookback, ") {
		t.Error(err)
	}
}
