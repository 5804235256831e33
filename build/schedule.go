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
const ScheduleUsage = "the `SHAPE` of work-group kernels, as in workgroup=256,items=16,scheme=lookback"

// maxOccupancy is the number of work-groups that the largest compute units of
// GPUs run at once.
const maxOccupancy = 32

// setting is one setting of --schedule.
type setting struct {
	name   string
	legal  string                                    // the legal values, for messages
	values []string                                  // the same, if they are few words
	set    func(s *plan.Schedule, value string) bool // returns false if the value is not legal
}

var settings = []setting{
	workgroup(simt.Schemes()),
	number("items", 1, 512, "rows per work-item", func(s *plan.Schedule) *int { return &s.Items }),
	number("chunk", 1, 1024, "tiles per work-group", func(s *plan.Schedule) *int { return &s.Chunk }),
	choice("scheme", schemes(), func(s *plan.Schedule) *string { return &s.Scheme }),
	choice("ids", []string{plan.Ticket, plan.Static}, func(s *plan.Schedule) *string { return &s.IDs }),
	choice("offsets", []string{plan.Scan, plan.Broadcast}, func(s *plan.Schedule) *string { return &s.Offsets }),
	choice("variant", plan.Variants, func(s *plan.Schedule) *string { return &s.Variant }),
	choice("table", []string{plan.Local, plan.Global}, func(s *plan.Schedule) *string { return &s.Table }),
	choice("groups", plan.GroupWays, func(s *plan.Schedule) *string { return &s.Groups }),
	choice("places", plan.PlacesWays, func(s *plan.Schedule) *string { return &s.Places }),
	choice("probe", plan.Probes, func(s *plan.Schedule) *string { return &s.Probe }),
	choice("sources", plan.SourceWays, func(s *plan.Schedule) *string { return &s.Sources }),
	number("radix", 1, 8, "bits of a digit", func(s *plan.Schedule) *int { return &s.Radix }),
	choice("rank", plan.RankWays, func(s *plan.Schedule) *string { return &s.Rank }),
	number("ring", 3, 64, "tiles that a work-group has in local memory", func(s *plan.Schedule) *int { return &s.Ring }),
	number("lookahead", 1, 8, "rounds", func(s *plan.Schedule) *int { return &s.Lookahead }),
	number("occupancy", 1, maxOccupancy, "work-groups of a compute unit that registers have to suffice for", func(s *plan.Schedule) *int { return &s.Occupancy }),
	number("part", 1, plan.MaxRows, "rows per launch", func(s *plan.Schedule) *int64 { return &s.Part }),
}

// schemes returns the names of the schemes, the default first.
func schemes() (names []string) {
	for _, t := range simt.Schemes() {
		names = append(names, t.Name)
	}
	return names
}

// workgroup returns the setting of a work-group's size, which has to be legal for one
// of the schemes.
func workgroup(schemes []simt.Traits) setting {
	legal := "a " + schemes[0].Sizes() + " up to 1024"
	for _, t := range schemes[1:] {
		if t.Sizes() != schemes[0].Sizes() {
			legal += "; with scheme=" + t.Name + " a " + t.Sizes()
		}
	}
	return setting{name: "workgroup", legal: legal, set: func(s *plan.Schedule, value string) bool {
		return setNumber(&s.Workgroup, value, 1, 1024) && slices.ContainsFunc(schemes, func(t simt.Traits) bool { return t.AllowsWorkgroup(s.Workgroup) })
	}}
}

// number returns a setting whose values are the integers from least to most.
func number[T int | int64](name string, least, most T, unit string, field func(*plan.Schedule) *T) setting {
	return setting{name: name, legal: fmt.Sprintf("%d to %d %s", least, most, unit), set: func(s *plan.Schedule, value string) bool {
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
	return setting{name: name, legal: strings.Join(values, " or "), values: values, set: func(s *plan.Schedule, value string) bool {
		*field(s) = value
		return slices.Contains(values, value)
	}}
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
	if err := simt.CheckSchedule(s); err != nil {
		return s, usagef("--schedule %s: %v", text, err)
	}
	return s, nil
}

// CompleteSchedule returns what may follow in the value of the flag --schedule, as
// the whole value. Names end in =, and a description is behind a tab.
func CompleteSchedule(text string) (values []string) {
	before, part := "", text
	if i := strings.LastIndexByte(text, ','); i >= 0 {
		before, part = text[:i+1], text[i+1:]
	}
	name, _, named := strings.Cut(part, "=")
	for _, x := range settings {
		switch {
		case !named && !strings.Contains(","+before, ","+x.name+"="):
			values = append(values, before+x.name+"=\t"+x.legal)
		case named && name == x.name:
			for _, v := range x.values {
				values = append(values, before+name+"="+v)
			}
		}
	}
	return values
}

// RefuseSchedule returns a [UsageError] if s is of work-groups. It is for devices and
// backends without work-group kernels, which take probe alone; what names one of them.
func RefuseSchedule(what string, s plan.Schedule) error {
	if s == (plan.Schedule{Probe: s.Probe}) {
		return nil
	}
	return usagef("%s has no work-group kernels: of --schedule it takes probe alone", what)
}
