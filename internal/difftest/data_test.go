package difftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// subgrouped is a device with subgroups, whose kernels launch kernels.
type subgrouped struct{ fake }

func (*subgrouped) Target() simt.Target {
	return simt.Target{Subgroup: simt.SubgroupOf(32), Children: true, BulkCopies: true}
}

// TestSchedulesByChance checks that the flag accepts random schedules, that some of
// them are persistent on a device with subgroups, and that a device without
// subgroups gets the same tiles with another scheme.
func TestSchedulesByChance(t *testing.T) {
	const programs = 400
	compiled, _, err := compile.Compile(testProgram(t).Pipeline, compile.Options{Level: fuse.LevelOnePass})
	if err != nil {
		t.Fatal(err)
	}
	persistent, lookaheads := 0, map[int]bool{}
	for number := range programs {
		s := scheduleOf(5, number)
		read, err := build.ParseSchedule(ScheduleText(s))
		if err != nil || read != s {
			t.Fatalf("%s is read as %+v: %v", ScheduleText(s), read, err)
		}
		if s.Offsets != "" && s.Part > 0 { // which are refused together
			s.Part = 0
		}
		if got := allowed(&subgrouped{}, compiled, s); got != s {
			t.Errorf("with subgroups, %s becomes %s", ScheduleText(s), ScheduleText(got))
		}
		without := allowed(&fake{}, compiled, s)
		if without.Rows() != s.Rows() {
			t.Errorf("without subgroups, %s becomes %s", ScheduleText(s), ScheduleText(without))
		}
		if without.Sources == plan.PerChild {
			t.Errorf("where kernels launch none, %s becomes %s", ScheduleText(s), ScheduleText(without))
		}
		if s.Scheme != simt.SchemePersistent {
			continue
		}
		persistent++
		lookaheads[s.Lookahead] = true
		if without.Scheme != "" {
			t.Errorf("without subgroups, %s becomes %s", ScheduleText(s), ScheduleText(without))
		}
		most := 0
		for run := range 40 {
			most = max(most, dataOf(5, number, run, s).Rows)
		}
		if most < 4*int(s.Rows()) {
			t.Errorf("%s walks over %d rows at most", ScheduleText(s), most)
		}
	}
	if persistent < programs/8 || len(lookaheads) != 3 {
		t.Errorf("of %d schedules %d are persistent, with lookaheads %v", programs, persistent, lookaheads)
	}
}

// TestRefusedPersistent checks that a broken schedule does not count as refused,
// and that a requested persistent schedule is not replaced.
func TestRefusedPersistent(t *testing.T) {
	s := plan.Schedule{Workgroup: 128, Items: 2, Scheme: simt.SchemePersistent, Lookahead: 1, Ring: 3}
	if got := allowed(&subgrouped{}, nil, s); got != s { // which panics
		t.Errorf("%s becomes %s", ScheduleText(s), ScheduleText(got))
	}
	for _, s := range []plan.Schedule{s, {Scheme: simt.SchemePersistent, Lookahead: 2}} { // of any shape
		report := Run(t.Context(), Options{Devices: []Device{Emulated{}}, Programs: []Program{testProgram(t)}, Levels: []string{"onepass"}, Runs: 1, Schedule: s})
		if told := report.Cells[0].Absent; report.CountMismatches() > 0 || len(told) != 1 || !strings.Contains(fmt.Sprint(told), "no such schedule for a program: scheme=persistent: it takes subgroups of 32") {
			t.Errorf("%s: %+v, %v", ScheduleText(s), report.Mismatches, told)
		}
	}
}
