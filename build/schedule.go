package build

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// ScheduleUsage documents the flag --schedule.
const ScheduleUsage = "the shape of work-group kernels, as in `workgroup=256,items=16,scheme=lookback,variant=privvar`"

// Schemes lists the choices of scheme, the default first.
var Schemes = []string{simt.SchemeLookback, simt.SchemeRound, simt.SchemePublished}

// SchemesInParts are those that launches in parts, and every device, can have.
var SchemesInParts = []string{simt.SchemeLookback, simt.SchemePublished}

// mostGroups is how many groups the largest units of GPUs have at once.
const mostGroups = 32

// ParseSchedule reads the settings of --schedule, each NAME=VALUE.
func ParseSchedule(text string) (s plan.Schedule, err error) {
	if text == "" {
		return s, nil
	}
	for setting := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(setting, "=")
		number, numberErr := strconv.Atoi(value)
		isNumber := numberErr == nil && number > 0
		switch {
		case name == "workgroup" && isNumber && number <= 1024 && (number&(number-1) == 0 || number%32 == 0):
			s.Workgroup = number
		case name == "workgroup":
			return s, usagef("--schedule %s: workgroup is a power of two up to 1024; with scheme=%s a multiple of 32", setting, simt.SchemeRound)
		case name == "ring" && numberErr == nil && number >= 3 && number <= 64:
			s.Ring = number
		case name == "ring":
			return s, usagef("--schedule %s: ring is 3 to 64 tiles that a group has in local memory", setting)
		case name == "items" && isNumber && number <= 512:
			s.Items = number
		case name == "items":
			return s, usagef("--schedule %s: items is 1 to 512 rows a work-item", setting)
		case name == "scheme" && slices.Contains(Schemes, value):
			s.Scheme = value
		case name == "scheme":
			return s, usagef("--schedule %s: scheme is %s", setting, strings.Join(Schemes, " or "))
		case name == "lookahead" && isNumber && number <= 8:
			s.Lookahead = number
		case name == "lookahead":
			return s, usagef("--schedule %s: lookahead is 1 to 8 rounds", setting)
		case name == "chunk" && isNumber && number <= 1024:
			s.Chunk = number
		case name == "chunk":
			return s, usagef("--schedule %s: chunk is 1 to 1024 tiles that a group walks through", setting)
		case name == "ids" && (value == plan.Ticket || value == plan.Static):
			s.IDs = value
		case name == "ids":
			return s, usagef("--schedule %s: ids is %s or %s", setting, plan.Ticket, plan.Static)
		case name == "offsets" && (value == plan.Scan || value == plan.Broadcast):
			s.Offsets = value
		case name == "offsets":
			return s, usagef("--schedule %s: offsets is %s or %s", setting, plan.Scan, plan.Broadcast)
		case name == "occupancy" && isNumber && number <= mostGroups:
			s.Occupancy = number
		case name == "occupancy":
			return s, usagef("--schedule %s: occupancy is 1 to %d groups that registers leave room for on a unit", setting, mostGroups)
		case name == "variant" && slices.Contains(plan.Variants, value):
			s.Variant = value
		case name == "variant":
			return s, usagef("--schedule %s: variant is %s", setting, strings.Join(plan.Variants, ", "))
		case name == "part" && isNumber && number <= plan.MaxRows:
			s.Part = int64(number)
		case name == "part":
			return s, usagef("--schedule %s: part is 1 to %d rows that a launch takes, of which there are as many as the input needs", setting, plan.MaxRows)
		default:
			return s, usagef("--schedule %s: there are workgroup, items, chunk, scheme, ids, offsets, variant, ring, lookahead, occupancy and part", setting)
		}
	}
	switch {
	case s.Scheme != simt.SchemeRound && s.Workgroup&(s.Workgroup-1) != 0:
		return s, usagef("--schedule %s: workgroup=%d is no power of two, which only scheme=%s does without", text, s.Workgroup, simt.SchemeRound)
	case s.Scheme != simt.SchemeRound && s.Ring+s.Lookahead > 0:
		return s, usagef("--schedule %s: ring and lookahead are choices of scheme=%s", text, simt.SchemeRound)
	case s.Scheme == simt.SchemeRound && (s.IDs != "" || s.Chunk > 0 || s.Part > 0 || s.Offsets != "" || s.Occupancy > 0):
		return s, usagef("--schedule %s: under scheme=%s a group a unit walks over all rows with the others: leave out ids, chunk, offsets, occupancy and part", text, simt.SchemeRound)
	}
	if s.IDs != "" && s.Scheme == simt.SchemePublished {
		return s, usagef("--schedule %s: ids is a choice of scheme=%s; under %s no tile waits for another", text, simt.SchemeLookback, simt.SchemePublished)
	}
	if s.Offsets != "" && s.Scheme != simt.SchemePublished {
		return s, usagef("--schedule %s: offsets is a choice of scheme=%s; under %s tiles tell each other", text, simt.SchemePublished, simt.SchemeLookback)
	}
	return s, nil
}

// RefuseSchedule refuses a schedule for a device or backend, what, that has no
// work-group kernels.
func RefuseSchedule(what string, s plan.Schedule) error {
	if s == (plan.Schedule{}) {
		return nil
	}
	return usagef("%s has no work-group kernels: leave out --schedule", what)
}
