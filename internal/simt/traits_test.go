package simt

import (
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// requireFamilies fails for schemes that leave out what a scheme has to say.
func requireFamilies(t *testing.T) {
	t.Helper()
	for _, f := range families {
		fields := reflect.ValueOf(*f)
		for i := range fields.NumField() {
			if field := fields.Field(i); field.Kind() == reflect.Func && field.IsNil() {
				t.Errorf("scheme %s has no %s", f.Name, fields.Type().Field(i).Name)
			}
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestTraits holds that schemes have the traits that they claim: the kernels of one
// cut show them.
func TestTraits(t *testing.T) {
	requireFamilies(t)
	program := counts(t, fuse.LevelOnePass, "")
	target := Target{Subgroup: SubgroupOf(32), BulkCopies: true}
	for _, traits := range Schemes() {
		if traits.Name == "" || TraitsOf(plan.Schedule{Scheme: traits.Name}) != traits {
			t.Errorf("%q is not found by its name", traits.Name)
		}
		const rows = 64
		s := plan.Schedule{Scheme: traits.Name, Workgroup: traits.Control + rows, Items: 2}
		lowered, err := target.Lower(program, s)
		if err != nil {
			t.Errorf("scheme %s: with %d work-items for control, and %d for rows: %v", traits.Name, traits.Control, rows, err)
			continue
		}
		last := lowered.Plan.Kernels[len(lowered.Plan.Kernels)-1].Variants[0]
		if last.Schedule.Rows() != 2*rows {
			t.Errorf("scheme %s: %d work-items do not take rows of %+v", traits.Name, traits.Control, last.Schedule)
		}
		if traits.Walks != (last.Forward == plan.ForwardResident) {
			t.Errorf("scheme %s: Walks is %v, and tiles are numbered by %q", traits.Name, traits.Walks, last.Forward)
		}
		if _, err := Lower(program, s); traits.Portable != (err == nil) {
			t.Errorf("scheme %s: Portable is %v: %v", traits.Name, traits.Portable, err)
		}
		parts := s
		parts.Part = 1 << 20
		if _, err := target.Lower(program, parts); traits.InParts() != (err == nil) {
			t.Errorf("scheme %s: InParts is %v: %v", traits.Name, traits.InParts(), err)
		}
		s.Workgroup += 3 * traits.Multiple
		if _, err := target.Lower(program, s); err != nil {
			t.Errorf("scheme %s: Multiple is %d: %v", traits.Name, traits.Multiple, err)
		}
		s.Workgroup++
		if _, err := target.Lower(program, s); err == nil {
			t.Errorf("scheme %s takes a work-group of %d, no %s", traits.Name, s.Workgroup, traits.Sizes())
		}
	}
}

// TestFallbacks holds that a fallback is a schedule of every device, whatever
// settings the scheme takes.
func TestFallbacks(t *testing.T) {
	requireFamilies(t)
	for _, f := range families {
		s := plan.Schedule{Scheme: f.Name}
		for _, set := range []func(*plan.Schedule){
			func(s *plan.Schedule) { s.Workgroup = f.Control + 64 + 3*f.Multiple },
			func(s *plan.Schedule) { s.Items = 3 },
			func(s *plan.Schedule) { s.IDs = plan.Static },
			func(s *plan.Schedule) { s.Offsets = plan.Broadcast },
			func(s *plan.Schedule) { s.Lookahead, s.Ring = 2, 5 },
			func(s *plan.Schedule) { s.Part = 1 << 20 },
		} {
			more := s
			if set(&more); CheckSchedule(more) == nil {
				s = more
			}
		}
		if fallback := f.fallback(s); CheckSchedule(fallback) != nil || !TraitsOf(fallback).Portable {
			t.Errorf("scheme %s: the fallback of %+v is %+v: %v", f.Name, s, fallback, CheckSchedule(fallback))
		}
	}
}
