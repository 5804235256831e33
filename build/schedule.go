package build

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// ScheduleUsage documents the flag --schedule.
const ScheduleUsage = "the shape of work-group kernels, as in `workgroup=256,items=16,scheme=lookback,variant=privvar`"

// Schemes lists the values of the setting scheme, the default first.
var Schemes = []string{simt.SchemeLookback, simt.SchemePersistent, simt.SchemePublished}

// SchemesInParts lists the schemes that every device has and whose launches may
// cover a part of the rows.
var SchemesInParts = []string{simt.SchemeLookback, simt.SchemePublished}

// maxOccupancy is the number of work-groups that the largest compute units of
// GPUs run at once.
const maxOccupancy = 32

// setting is one setting of --schedule.
type setting struct {
	name  string
	legal string                                    // the legal values, for messages
	set   func(s *plan.Schedule, value string) bool // returns false if the value is not legal
}

var settings = []setting{
	{"workgroup", "a power of two up to 1024; with scheme=" + simt.SchemePersistent + " a multiple of 32", func(s *plan.Schedule, value string) bool {
		return setNumber(&s.Workgroup, value, 1, 1024) && (isPowerOfTwo(s.Workgroup) || s.Workgroup%32 == 0)
	}},
	number("items", 1, 512, "rows per work-item", func(s *plan.Schedule) *int { return &s.Items }),
	number("chunk", 1, 1024, "tiles per work-group", func(s *plan.Schedule) *int { return &s.Chunk }),
	choice("scheme", Schemes, func(s *plan.Schedule) *string { return &s.Scheme }),
	choice("ids", []string{plan.Ticket, plan.Static}, func(s *plan.Schedule) *string { return &s.IDs }),
	choice("offsets", []string{plan.Scan, plan.Broadcast}, func(s *plan.Schedule) *string { return &s.Offsets }),
	choice("variant", plan.Variants, func(s *plan.Schedule) *string { return &s.Variant }),
	number("ring", 3, 64, "tiles that a work-group has in local memory", func(s *plan.Schedule) *int { return &s.Ring }),
	number("lookahead", 1, 8, "rounds", func(s *plan.Schedule) *int { return &s.Lookahead }),
	number("occupancy", 1, maxOccupancy, "work-groups of a compute unit that registers have to suffice for", func(s *plan.Schedule) *int { return &s.Occupancy }),
	number("part", 1, plan.MaxRows, "rows per launch", func(s *plan.Schedule) *int64 { return &s.Part }),
}

// number returns a setting whose values are the integers from least to most.
func number[T int | int64](name string, least, most T, unit string, field func(*plan.Schedule) *T) setting {
	return setting{name, fmt.Sprintf("%d to %d %s", least, most, unit), func(s *plan.Schedule, value string) bool {
		return setNumber(field(s), value, least, most)
	}}
}

func setNumber[T int | int64](field *T, value string, least, most T) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	*field = T(n)
	return err == nil && n >= int64(least) && n <= int64(most)
}

// choice returns a setting with a few values.
func choice(name string, values []string, field func(*plan.Schedule) *string) setting {
	return setting{name, strings.Join(values, " or "), func(s *plan.Schedule, value string) bool {
		*field(s) = value
		return slices.Contains(values, value)
	}}
}

func isPowerOfTwo(n int) bool { return n&(n-1) == 0 }

// conflicts has the combinations of settings that are refused, with the reason.
var conflicts = []struct {
	refuses func(s plan.Schedule) bool
	reason  func(s plan.Schedule) string
}{
	{func(s plan.Schedule) bool { return s.Scheme != simt.SchemePersistent && !isPowerOfTwo(s.Workgroup) },
		func(s plan.Schedule) string {
			return fmt.Sprintf("workgroup=%d is no power of two; only scheme=%s allows that", s.Workgroup, simt.SchemePersistent)
		}},
	{func(s plan.Schedule) bool { return s.Scheme != simt.SchemePersistent && s.Ring+s.Lookahead > 0 },
		func(plan.Schedule) string {
			return "ring and lookahead are settings of scheme=" + simt.SchemePersistent
		}},
	{func(s plan.Schedule) bool {
		return s.Scheme == simt.SchemePersistent && (s.IDs != "" || s.Chunk > 0 || s.Part > 0 || s.Offsets != "" || s.Occupancy > 0)
	}, func(plan.Schedule) string {
		return fmt.Sprintf("with scheme=%s one work-group per compute unit processes all rows with the others: omit ids, chunk, offsets, occupancy and part", simt.SchemePersistent)
	}},
	{func(s plan.Schedule) bool { return s.Scheme == simt.SchemePublished && s.IDs != "" },
		func(plan.Schedule) string {
			return fmt.Sprintf("ids is a setting of scheme=%s; with %s no tile waits for another", simt.SchemeLookback, simt.SchemePublished)
		}},
	{func(s plan.Schedule) bool { return s.Scheme != simt.SchemePublished && s.Offsets != "" },
		func(plan.Schedule) string { return "offsets is a setting of scheme=" + simt.SchemePublished }},
}

// ParseSchedule reads the value of the flag --schedule: settings NAME=VALUE,
// separated by commas. The error is a [UsageError] that says what is legal.
func ParseSchedule(text string) (s plan.Schedule, err error) {
	if text == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(settings, func(x setting) bool { return x.name == name })
		if i < 0 {
			var names []string
			for _, x := range settings {
				names = append(names, x.name)
			}
			return s, usagef("--schedule %s: there are %s", part, strings.Join(names, ", "))
		}
		if now := plan.FormerSchemes[value]; name == "scheme" && now != "" {
			return s, usagef("--schedule %s: this scheme is called %s now: scheme=%s", part, now, now)
		}
		if !settings[i].set(&s, value) {
			return s, usagef("--schedule %s: %s is %s", part, name, settings[i].legal)
		}
	}
	for _, c := range conflicts {
		if c.refuses(s) {
			return s, usagef("--schedule %s: %s", text, c.reason(s))
		}
	}
	return s, nil
}

// RefuseSchedule returns a [UsageError] unless s is the zero schedule. It is for
// devices and backends without work-group kernels; what names one of them.
func RefuseSchedule(what string, s plan.Schedule) error {
	if s == (plan.Schedule{}) {
		return nil
	}
	return usagef("%s has no work-group kernels: leave out --schedule", what)
}
