package kgen

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// compute returns the state of a shard and the results of its rows, and the rows that wait for
// the next one.
func (s *Shards) compute(ctx context.Context, columns []exec.Column) (rows neighbours, state, results [][]byte, err error) {
	h := s.split.Halo
	if h == nil {
		state, results, err = s.run(ctx, columns)
		return rows, state, results, err
	}
	if rows, err = s.withEarlier(ctx, columns); err != nil {
		return rows, nil, nil, err
	}
	end := max(rows.total-h.Ahead, rows.done)
	if state, results, err = s.runRows(ctx, rows, columns, end); err != nil {
		return rows, nil, nil, err
	}
	rows.done = end
	begin := max(rows.done-h.Back, 0)
	for i, v := range s.split.Shard.Params {
		if s.inPieces(v) {
			rows.columns[i] = slices.Clone(rows.columns[i][(begin-rows.begin)*int64(v.Type.Kind.Size()):])
		}
	}
	rows.begin = begin
	return rows, state, results, nil
}

// withEarlier returns the rows that wait, followed by those of a shard.
func (s *Shards) withEarlier(ctx context.Context, columns []exec.Column) (neighbours, error) {
	rows := s.rows
	rows.columns = make([][]byte, len(columns))
	for i, v := range s.split.Shard.Params {
		if !s.inPieces(v) {
			continue
		}
		if s.rows.columns != nil {
			rows.columns[i] = slices.Clone(s.rows.columns[i])
		}
		c := &Column{device: s.device, content: columns[i]}
		later := make([]byte, columns[i].Bytes())
		if err := c.copyTo(ctx, later); err != nil {
			return rows, err
		}
		rows.columns[i] = append(rows.columns[i], later...)
		rows.total = rows.begin + int64(len(rows.columns[i])/v.Type.Kind.Size())
	}
	return rows, nil
}

// runRows is run for the rows up to one that have not been aggregated. The scalars are those of
// columns.
func (s *Shards) runRows(ctx context.Context, rows neighbours, columns []exec.Column, end int64) (state, results [][]byte, err error) {
	columns = slices.Clone(columns)
	for i, v := range s.split.Shard.Params {
		switch {
		case s.inPieces(v):
			columns[i] = exec.Column{Kind: columns[i].Kind, Data: rows.columns[i]}
		case v.Name == s.split.Halo.From:
			columns[i].Data = element(ir.Int(ir.I64, rows.done-rows.begin))
		case v.Name == s.split.Halo.To:
			columns[i].Data = element(ir.Int(ir.I64, end-rows.begin))
		}
	}
	return s.run(ctx, columns)
}

// run returns the state of a shard, and the results of its rows.
func (s *Shards) run(ctx context.Context, columns []exec.Column) (state, results [][]byte, err error) {
	e, err := s.stage(ctx, s.split.Shard)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.execute(ctx, e, columns)
	var check *ir.CheckError
	if errors.As(err, &check) {
		of := s.split.ShardChecks[check.Site.Number]
		row := check.Row
		if of.Rows >= 0 {
			row += s.count(of.Rows)
		}
		return nil, nil, s.failed(of.Whole, row)
	}
	if err != nil {
		return nil, nil, e.failure(err)
	}
	return all[:len(s.split.States)], all[len(s.split.States):], nil
}

// execute runs a stage and returns the columns of its results.
func (s *Shards) execute(ctx context.Context, e *Executable, columns []exec.Column) ([][]byte, error) {
	done, err := e.runner.run(ctx, call{columns: columns, keep: make([]bool, len(e.program.pipeline.Results)), limit: s.device.options.limit, trace: s.trace})
	if err != nil {
		return nil, err
	}
	s.steps = onceEach(append(s.steps, done.steps...))
	var results [][]byte
	for _, column := range done.columns {
		results = append(results, s.device.settle(column.Data))
	}
	return results, nil
}

// failed returns the error of a check of the whole.
func (s *Shards) failed(number int, row int64) error {
	if number < 0 {
		return fmt.Errorf("internal error: a check fails in a shard that cannot fail in %s", s.program.pipeline.Name)
	}
	return s.program.Failed(&ir.CheckError{Site: &s.program.pipeline.Sites[number], Row: row})
}

// count returns the sum of a scalar state over all shards.
func (s *Shards) count(state int) (rows int64) {
	for _, shard := range s.states {
		rows += raw.SliceOf[int64](shard[state])[0]
	}
	return rows
}

// merge returns the state of several shards.
func (s *Shards) merge(ctx context.Context, states [][][]byte) ([][]byte, error) {
	if len(states) == 1 || len(s.split.States) == 0 {
		return states[0], nil
	}
	m := &s.split.Merge
	e, err := s.stage(ctx, m.Pipeline)
	if err != nil {
		return nil, err
	}
	var columns []exec.Column
	for i := range s.split.States {
		var parts [][]byte
		for _, state := range states {
			parts = append(parts, state[i])
		}
		columns = append(columns, exec.Column{Kind: plan.Kind(m.Params[i].Type.Kind.String()), Data: slices.Concat(parts...)})
	}
	for _, v := range m.Params[len(columns):] {
		if g := slices.Index(m.Starts, v.Name); g >= 0 {
			columns = append(columns, exec.Column{Kind: plan.Bool, Data: raw.BytesOf(s.starts(g, states))})
		} else {
			bins := s.elements(slices.Index(m.Sizes, v.Name), states[0])
			columns = append(columns, exec.Column{Kind: plan.I64, Data: element(ir.Int(ir.I64, bins))})
		}
	}
	merged, err := s.execute(ctx, e, columns)
	return merged, e.failure(err)
}

// elements returns how many groups or bins a state has.
func (s *Shards) elements(grouping int, state [][]byte) int64 {
	i := slices.IndexFunc(s.split.States, func(of partial.State) bool { return of.Grouping == grouping })
	return int64(len(state[i]) / s.split.States[i].Kind.Size())
}

// starts returns, for the groups of all shards, whether they begin there: the first one of a
// shard may continue the last one before it.
func (s *Shards) starts(grouping int, states [][][]byte) (starts []bool) {
	for _, state := range states {
		for i := range s.elements(grouping, state) {
			starts = append(starts, i > 0 || raw.SliceOf[bool](state[s.split.Groupings[grouping].Head])[0])
		}
	}
	return starts
}
