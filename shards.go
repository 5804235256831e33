package kgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Shards computes a program over rows that come in pieces, on a device that never holds more
// than one piece of them. What stays of a piece is its state: sums, counts, extremes, first and
// last elements, in all or by group; docs/partials.md says which programs have states, and what
// they hold. Results that have a row for each row of a piece, or for some, are those of all
// pieces one after the other, in ordinary memory. Shards is safe for concurrent use; calls take
// turns.
type Shards struct {
	program  *Program
	device   *Device
	settings []Setting
	split    *partial.Split
	over     string // the domain that comes in pieces; "" is all

	mutex   sync.Mutex
	stages  map[*ir.Pipeline]*Executable // those that have run
	states  [][][]byte                   // of shards in order, each a column per state
	merged  int64                        // bytes of the first of them when it was made of several
	results [][][]byte                   // of shards in order, each a column per result that has their rows
	added   bool
	scalars map[string][]byte      // arguments that are the same for all rows
	whole   map[string]exec.Column // and columns that are, as the last piece had them
	texts   *Texts
	rows    neighbours

	trace bool // since a piece that was traced
	steps []Step
}

// neighbours are rows at the end of a shard that wait for later ones, behind those that they
// read.
type neighbours struct {
	columns [][]byte // per parameter of the shard's pipeline; scalars have none
	begin   int64    // the number of the first, among all rows
	done    int64    // how many of all rows have been aggregated
	total   int64
}

// Over names the domain whose rows come in pieces, in [Program.Shards]. Columns over other
// domains are whole, and the same with each piece, so that its rows can look for theirs.
func Over(domain string) Setting {
	return func(s *settings) error {
		s.over = domain
		return nil
	}
}

// Shards prepares a program for rows that come in pieces: those of all its domains, or of one
// ([Over]). The error is an [ir.Error] at the operator that needs all rows at once, if there
// is one.
func (p *Program) Shards(ctx context.Context, d *Device, options ...Setting) (*Shards, error) {
	var o settings
	for _, option := range options {
		if err := option(&o); err != nil {
			return nil, err
		}
	}
	if o.over != "" && !slices.ContainsFunc(p.pipeline.Params, func(v *ir.Value) bool { return v.Type.Domain != nil && v.Type.Domain.Name == o.over }) {
		return nil, &ArgumentError{o.over, fmt.Sprintf("no parameter of pipeline %s is a column over it", p.pipeline.Name)}
	}
	settings := append(slices.Clip(options), Over(""))
	split, err := partial.New(p.pipeline, partial.Options{Rows: true, Over: o.over})
	if err != nil {
		var refused ir.Error
		if errors.As(err, &refused) {
			return nil, p.source.ErrorAt(refused.Pos, refused.Msg, refused.Hint)
		}
		return nil, err
	}
	s := &Shards{program: p, device: d, settings: settings, split: split, over: o.over, stages: map[*ir.Pipeline]*Executable{}, scalars: map[string][]byte{}}
	_, err = s.stage(ctx, split.Shard)
	return s, err
}

// stage returns one of the three pipelines, compiled.
func (s *Shards) stage(ctx context.Context, p *ir.Pipeline) (*Executable, error) {
	if e := s.stages[p]; e != nil {
		return e, nil
	}
	e, err := Of(s.program.source, p).On(ctx, s.device, s.settings...)
	if err == nil {
		s.stages[p] = e
	}
	return e, err
}

// Close ends the processes of the pipelines.
func (s *Shards) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var errs []error
	for _, e := range s.stages {
		errs = append(errs, e.Close())
	}
	clear(s.stages)
	return errors.Join(errs...)
}

// Footprint is [Executable.Footprint] of one shard.
func (s *Shards) Footprint(rows, scalars map[string]int64) plan.Footprint {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e := s.stages[s.split.Shard]
	if e == nil {
		return plan.Footprint{}
	}
	return e.Footprint(rows, scalars)
}

// Add adds rows that follow those added before, perhaps none; scalar arguments have to be the
// same each time, as columns that are whole are, and texts of one dictionary. Whole columns of
// the last piece are read by Result, too. [Coded] and [Trace] are the only options that say
// anything here; Steps has what was traced. The error is a [CheckError] if the data fails a
// check, with its row among all that have been added: the first shard that fails ends the
// computation, be it that later rows fail a check that comes earlier in the text. After any
// error the rows are not added.
func (s *Shards) Add(ctx context.Context, args Args, options ...RunOption) error {
	var o runOptions
	for _, option := range options {
		option(&o)
	}
	if err := s.device.use(); err != nil {
		return err
	}
	b, columns, err := s.program.bind(s.device, args, o.coded)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.added && b.texts != s.texts && slices.ContainsFunc(s.program.pipeline.Params, func(v *ir.Value) bool { return v.Type.Kind == ir.Text }) {
		return &ArgumentError{"texts", "a shard has another dictionary than those before; upload texts with one dictionary, or pass their places in it and the option Coded"}
	}
	if err := s.add(ctx, columns, o.trace); err != nil {
		return err
	}
	s.texts = b.texts
	return nil
}

// Steps returns the steps of a traced piece and all that came after it, those of one name added
// up.
func (s *Shards) Steps() []Step {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.steps)
}

// AddColumns is Add for commands of this module, in the manner of [Executable.RunColumns].
func (s *Shards) AddColumns(ctx context.Context, in []ir.Column, options ...RunOption) error {
	var o runOptions
	for _, option := range options {
		option(&o)
	}
	var columns []exec.Column
	for i, column := range in {
		one := exec.Column{Kind: plan.Kind(column.Kind.String())}
		switch v := s.program.pipeline.Params[i]; {
		case column.Slice != nil:
			one.Data = raw.Bytes(column)
		case v.Type.IsScalar():
			one.Data = element(v.Const)
		}
		columns = append(columns, one)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.add(ctx, columns, o.trace)
}

// add adds a shard; columns has one for each parameter of the whole.
func (s *Shards) add(ctx context.Context, columns []exec.Column, trace bool) error {
	s.trace = s.trace || trace
	scalars, whole := map[string][]byte{}, map[string]exec.Column{}
	for i, v := range s.program.pipeline.Params {
		if s.inPieces(v) {
			continue
		}
		if !v.Type.IsScalar() {
			whole[v.Name] = columns[i]
			continue
		}
		scalars[v.Name] = slices.Clone(columns[i].Data)
		if known := s.scalars[v.Name]; s.added && string(known) != string(scalars[v.Name]) {
			return &ArgumentError{v.Name, "it differs from that of the shards before"}
		}
	}
	var ofShard []exec.Column
	for _, v := range s.split.Shard.Params {
		if i := slices.IndexFunc(s.program.pipeline.Params, func(w *ir.Value) bool { return w.Name == v.Name }); i >= 0 {
			ofShard = append(ofShard, columns[i])
		} else {
			ofShard = append(ofShard, exec.Column{Kind: plan.I64}) // a bound of rows, set below
		}
	}
	rows, state, results, err := s.compute(ctx, ofShard)
	if err != nil {
		return err
	}
	states, merged := append(slices.Clip(s.states), state), s.merged
	var bytes int64
	for _, state := range states[1:] {
		bytes += size(state)
	}
	if bytes > max(merged, mergedBytes) { // an element is merged a logarithmic number of times
		if state, err = s.merge(ctx, states); err != nil {
			return err
		}
		states, merged = [][][]byte{state}, size(state)
	}
	s.rows, s.states, s.merged, s.scalars, s.whole, s.added = rows, states, merged, scalars, whole, true
	s.results = append(s.results, results)
	return nil
}

// mergedBytes is how large the states of shards may become before they are merged.
const mergedBytes = 16 << 20

func size(state [][]byte) (bytes int64) {
	for _, column := range state {
		bytes += int64(len(column))
	}
	return bytes
}

// Result returns the results for all rows that have been added, in ordinary memory, or the
// error of a check. More rows may be added afterwards.
func (s *Shards) Result(ctx context.Context) (*Results, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	columns, err := s.result(ctx)
	if err != nil {
		return nil, err
	}
	r := newResults(outcome{})
	for i, result := range s.program.pipeline.Results {
		kind := result.Value.Type.Kind
		c := &Column{kind: kind, stored: kind.Stored(), content: exec.Column{Kind: plan.Kind(kind.String()), Data: columns[i]}}
		if kind == ir.Text {
			c.texts = s.texts
		}
		r.columns, r.names = append(r.columns, c), append(r.names, result.Label)
	}
	return r, nil
}

// ResultColumns is Result for commands of this module. Texts are places in the dictionary of
// a column.
func (s *Shards) ResultColumns(ctx context.Context, texts []ir.Column) ([]ir.Column, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	columns, err := s.result(ctx)
	if err != nil {
		return nil, err
	}
	var out []ir.Column
	for i, result := range s.program.pipeline.Results {
		out = append(out, raw.FromBytes(result.Value.Type.Kind, columns[i]))
	}
	ir.ShareTexts(out, texts)
	return out, nil
}

func (s *Shards) result(ctx context.Context) ([][]byte, error) {
	if !s.added {
		return nil, &ArgumentError{s.program.pipeline.Name, "no shard has been added; add one, perhaps without rows"}
	}
	states, ofRows := s.states, s.results
	if s.split.Halo != nil { // the last rows, which no others follow
		columns := make([]exec.Column, len(s.split.Shard.Params))
		for i, v := range s.split.Shard.Params {
			columns[i] = s.same(v)
		}
		state, results, err := s.runRows(ctx, s.rows, columns, s.rows.total)
		if err != nil {
			return nil, err
		}
		states, ofRows = append(slices.Clip(states), state), append(slices.Clip(ofRows), results)
	}
	state, err := s.merge(ctx, states)
	if err != nil {
		return nil, err
	}
	if s.split.Halo == nil {
		s.states, s.merged = [][][]byte{state}, size(state)
	}
	results, err := s.end(ctx, state)
	if err != nil {
		return nil, err
	}
	for i, result := range s.split.Rows { // those of Finish lack them
		var parts [][]byte
		for _, shard := range ofRows {
			parts = append(parts, shard[i])
		}
		results = slices.Insert(results, result, slices.Concat(parts...))
	}
	return results, nil
}

// same returns the argument of a parameter that is the same for all pieces.
func (s *Shards) same(v *ir.Value) exec.Column {
	column := exec.Column{Kind: plan.Kind(v.Type.Kind.String()), Data: s.scalars[v.Name]}
	if whole, ok := s.whole[v.Name]; ok {
		column = whole
	}
	return column
}

// inPieces reports whether a parameter is a column over rows that come in pieces.
func (s *Shards) inPieces(v *ir.Value) bool {
	return !v.Type.IsScalar() && (s.over == "" || v.Type.Domain.Name == s.over)
}

// end returns the results that a state of all rows has.
func (s *Shards) end(ctx context.Context, state [][]byte) ([][]byte, error) {
	if s.split.Finish == nil {
		return nil, nil
	}
	e, err := s.stage(ctx, s.split.Finish)
	if err != nil {
		return nil, err
	}
	var columns []exec.Column
	for i, input := range s.split.Inputs {
		column := s.same(s.split.Finish.Params[i])
		if input.State >= 0 {
			column.Data = state[input.State]
		}
		columns = append(columns, column)
	}
	results, err := s.execute(ctx, e, columns)
	first, row := len(s.program.pipeline.Sites), int64(0) // the first check that fails
	var check *ir.CheckError
	if errors.As(err, &check) {
		if first, row = s.split.FinishChecks[check.Site.Number], check.Row; first < 0 {
			return nil, s.failed(first, row)
		}
	} else if err != nil {
		return nil, e.failure(err)
	}
	for _, empty := range s.split.Empty {
		if i := slices.Index(raw.SliceOf[int64](state[empty.Rows]), 0); i >= 0 && empty.Whole < first {
			first, row = empty.Whole, int64(i)
		}
	}
	if first < len(s.program.pipeline.Sites) {
		return nil, s.failed(first, row)
	}
	return results, nil
}
