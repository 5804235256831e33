package simt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/plan"
)

// Traits are what the rest of kgen may know of a scheme.
type Traits struct {
	Name     string // in schedules and plans
	Portable bool   // every device runs its kernels
	Walks    bool   // resident work-groups take one tile after the other, in one launch for all rows
	Control  int    // work-items of a work-group that take no rows
	Multiple int    // the size of a work-group is a multiple of this or, if it is 0, a power of two
}

// Schemes returns the traits of the schemes that schedules may name, the default
// first.
func Schemes() []Traits {
	var list []Traits
	for _, f := range families {
		list = append(list, f.Traits)
	}
	return list
}

// TraitsOf returns the traits of the scheme that a schedule names, or zero if there
// is no such scheme.
func TraitsOf(s plan.Schedule) Traits {
	f, err := familyOf(s)
	if err != nil {
		return Traits{}
	}
	return f.Traits
}

// InParts reports whether launches may cover a part of the rows.
func (t Traits) InParts() bool {
	return CheckSchedule(plan.Schedule{Scheme: t.Name, Part: plan.PartRows}) == nil
}

// AllowsWorkgroup reports whether a work-group may have so many work-items.
func (t Traits) AllowsWorkgroup(size int) bool {
	if t.Multiple == 0 {
		return size&(size-1) == 0
	}
	return size%t.Multiple == 0
}

// Sizes says which sizes of work-groups are allowed.
func (t Traits) Sizes() string {
	if t.Multiple == 0 {
		return "power of two"
	}
	return fmt.Sprintf("multiple of %d", t.Multiple)
}

// ownSetting is a setting that not every scheme has.
type ownSetting struct {
	name  string
	isSet func(s plan.Schedule) bool
}

// CheckSchedule returns why no kernel can have a schedule: there is no such scheme,
// or it refuses a setting.
func CheckSchedule(s plan.Schedule) error {
	f, err := familyOf(s)
	if err != nil {
		return err
	}
	if err := f.refuse(s); err != nil {
		return err
	}
	if !f.AllowsWorkgroup(s.Workgroup) {
		var others []string
		for _, t := range Schemes() {
			if t.AllowsWorkgroup(s.Workgroup) {
				others = append(others, "scheme="+t.Name)
			}
		}
		reason := fmt.Sprintf("workgroup=%d is no %s", s.Workgroup, f.Sizes())
		if len(others) > 0 {
			reason += fmt.Sprintf("; only %s allows that", strings.Join(others, " or "))
		}
		return errors.New(reason)
	}
	for _, owner := range families {
		others := slices.DeleteFunc(slices.Clone(owner.settings), func(x ownSetting) bool { return f.has(x.name) })
		if !slices.ContainsFunc(others, func(x ownSetting) bool { return x.isSet(s) }) {
			continue
		}
		var names []string
		for _, x := range others {
			names = append(names, x.name)
		}
		verb := "is a setting"
		if len(names) > 1 {
			verb = "are settings"
		}
		return fmt.Errorf("%s %s of scheme=%s", strings.Join(names, " and "), verb, owner.Name)
	}
	return nil
}

// has reports whether a setting is the scheme's own.
func (f *family) has(setting string) bool {
	return slices.ContainsFunc(f.settings, func(x ownSetting) bool { return x.name == setting })
}
