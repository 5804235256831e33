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
	Shard  *ir.Pipeline // takes the columns of Whole and the scalars it needs; its results are States, in order, and Rows
	Merge  Merging      // takes the states of shards, and combines them; without a pipeline if there are no states
	Finish *ir.Pipeline // takes the scalars and states it needs; its results are those of Whole without Rows; nil if there are none

	Rows []int // the results of Whole that have a row for each row of a shard: Shard has them behind the states

	Halo      *Halo   // nil if rows do not read their neighbours
	Inputs    []Input // the parameters of Finish, in order
	States    []State
	Groupings []Grouping

	ShardChecks  []ShardCheck // of Shard, by number
	FinishChecks []int        // of Finish, by number: the check of Whole that each is, or -1
	Empty        []EmptyCheck
}

// Input is the argument of a parameter of Finish: a state, or a parameter of Whole that is the
// same for all shards.
type Input struct {
	State     int       // index into States, -1 for a parameter
	Parameter *ir.Value // if State is -1; a column where a domain is whole in each shard
}

// State is a scalar or column of a shard's state.
type State struct {
	Name     string
	Kind     ir.Kind
	Fold     ir.ReduceOp // how the states of earlier and later rows combine
	Grouping int         // index into Groupings of the groups or bins that each have an element; -1 for a scalar
	Rows     int         // for a fold without an identity: the state that counts the rows of each element; -1 if there always are some
}

// foldNames are the words for folds in the ID of a split.
var foldNames = map[ir.ReduceOp]string{ir.ReduceAdd: "sum", ir.ReduceMin: "least", ir.ReduceMax: "greatest"}

// Grouping is the groups or bins that states have elements for.
type Grouping struct {
	Name string
	Kind ir.DomainKind // DomainRuns, DomainStarts, DomainGroups or DomainBins
	Keys []int         // of DomainRuns and DomainGroups: the states with the keys. If they are equal, the last run continues in the next shard; groups of all shards with equal keys are one, and ascend by them
	Head int           // of DomainStarts: the state that says whether the first row begins a group; if not, the last group continues; -1 for other kinds
}

// ShardCheck says what a check of Shard is in Whole.
type ShardCheck struct {
	Whole int // its number, or -1 if Whole proves that it cannot fail
	Rows  int // the state that counts the rows of its domain, -1 for a check of scalars
}

// EmptyCheck is a check of Whole that an aggregate has rows.
type EmptyCheck struct {
	Whole int
	Rows  int // the state that counts the rows
}

// ID identifies the pipeline of a partial: partials with equal IDs combine.
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
