package partial

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
)

// Options says what shards are.
type Options struct {
	Rows bool   // results may have a row for each row of a shard; those of all shards, one after the other, are the results of Whole
	Over string // the domain that is in shards, while columns over others are whole in each; "" is all domains
}

// isWhole reports whether all rows of a parameter's domain are in each shard.
func (o Options) isWhole(d *ir.Domain) bool { return o.Over != "" && d.Name != o.Over }

// New cuts p at its aggregates. If p cannot be cut, the error is an [ir.Error]
// that says why.
func New(p *ir.Pipeline, o Options) (*Split, error) {
	classes, err := classify(p, o)
	if err != nil {
		return nil, err
	}
	h, err := halo(p, o, classes)
	if err != nil {
		return nil, err
	}
	s := newSplitter(p, h, classes)
	if err := s.buildShard(); err != nil {
		return nil, fmt.Errorf("internal error: the shards of %s: %w", p.Name, err)
	}
	if err := s.buildFinish(); err != nil {
		return nil, fmt.Errorf("internal error: the end of %s: %w", p.Name, err)
	}
	if len(s.States) > 0 {
		if err := s.buildMerge(); err != nil {
			return nil, fmt.Errorf("internal error: the states of %s: %w", p.Name, err)
		}
	}
	return s.Split, nil
}

// A splitter makes the three pipelines of a split.
type splitter struct {
	*Split
	classes []class
	names   naming.Taken // of parameters, states, and values of Finish

	shard     *ir.Builder
	rows      map[*ir.Value]ir.Operand // values of Whole in Shard
	states    map[*ir.Value]int        // values of Shard that are states
	lengths   map[*ir.Domain]int       // by domain of rows: the state that counts them
	ofCut     map[*ir.Value]int        // by aggregate of Whole: its state; the sum of an average
	ofRows    map[*ir.Value]int        // by aggregate of Whole: the state that counts its rows
	groupings map[*ir.Domain]int
	results   []any // of Shard

	finish *ir.Builder
	ends   map[*ir.Value]ir.Operand // values of Whole in Finish
	inputs map[int]ir.Operand       // states in Finish
}

func newSplitter(p *ir.Pipeline, h *Halo, classes []class) *splitter {
	s := &splitter{Split: &Split{Whole: p, Halo: h}, classes: classes,
		shard: ir.NewBuilder(p.Name), rows: map[*ir.Value]ir.Operand{}, states: map[*ir.Value]int{}, lengths: map[*ir.Domain]int{}, ofCut: map[*ir.Value]int{}, ofRows: map[*ir.Value]int{},
		groupings: map[*ir.Domain]int{}, names: naming.Taken{},
		finish: ir.NewBuilder(p.Name), ends: map[*ir.Value]ir.Operand{}, inputs: map[int]ir.Operand{}}
	for _, v := range p.Values {
		switch classes[v.ID] { // the names that values of Finish keep
		case uniform, finished:
			s.names[v.Name] = true
		}
	}
	for _, v := range p.Params {
		s.names[v.Name] = true
		if classes[v.ID] == uniform && v.Type.Domain != nil {
			s.names[v.Type.Domain.Name] = true
		}
	}
	return s
}

func (s *splitter) buildShard() error {
	s.buildRows()
	for _, v := range s.Whole.Values {
		if s.classes[v.ID] == cut {
			s.shard.Place(v.Pos)
			s.cut(v)
		}
	}
	for i, r := range s.Whole.Results {
		if s.classes[r.Value.ID] == row {
			s.Rows = append(s.Rows, i)
		}
	}
	s.shard.Place(s.Whole.Pos)
	for _, site := range s.Whole.Sites {
		if x := s.counted(site); x != nil {
			s.length(site.Domain, s.rows[x])
		}
	}
	for _, i := range s.Rows {
		r := s.Whole.Results[i]
		s.results = append(s.results, s.rows[r.Value].As(s.fresh(r.Label)))
	}
	s.shard.Return(s.results...)
	var err error
	if s.Shard, err = s.shard.Pipeline(); err != nil {
		return err
	}
	s.Shard.Name, s.Shard.Pos = s.Whole.Name+"_shard", s.Whole.Pos
	whole := s.checks(s.rows)
	for _, site := range s.Shard.Sites {
		check := ShardCheck{Whole: whole(site), Rows: -1}
		if check.Whole >= 0 && s.counted(s.Whole.Sites[check.Whole]) != nil {
			check.Rows = s.lengths[s.Whole.Sites[check.Whole].Domain]
		}
		s.ShardChecks = append(s.ShardChecks, check)
	}
	return nil
}

// counted returns a column over the rows of a shard that a check of Whole counts: its value, or
// an operand, as of repeat. It is nil if the check counts none.
func (s *splitter) counted(site ir.Site) *ir.Value {
	for _, x := range append([]*ir.Value{site.Value}, site.Value.Args...) {
		if c := s.classes[x.ID]; site.Domain != nil && x.Type.Domain == site.Domain && (c == row || c == place) {
			return x
		}
	}
	return nil
}

// checks returns a function from a check of Shard or Finish to the number of the
// same check of Whole, or -1. Made has the values that the pipeline was made from.
func (s *splitter) checks(made map[*ir.Value]ir.Operand) func(ir.Site) int {
	origin := map[*ir.Value]*ir.Value{}
	for v, o := range made {
		if o.Value() != nil {
			origin[o.Value()] = v
		}
	}
	return func(site ir.Site) int {
		for _, w := range s.Whole.Sites {
			if w.Value == origin[site.Value] && w.Kind == site.Kind {
				return w.Number
			}
		}
		return -1
	}
}

// parameter declares parameter v of Whole in b.
func parameter(b *ir.Builder, v *ir.Value) ir.Operand {
	b.Place(v.Pos)
	defer b.Place(ir.Pos{})
	if v.Type.IsScalar() {
		return b.Scalar(v.Name, v.Type.Kind)
	}
	return b.Column(v.Name, v.Type.Domain.Name, v.Type.Kind)
}

// cut adds the states of an aggregate of rows.
func (s *splitter) cut(v *ir.Value) {
	b := s.shard
	if v.Op == ir.OpLen { // of this column itself, which may have no other use
		s.ofCut[v] = s.addState("rows", b.Len(s.rows[v.Args[0]]), State{Kind: ir.I64, Fold: ir.ReduceAdd, Grouping: -1, Rows: -1})
		return
	}
	var by []ir.Named
	if v.By != nil {
		by = append(by, ir.By(s.rows[v.By]))
	}
	a, rows := v.Op.Aggregate(), -1
	switch a.Finish {
	case ir.FinishQuotient: // two states: a sum and a count of rows
		if sum := a.State[0]; sum.Fold != ir.ReduceAdd || sum.Element != ir.ElementArgument || !a.State[1].CountsRows() {
			panic(fmt.Sprintf("partial: %v is no sum divided by a count", v.Op))
		}
		s.ofCut[v] = s.state(v, nil, b.Sum(s.rows[v.Args[0]], by...), a.State[0].Fold, -1)
		s.present(v)
		return
	case ir.FinishField:
	default:
		panic(fmt.Sprintf("partial: no finish %d of %v", a.Finish, v.Op))
	}
	if a.NoRows == ir.NoRowsElse && mayBeEmpty(v) {
		rows = s.present(v)
		by = append(by, ir.Else(ir.Scalar{Kind: v.Type.Kind}))
	}
	x := ir.Operand{}
	if len(v.Args) > 0 {
		x = b.Aggregate(v.Op, s.rows[v.Args[0]], by...)
	} else {
		x = b.CountBy(s.rows[v.By])
	}
	s.ofCut[v] = s.state(v, v, x, a.State[0].Fold, rows)
}

// mayBeEmpty reports whether an aggregate may have an element of no rows. It may
// not if its groups are made of the rows that it aggregates and there is no else:
// operand. Checks of that operand are made even if no element needs it.
func mayBeEmpty(v *ir.Value) bool {
	if v.Else != nil || v.By == nil {
		return true
	}
	switch v.By.Op {
	case ir.OpRuns, ir.OpStarts, ir.OpGroups:
		return false
	}
	return true
}

// present adds the state that counts the rows of each element of v.
func (s *splitter) present(v *ir.Value) int {
	if v.By == nil {
		s.ofRows[v] = s.length(v.Args[0].Type.Domain, s.rows[v.Args[0]])
	} else {
		s.ofRows[v] = s.state(v, nil, s.shard.CountBy(s.rows[v.By]), ir.ReduceAdd, -1)
	}
	return s.ofRows[v]
}

// length returns the state that counts the rows of domain d. X is a column over d.
func (s *splitter) length(d *ir.Domain, x ir.Operand) int {
	i, known := s.lengths[d]
	if !known {
		i = s.addState("rows", s.shard.Len(x), State{Kind: ir.I64, Fold: ir.ReduceAdd, Grouping: -1, Rows: -1})
		s.lengths[d] = i
	}
	return i
}

// state returns the state of aggregate v whose value in Shard is x. The state has
// the name of named, if that is not nil.
func (s *splitter) state(v, named *ir.Value, x ir.Operand, fold ir.ReduceOp, rows int) int {
	if x.Value() == nil { // the builder reports the error
		return -1
	}
	grouping := -1
	if v.By != nil {
		grouping = s.grouping(maker(v.By))
	}
	name := x.Value().Op.String()
	if named != nil && named.Name != "" {
		name = named.Name
	}
	return s.addState(name, x, State{Kind: x.Value().Type.Kind, Fold: fold, Grouping: grouping, Rows: rows})
}

func (s *splitter) addState(name string, x ir.Operand, state State) int {
	if i, known := s.states[x.Value()]; known {
		return i
	}
	state.Name = s.fresh(name)
	i := len(s.States)
	s.states[x.Value()] = i
	s.States = append(s.States, state)
	s.results = append(s.results, x.As(state.Name))
	return i
}

// fresh returns name, with a number if name is taken.
func (s *splitter) fresh(name string) string { return s.names.Fresh(name, "_") }

// grouping returns the index of the groups or bins that v makes, and adds them if
// they are new.
func (s *splitter) grouping(v *ir.Value) int {
	if i, known := s.groupings[v.Type.Target]; known {
		return i
	}
	i := len(s.Groupings)
	s.groupings[v.Type.Target] = i
	name := v.Name
	if name == "" {
		name = v.Op.String()
	}
	s.Groupings = append(s.Groupings, Grouping{Name: s.fresh(name), Kind: v.Type.Target.Kind, Head: -1})
	by := ir.By(s.rows[v])
	switch v.Op {
	case ir.OpRuns, ir.OpGroups:
		for _, key := range v.Args {
			k := s.addState("key", s.shard.First(s.rows[key], by), State{Kind: key.Type.Kind, Fold: ir.ReduceFirst, Grouping: i, Rows: -1})
			s.Groupings[i].Keys = append(s.Groupings[i].Keys, k)
		}
	case ir.OpStarts:
		mask := s.rows[v.Args[0]]
		rows := s.length(v.Type.Domain, mask)
		s.Groupings[i].Head = s.addState("head", s.shard.First(mask, ir.Else(false)), State{Kind: ir.Bool, Fold: ir.ReduceFirst, Grouping: -1, Rows: rows})
	}
	return i
}
