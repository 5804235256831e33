package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/internal/version"
)

// tune tunes over one set of columns. If ctx ends, the entry has what was measured.
func (t *tuning) tune(ctx context.Context, d explore.DataSet) (*tune.Entry, error) {
	data, err := t.runner.Open(ctx, d)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	p := t.pipeline.pipeline
	e := &tune.Entry{Device: t.identity, Pipeline: p.Name, Program: tune.Digest(p), Kgen: version.Kgen(), Data: d.Data, Class: tune.ClassOf(p, data.(*exploreData).columns),
		Space: t.space, Limits: explore.Limits{Width: t.flags.delta / 2, Time: t.flags.measured, Least: 5}}
	m := &tuneMeasuring{tuning: t, data: data, entry: e, report: &explore.Report{Header: explore.Header{Reference: "the interpreter"}}, begun: time.Now()}
	if known := t.file.Find(e); known != nil && t.flags.resume {
		e.Default, e.Results, e.Searches = known.Default, known.Results, known.Searches
		m.report.Results = append(append(m.report.Results, known.Default), known.Results...)
	}
	plain := explore.Configuration{Pipeline: d.Pipeline, Data: d.Data, Rows: data.Rows(), Device: t.flags.device, Level: fuse.LevelAuto}
	r, err := m.result(ctx, plain)
	if err != nil {
		return nil, err
	}
	e.Default = *r
	d.Rows = data.Rows()
	tried := 0
	for _, search := range t.searches {
		m.search = search.Name
		o := tune.Options{Delta: t.flags.delta, Most: t.flags.most, Seed: t.flags.seed}
		switch {
		case o.Most > 0:
		case search.Name == tune.Random.Name:
			o.Most = tried
		case search.Name == tune.Gradient.Name:
			o.Most = max(leastTries, t.space.Size()*15/100)
		}
		m.tried = 0
		found, err := search.Run(ctx, t.space, t.start, func(ctx context.Context, p tune.Point) (float64, error) { return m.time(ctx, t.configuration(d, p)) }, o)
		if search.Name == tune.Gradient.Name {
			tried = found.Tried
		}
		outcome := tune.Outcome{Search: search.Name, Delta: o.Delta, Seed: o.Seed, Tried: found.Tried, Not: found.Not, Whole: found.Whole, Moves: t.space.Steps(found.Moves)}
		if found.Best != nil {
			outcome.Best, outcome.Time = t.space.String(found.Best), found.Time
		}
		e.Conclude(outcome)
		if err != nil {
			if errors.Is(err, tune.ErrNothingRuns) && len(e.Problems()) > 0 {
				err = fmt.Errorf("%w: %s", err, e.Problems()[0].Problem)
			}
			return e, err
		}
	}
	return e, m.others(ctx, plain)
}

// leastTries is how many configurations the search may try in a small space. In a large one it
// may try 15 % of them: where all are within delta of each other, it would try all.
const leastTries = 24

// others measures what was best on other devices, for a matrix of penalties.
func (m *tuneMeasuring) others(ctx context.Context, plain explore.Configuration) error {
	m.search = "with"
	for _, f := range m.with {
		for i := range f.Entries {
			other := &f.Entries[i]
			best := other.Best()
			if best == nil || other.Program != m.entry.Program || other.Data != m.entry.Data || other.Class.Rows != m.entry.Class.Rows {
				continue
			}
			c := plain
			c.Level, c.Schedule = best.Level, best.Schedule
			if !m.device.shaped() {
				c.Schedule = ""
			}
			if _, err := m.result(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// tuneMeasuring measures configurations over one set of columns, each once.
type tuneMeasuring struct {
	*tuning
	data   explore.Data
	entry  *tune.Entry
	report *explore.Report
	search string
	tried  int // by the present search
	begun  time.Time
}

// time implements [tune.Measure].
func (m *tuneMeasuring) time(ctx context.Context, c explore.Configuration) (float64, error) {
	r, err := m.result(ctx, c)
	switch {
	case err != nil:
		return 0, err
	case r.Status == explore.Refused:
		return math.Inf(1), tune.ErrNotRun
	}
	m.tried++
	if r.Status != explore.Agrees || r.Count == 0 {
		return math.Inf(1), nil
	}
	return r.Median, nil
}

// result measures a configuration, unless that was done before.
func (m *tuneMeasuring) result(ctx context.Context, c explore.Configuration) (*explore.Result, error) {
	if known := m.report.Find(c); known != nil && !known.Partial {
		return known, nil
	}
	text := fmt.Sprintf("%s search, %d of %d tried", m.search, m.tried, m.space.Size())
	if m.search == tune.Full.Name && m.tried > 0 {
		left := time.Since(m.begun).Seconds() / float64(len(m.report.Results)) * float64(m.space.Size()-m.tried)
		text += ", about " + describeTime(left) + " left at most"
	}
	err := explore.Run(ctx, held{m.data}, []explore.Configuration{c}, m.report, explore.Options{Limits: m.entry.Limits, Command: m.command, Turn: m.flags.turns(),
		Progress: func(_ float64, what string) { m.runner.waiting.on(text + ": " + what) }})
	r := m.report.Find(c)
	if err != nil {
		return nil, err
	}
	if c.Level != fuse.LevelAuto || c.Schedule != "" {
		m.entry.Results = append(m.entry.Results, *r)
	}
	return r, nil
}

// held gives configurations that run one after the other the same columns.
type held struct{ explore.Data }

// Open implements [explore.Runner].
func (h held) Open(context.Context, explore.DataSet) (explore.Data, error) { return h, nil }

// Close leaves the columns to their owner.
func (held) Close() {}
