package partial

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Split is a pipeline cut at its aggregates.
type Split struct {
	Whole  *ir.Pipeline
	Shard  *ir.Pipeline // all columns of Whole, and the scalars it needs; its results are States, in order
	Finish *ir.Pipeline // scalars and states, as far as they are needed; its results are those of Whole

	Halo      *Halo   // where rows look at their neighbours, else nil
	Inputs    []Input // the parameters of Finish, in order
	States    []State
	Groupings []Grouping

	ShardChecks  []ShardCheck // of Shard, by number
	FinishChecks []int        // of Finish, by number: the check of Whole that each is, or -1
	Empty        []EmptyCheck
}

// Input is what a parameter of Finish is given: a state, or a scalar
// parameter of Whole.
type Input struct {
	State  int // or -1
	Scalar *ir.Value
}

// State is a scalar or column of a shard's state.
type State struct {
	Name     string
	Kind     ir.Kind
	Fold     ir.ReduceOp // how the states of earlier and later rows combine
	Grouping int         // index into Groupings: it has an element per group or bin; -1 for a scalar
	Rows     int         // of a fold without an identity: the state that counts the rows behind each element, -1 where there always are some
}

// foldNames are the words for folds in the ID of a split.
var foldNames = map[ir.ReduceOp]string{ir.ReduceAdd: "sum", ir.ReduceMin: "least", ir.ReduceMax: "greatest"}

// Grouping is the groups or bins that states have elements for.
type Grouping struct {
	Name string
	Kind ir.DomainKind // DomainRuns, DomainStarts or DomainBins
	Keys []int         // DomainRuns: states, the keys of each group; the last group goes on in the next shard where they are equal
	Head int           // DomainStarts: a state, whether the first row begins a group; if not, the last group goes on; else -1
}

// ShardCheck says what a check of Shard is in Whole.
type ShardCheck struct {
	Whole int // its number, or -1 where Whole proves that it cannot fail
	Rows  int // the state that counts the rows among which the failing one is counted, -1 for a scalar
}

// EmptyCheck is a check of Whole that an aggregate has rows.
type EmptyCheck struct {
	Whole int
	Rows  int // the state that counts them
}

// ID names what a partial is a partial of: partials with equal IDs combine.
func (s *Split) ID() string {
	var b strings.Builder
	whole := *s.Whole
	whole.Doc = ""
	b.WriteString(whole.String())
	if s.Halo != nil {
		fmt.Fprintf(&b, "halo %d %d\n", s.Halo.Back, s.Halo.Ahead)
	}
	for _, state := range s.States {
		fmt.Fprintf(&b, "%s %v %v %d %d\n", state.Name, state.Kind, cmp.Or(foldNames[state.Fold], state.Fold.String()), state.Grouping, state.Rows)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:16])
}
