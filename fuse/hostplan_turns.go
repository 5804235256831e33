package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// unmoved gives up before anything reads numbers of rows that were not moved: they lie
// anywhere.
var unmoved = plan.Step{CheckErrors: &plan.CheckErrors{AbortOnly: true}}

// addScalars adds scalars of i64 that the plan does not have yet.
func (m *planner) addScalars(names ...string) {
	for _, name := range names {
		if !slices.ContainsFunc(m.out.Scalars, func(s plan.Scalar) bool { return s.Name == name }) {
			m.out.Scalars = append(m.out.Scalars, plan.Scalar{Name: name, Kind: plan.I64, Init: "0"})
		}
	}
}

// series are the moves that carry columns in turn between two sets of buffers, after what makes
// the first of these.
type series struct {
	of     *sorting
	isWide bool
}

// seriesOf returns the series of which t is a part.
func seriesOf(t turn) series {
	return series{t.of, t.part == wideFirst || t.part == wideMiddle || t.part == wideLast}
}

// passes returns how many passes a series has, with the one that makes its first columns; how many
// there are between that and the last at most, and the number of the first one's digit.
func (s series) passes() (count plan.Expr, between int, first plan.Expr) {
	passes, narrow := plan.Var(s.of.names.passes), s.of.mostNarrow()
	switch {
	case s.of.cut == nil:
		return passes, s.of.most - 2, plan.Const(1)
	case s.isWide:
		return s.of.wide(), s.of.most - narrow - 2, plan.Const(1)
	}
	count = plan.Min(passes, plan.Const(int64(narrow+1)))
	return count, narrow - 1, plan.Sub(plan.Add(passes, plan.Const(1)), count)
}

// wide returns how many passes are wide.
func (s *sorting) wide() plan.Expr {
	return plan.Max(plan.Sub(plan.Var(s.names.passes), plan.Const(int64(s.mostNarrow()))), plan.Const(0))
}

// turnSteps returns the steps of a kernel that the plan may leave out: k, launched so.
// Moved is what the first pass of each series has moved, then the passes between. At the
// end of a sort that others follow, the plan gives up if a launch did.
func (m *planner) turnSteps(t turn, k *tile.Kernel, launch plan.Launch, moved map[series][][]string, isEnd bool) []plan.Step {
	passes, of := plan.Var(t.of.names.passes), seriesOf(t)
	isNarrow := t.of.cut != nil && !of.isWide && t.part != firstPass && t.part != onlyPass && t.part != aheadPass
	run := func(digit plan.Expr, launch plan.Launch) []plan.Step {
		width := plan.Step{Set: &plan.Set{Scalar: m.digitWidth, Value: plan.Var(t.of.names.width)}}
		shift := t.of.shiftOf(digit)
		if isNarrow {
			shift = plan.Sub(shift, plan.Var(m.result(t.of.cut).Name))
		}
		return append([]plan.Step{width}, m.passSteps(shift, digit, launch)...)
	}
	when := func(cond plan.Expr, steps ...plan.Step) plan.Step {
		cond = t.ofWidth(cond)
		if isEnd {
			steps = append(steps, unmoved)
		}
		return plan.Step{If: &plan.If{Cond: cond, Then: steps}}
	}
	several := plan.Lt(plan.Const(1), passes)
	count, between, first := of.passes()
	switch t.part {
	case recount:
		return m.recountSteps(t.of, k, launch)
	case aheadPass: // by no digit in particular if no pass follows
		return run(plan.Max(plan.Sub(passes, plan.Const(1)), plan.Const(0)), launch)
	case noPass:
		return []plan.Step{when(plan.Eq(passes, plan.Const(0)), plan.Step{Launch: &launch})}
	case onlyPass:
		return []plan.Step{when(plan.Eq(passes, plan.Const(1)), run(plan.Const(0), launch)...)}
	case firstPass:
		moved[of] = [][]string{movedColumns(k)}
		if t.of.cut != nil { // or the only wide one
			several = plan.And(several, plan.Lt(t.of.wide(), plan.Const(2)))
		}
		return []plan.Step{when(several, run(plan.Const(0), launch)...)}
	case wideFirst:
		moved[of] = [][]string{movedColumns(k)}
		return []plan.Step{when(plan.Lt(plan.Const(1), t.of.wide()), run(plan.Const(0), launch)...)}
	case middlePass, wideMiddle: // two sets of columns take turns
		if len(moved[of]) == 1 {
			moved[of] = append(moved[of], movedColumns(k))
		}
		from, to := moved[of][0], moved[of][1]
		back := launch
		back.Bind = rebound(launch.Bind, plan.Reads, from, to)
		back.Bind = rebound(back.Bind, plan.Writes, to, from)
		var steps []plan.Step
		for i := range int64(between) {
			steps = append(steps, when(plan.Lt(plan.Const(i+2), count), run(plan.Add(first, plan.Const(i)), launch)...))
			launch, back = back, launch
		}
		return steps
	}
	end := passes
	if of.isWide {
		end = count
	}
	last := func(launch plan.Launch) []plan.Step { return run(plan.Sub(end, plan.Const(1)), launch) }
	steps := last(launch)
	if from := moved[of]; len(from) > 1 {
		early := launch
		early.Bind = rebound(launch.Bind, plan.Reads, from[1], from[0])
		isOdd := plan.Lt(count, plan.Mul(plan.CeilDiv(count, plan.Const(2)), plan.Const(2)))
		steps = []plan.Step{{If: &plan.If{Cond: isOdd, Then: steps, Else: last(early)}}}
	}
	return []plan.Step{when(plan.Lt(plan.Const(1), end), steps...)}
}

// ofWidth returns the condition that a pass is run, of those by digits of either number of bits.
func (t turn) ofWidth(isRun plan.Expr) plan.Expr {
	if t.of.other == 0 || t.part != firstPass && t.part != middlePass && t.part != lastPass {
		return isRun
	}
	width, most := plan.Var(t.of.names.width), plan.Const(int64(min(t.of.radix, t.of.other))) // of the narrower digits
	if t.isOther == t.isWider() {
		return plan.And(isRun, plan.Lt(most, width))
	}
	return plan.And(isRun, plan.Lt(width, plan.Add(most, plan.Const(1))))
}

// shiftOf returns the place of a digit.
func (s *sorting) shiftOf(digit plan.Expr) plan.Expr {
	return plan.Add(plan.Var(s.names.shift), plan.Mul(digit, plan.Var(s.names.width)))
}

// recountSteps chooses the digits of a sort: as few as there can be, all of one width.
// If that saves a pass, k counts them. Else digits of full width are as good, which have
// been counted.
func (m *planner) recountSteps(s *sorting, k *tile.Kernel, launch plan.Launch) []plan.Step {
	set := func(name string, value plan.Expr) plan.Step {
		return plan.Step{Set: &plan.Set{Scalar: name, Value: value}}
	}
	if !s.isCountedTwice() {
		m.addScalars(m.digitWidth)
		return []plan.Step{set(m.digitShift, plan.Var(s.names.shift)), set(m.digitWidth, plan.Var(s.names.width)), {Launch: &launch}}
	}
	low, high := plan.Var(m.result(s.low).Name), plan.Var(m.result(s.high).Name)
	radix, passes := plan.Const(int64(s.radix)), plan.Var(s.names.passes)
	m.addScalars(s.names.passes, s.names.shift, s.names.width, m.digitWidth)
	counts := k.Streams[slices.IndexFunc(k.Streams, func(s tile.Stream) bool { return s.Write })].Buffer
	differing := plan.Max(plan.Sub(high, low), plan.Const(0))
	again := func(width ...plan.Step) []plan.Step {
		return append(width,
			// The digits end with the highest bit that differs, so that they do not go beyond the word.
			set(s.names.shift, plan.Max(plan.Sub(high, plan.Mul(passes, plan.Var(s.names.width))), plan.Const(0))),
			set(m.digitShift, plan.Var(s.names.shift)),
			set(m.digitWidth, plan.Var(s.names.width)),
			plan.Step{Init: &plan.Init{Buffer: counts}},
			plan.Step{Launch: &launch})
	}
	width := set(s.names.width, plan.CeilDiv(differing, plan.Max(passes, plan.Const(1))))
	isSaved := plan.Lt(passes, plan.CeilDiv(high, radix))
	full := set(s.names.width, radix)
	chosen := plan.Step{If: &plan.If{Cond: isSaved, Then: again(width), Else: []plan.Step{full}}}
	if s.other > 0 { // several other passes are worth it, too, if they are fewer, or of many rows
		other := plan.CeilDiv(differing, plan.Const(int64(s.other)))
		isWorth := plan.And(plan.Lt(plan.Const(s.many), launch.Rows), plan.Lt(other, plan.Add(plan.Var(s.names.passes), plan.Const(1))))
		if s.other > s.radix { // there are counters for few digits
			isWorth = plan.And(plan.Lt(other, plan.Var(s.names.passes)), plan.Lt(other, plan.Const(wideDigits+1)))
		}
		isOther := plan.And(plan.Lt(plan.Const(1), other), isWorth)
		chosen = plan.Step{If: &plan.If{Cond: isOther, Then: again(set(s.names.passes, other), width), Else: []plan.Step{chosen}}}
	}
	return []plan.Step{set(s.names.passes, plan.CeilDiv(differing, radix)), chosen}
}

// rebound is bind with other buffers for columns that a kernel reads or writes, which
// are in from otherwise. Arguments keep the names that the kernel gives them.
func rebound(bind []plan.Arg, access plan.Access, from, to []string) []plan.Arg {
	bind = slices.Clone(bind)
	for i, name := range from {
		at := slices.IndexFunc(bind, func(b plan.Arg) bool { return b.Buffer == name && b.Access == access })
		if at < 0 {
			at = len(bind)
			bind = append(bind, plan.Arg{Name: name, Access: access})
		}
		bind[at].Buffer = to[i]
	}
	return bind
}
