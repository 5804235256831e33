package simt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Program is a pipeline lowered for work-groups.
type Program struct {
	Plan    *plan.Plan
	Kernels []*loop.Program // in the order of Plan.Kernels, then of its fallback's

	asksMuch bool // see lowering
}

// Lower makes work-group kernels of a program. The schedule's Workgroup and Items
// are those of every kernel, by default what suits each; its Scheme is that of
// kernels with cuts, look-back by default, for which the plan has a fallback to
// published. Where a CPU has several cores, that is the default.
func Lower(program *backends.Program, schedule plan.Schedule) (*Program, error) {
	return Target{}.Lower(program, schedule)
}

// Target is what kernels may use beyond what all devices have.
type Target struct {
	Subgroup  Subgroup
	Occupancy bool // kernels can say how many work-groups a compute unit has registers for
	Atomics64 bool // all devices have atomic operations of 64 bits

	MergesCounts bool // devices add up the ones that a subgroup adds to one address of local memory
	LanesInOrder bool // devices change an address of local memory for one lane of a subgroup after the other, as a rule

	Children bool // kernels launch kernels

	BulkCopies bool // kernels copy to local memory asynchronously

	Cores int // of a CPU, which runs the work-items of a work-group one after the other: work-groups have one, of many rows; 0 of other devices

	LaunchedLocal int64 // bytes of local memory that a launch may bring; on devices with less, the fallback runs

	Rows map[string]int64 // of domains of parameters, by their names, on devices that can walk in rounds: kernels over many rows do where that pays
}

// Lower is the function Lower for a target.
func (t Target) Lower(program *backends.Program, schedule plan.Schedule) (*Program, error) {
	return t.lower(program, schedule, spinLimit)
}

// lower is Lower with a spin limit, for tests.
func (t Target) lower(program *backends.Program, schedule plan.Schedule, spinLimit int64) (*Program, error) {
	err := CheckSchedule(schedule)
	if err == nil {
		err = errors.Join(t.refuseOccupancy(schedule.Occupancy), t.refuseSources(schedule.Sources), t.refuseRank(schedule.Rank))
	}
	if err != nil {
		return nil, fmt.Errorf("pipeline %s: %w", program.Pipeline.Name, err)
	}
	family, err := familyOf(schedule)
	if err != nil {
		return nil, err
	}
	lowered, err := lower(program, t, family, schedule, spinLimit, "")
	if err != nil {
		return nil, err
	}
	if !lowered.asksMuch {
		return lowered, validate(lowered.Plan)
	}
	schedule = family.fallback(schedule)
	if family, err = familyOf(schedule); err != nil {
		return nil, err
	}
	fallback, err := lower(program, t, family, schedule, spinLimit, "_"+family.Name)
	if err != nil {
		return nil, err
	}
	lowered.Plan.Fallback = fallback.Plan
	lowered.Kernels = append(lowered.Kernels, fallback.Kernels...)
	return lowered, validate(lowered.Plan)
}

// refuseOccupancy returns why kernels cannot have the schedule's occupancy.
func (t Target) refuseOccupancy(occupancy int) error {
	switch {
	case occupancy < 0:
		return fmt.Errorf("occupancy=%d: there are registers for at least one work-group", occupancy)
	case occupancy > 0 && !t.Occupancy:
		return fmt.Errorf("occupancy=%d: these kernels cannot say how many registers they may have; leave it out", occupancy)
	}
	return nil
}

// refuseSources returns why rows cannot find their sources in the schedule's way.
func (t Target) refuseSources(way string) error {
	if way == plan.PerChild && !t.Children {
		return fmt.Errorf("sources=%s: these kernels launch no kernels, as those of CUDA C++ do; sources=%s searches in one launch", way, plan.Search)
	}
	return nil
}

// refuseRank returns why rows cannot find their places in the schedule's way.
func (t Target) refuseRank(way string) error {
	if way == plan.Additions && !t.LanesInOrder {
		return fmt.Errorf("rank=%s: these kernels do not rely on the order in which devices serve lanes, as those of CUDA C++ do; leave it out", way)
	}
	return nil
}

func validate(p *plan.Plan) error {
	if err := plan.Validate(p); err != nil {
		return fmt.Errorf("pipeline %s: internal error in the plan for work-groups: %w", p.Pipeline, err)
	}
	return nil
}

// lower makes the kernels of one scheme; their names end in suffix.
func lower(program *backends.Program, target Target, family *family, schedule plan.Schedule, spinLimit int64, suffix string) (*Program, error) {
	if schedule.Part == 0 {
		program = shortCounts(program)
	}
	logical := program.Plan
	out := *logical
	out.Kernels, out.Steps = nil, nil
	out.Buffers, out.Scalars = slices.Clone(logical.Buffers), slices.Clone(logical.Scalars)
	l := &lowering{family: family, rowSpan: wholeSpan{}, target: target, logical: logical, names: namesOf(logical), schedule: schedule, spinLimit: spinLimit, suffix: suffix,
		growing: growing{out: &out, cells: map[string]string{}, steps: map[string][]plan.Step{}, stored: map[string]bool{}}}
	if schedule.Part > 0 {
		l.rowSpan = &partSpan{}
	}
	for _, b := range logical.Buffers {
		if b.Role == plan.Errors {
			l.errors = b.Name
		}
	}
	l.lowerSteps(program, logical.Steps, describeLines(program.Source))
	if l.faults != nil {
		return nil, fmt.Errorf("pipeline %s: %w", logical.Pipeline, errors.Join(l.faults...))
	}
	if l.abort != "" {
		out.Steps = append([]plan.Step{{Alloc: &plan.Alloc{Buffer: l.abort}}, {Init: &plan.Init{Buffer: l.abort}}}, out.Steps...)
	}
	out.Steps = l.withoutFills(out.Steps)
	out.Steps = inWaves(&out, out.Steps)
	return &Program{Plan: &out, Kernels: l.kernels, asksMuch: l.asksMuch || l.abort != ""}, nil
}

// lowerSteps appends steps, each launch of a kernel as the steps that run it.
func (l *lowering) lowerSteps(program *backends.Program, steps []plan.Step, lines func(ir.Pos) string) {
	for _, step := range steps {
		var run []plan.Step
		isKnown := false
		if step.Launch != nil {
			run, isKnown = l.steps[step.Launch.Kernel]
		}
		switch {
		case step.If != nil:
			choice := *step.If
			choice.Then = l.nested(program, choice.Then, lines)
			choice.Else = l.nested(program, choice.Else, lines)
			l.early = slices.DeleteFunc(l.early, func(a earlyAlloc) bool {
				isHere := launchesOf(a.kernel, l.logical.Steps) == launchesOf(a.kernel, steps)
				if isHere {
					l.out.Steps = append(l.out.Steps, a.step)
				}
				return isHere
			})
			l.out.Steps = append(l.out.Steps, plan.Step{If: &choice})
		case step.Launch == nil:
			l.out.Steps = append(l.out.Steps, step)
		case !isKnown && len(step.Launch.Bind) > 0:
			panic("simt: the first launch of " + step.Launch.Kernel + " has other buffers than the kernel")
		case !isKnown:
			before := len(l.out.Steps)
			i := slices.IndexFunc(l.logical.Kernels, func(k plan.Kernel) bool { return k.Name == step.Launch.Kernel })
			l.kernel(program.Kernels[i], l.logical.Kernels[i], step.Launch.Rows, lines)
			if l.isNested && launchesOf(step.Launch.Kernel, l.logical.Steps) > launchesOf(step.Launch.Kernel, steps) {
				l.allocateEarly(step.Launch.Kernel, before)
			}
			l.steps[step.Launch.Kernel] = slices.Clone(l.out.Steps[before:])
		default:
			l.out.Steps = append(l.out.Steps, l.again(run, step.Launch.Bind)...)
		}
	}
}

// nested returns steps that run under a condition.
func (l *lowering) nested(program *backends.Program, steps []plan.Step, lines func(ir.Pos) string) (list []plan.Step) {
	before, outer := l.out.Steps, l.isNested
	l.out.Steps, l.isNested = nil, true
	l.lowerSteps(program, steps, lines)
	list, l.out.Steps, l.isNested = l.out.Steps, before, outer
	return list
}

// allocateEarly takes the memory of a kernel out of its steps, which run under a
// condition: the kernel is launched again under another. It is allocated where all of
// these are tested, and not before: that may be a way in which its length is known.
func (l *lowering) allocateEarly(kernel string, from int) {
	l.out.Steps = append(l.out.Steps[:from], slices.DeleteFunc(slices.Clone(l.out.Steps[from:]), func(s plan.Step) bool {
		if s.Alloc != nil {
			l.early = append(l.early, earlyAlloc{kernel, s})
		}
		return s.Alloc != nil
	})...)
}

// launchesOf counts the launches of a kernel among steps.
func launchesOf(kernel string, steps []plan.Step) (n int) {
	plan.WalkSteps(steps, func(s *plan.Step) {
		if s.Launch != nil && s.Launch.Kernel == kernel {
			n++
		}
	})
	return n
}

// lowering turns kernels, and the plan that launches them, into those of work-groups.
type lowering struct {
	family    *family
	target    Target
	logical   *plan.Plan
	names     naming.Taken
	schedule  plan.Schedule
	rowSpan   rowSpan
	suffix    string // of the names of functions
	spinLimit int64  // see lookback.go
	growing
	kernels  []*loop.Program
	faults   []error
	asksMuch bool // kernels wait, or take more work-items or local memory than all devices have
}

// growing is the plan of work-groups as far as it is written.
type growing struct {
	out      *plan.Plan
	errors   string                 // the errors buffer
	abort    string                 // the abort word, once a kernel waits
	claimed  string                 // the buffer of what the rows of the kernel at hand claim
	cells    map[string]string      // buffers of one element, for scalars that kernels compute
	steps    map[string][]plan.Step // that run a kernel, by its name
	added    []plan.Buffer          // buffers to allocate before the next launch
	isNested bool                   // the steps at hand run under a condition
	early    []earlyAlloc           // that is allocated before it is tested
	stored   map[string]bool        // buffers of sums by stretches: whether each element is stored, once
}

// earlyAlloc is a step that allocates memory of a kernel.
type earlyAlloc struct {
	kernel string
	step   plan.Step
}

// kernel lowers one kernel and appends the steps that run it.
func (l *lowering) kernel(t *tile.Kernel, logical plan.Kernel, rows plan.Expr, lines func(ir.Pos) string) {
	delete(l.names, t.Name)
	t = foldOnce(seeLasts(hoistFirsts(l.unnumbered(t)))).Rowed()
	family := l.family
	switch {
	case t.Has((*tile.Op).Counts):
		family = &rankingFamily
	case t.Has((*tile.Op).EntersParts):
		family = &enteringFamily
	case t.Has((*tile.Op).GroupsParts):
		family = &groupingFamily
	}
	var beside *tile.Kernel
	if family != &persistentFamily && family != &rankingFamily { // tiles of subgroups, and of rows that move
		t, beside = t.Apart()
	}
	var k *kernel
	if beside == nil && l.mayWalk(t) {
		if walking, err := l.shaped(&persistentFamily, t, lines); err == nil && walking.prefersRounds() {
			family, k = &persistentFamily, walking
		}
	}
	if k == nil {
		var err error
		if k, err = l.shaped(family, t, lines); err != nil {
			l.faults = append(l.faults, err)
			return
		}
	}
	if k.phases() > maxPhases {
		l.faults = append(l.faults, fmt.Errorf("kernel %s has %d cuts; a kernel can have %d: choose another fusion level", t.Name, len(k.cuts), maxPhases-1))
		return
	}
	if beside != nil {
		k.beside = besideOf(k, beside, l.aligned(beside))
	}
	made := &launches{lowering: l, kernel: k, logical: logical, offsets: scannedOffsets{}, span: rows, tiles: plan.CeilDiv(rows, plan.Const(k.rows()))}
	made.folds, made.folded = plan.Max(made.tiles, plan.Const(1)), made.tiles
	made.scheme = family.lower(made)
	for _, op := range t.Ops {
		if op.Does(tile.Sets) {
			delete(l.cells, op.Ref) // of a kernel that sets it in another way
		}
	}
	made.lower()
	l.noteStretches(k)
	checked := false
	for _, op := range t.Ops {
		if op.Does(tile.Sets) {
			if !checked {
				l.out.Steps = append(l.out.Steps, plan.Step{CheckErrors: &plan.CheckErrors{AbortOnly: true}})
				checked = true
			}
			l.out.Steps = append(l.out.Steps, plan.Step{Read: &plan.Read{Buffer: l.cells[op.Ref], Scalars: []string{op.Ref}}})
		}
	}
}

// shaped returns a kernel with the tiles that suit it under a scheme.
func (l *lowering) shaped(family *family, t *tile.Kernel, lines func(ir.Pos) string) (*kernel, error) {
	s := shape{placement: workgroupPlacement{}, sources: l.schedule.Sources, workgroup: l.schedule.Workgroup, isOpen: l.schedule.Workgroup == 0, items: l.schedule.Items,
		subgroup: l.target.Subgroup, budget: l.budget(), variant: l.schedule.Variant, long: l.schedule.Part > 0}
	if l.target.Cores > 0 && s.isOpen {
		s = s.serial(t)
	}
	s, err := family.shape(l, t, s)
	if err != nil {
		return nil, err
	}
	if s.places = plainPlaces(l.remembers(t, s)); s.remembered > 0 && s.isOpen {
		s.workgroup = l.foldingWorkgroup()
		l.asksMuch = l.asksMuch || s.workgroup > flatWorkgroup || s.rememberedBytes(l, t) > fallbackBudget
	}
	s.localTables, s.keeps, s.claims = l.planTables(t, &s), l.keepsFolds(t), l.claimsOnly(t)
	if s.localTables == nil && (family == &lookbackFamily || family == &publishedFamily) {
		s.localTables = l.planTileTables(t, &s)
	}
	if s.isOpen && s.localTables == nil && l.foldsByTile(t) {
		s.workgroup = l.foldingWorkgroup()
		l.asksMuch = l.asksMuch || s.workgroup > flatWorkgroup
	}
	s.lone = l.loneSearchOf(t, s)
	k := newKernel(t, s, lines, l.aligned(t))
	return k, k.placement.refuse(k, l.schedule)
}

// aligned returns a function that reports whether a stream certainly has an element for each row of t.
func (l *lowering) aligned(t *tile.Kernel) func(stream int) bool {
	return func(stream int) bool {
		return l.reaches(l.bufferLength(t.Streams[stream].Buffer), t.Domains[0].Plan)
	}
}

// budget returns the local memory that a work-group may take.
func (l *lowering) budget() int64 {
	if l.suffix != "" {
		return fallbackBudget
	}
	return localBudget
}

// maxResident is how many work-items the largest compute units run at once. Told to
// leave registers for more, compilers warn and ignore it.
const maxResident = 2048

// launch is how a function is launched.
type launch struct {
	workgroup int
	grid      plan.Expr
	forward   plan.Forward
	children  []*loop.Func // that it launches
	describe  func(v *plan.Variant)
	step      func(kernel string, schedule plan.Schedule) plan.Step
}

// launchRows ends a function and appends the step that launches it over all rows.
func (s *launches) launchRows(e *function, grid plan.Expr, forward plan.Forward) {
	s.launchTiles(e, launch{workgroup: s.workgroup, grid: grid, forward: forward, describe: s.scheme.describe})
}

// launchTiles is launchRows with everything but the step.
func (s *launches) launchTiles(e *function, l launch) {
	e.part = s.schedule.Part
	e.b.Func().Occupancy = min(s.schedule.Occupancy, maxResident/s.workgroup)
	l.step = func(kernel string, schedule plan.Schedule) plan.Step {
		return s.rowSpan.launch(s, kernel, schedule)
	}
	s.addLaunch(e, l)
}

// launchOnce ends a function for one work-group and appends the step that launches it.
func (s *launches) launchOnce(e *function, rows plan.Expr) {
	s.addLaunch(e, launch{workgroup: s.workgroup, grid: plan.Const(1), describe: s.scheme.describe, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: rows}}
	}})
}

// addLaunch ends a function and appends the step that launches it.
func (s *launches) addLaunch(e *function, l launch) {
	step := s.endFunction(e, l)
	s.out.Steps = append(s.out.Steps, step)
}

// followLaunch ends a function and launches it after each launch of the function
// before.
func (s *launches) followLaunch(e *function, l launch) {
	s.rowSpan.follow(s, s.endFunction(e, l))
}

// endFunction ends a function and returns the step that launches it.
func (s *launches) endFunction(e *function, l launch) plan.Step {
	e.b.Kernel(l.workgroup)
	e.arguments.markAlone()
	f := e.b.Func()
	variant := plan.Variant{Entry: f.Name, Args: e.arguments.list, Grid: l.grid, Forward: l.forward, Needs: needs[l.forward],
		Schedule: plan.Schedule{Workgroup: l.workgroup, Items: s.items, Occupancy: f.Occupancy, Chunk: e.chunk, Part: e.part}}
	l.describe(&variant)
	if s.hasUpdates() {
		variant.Schedule.Variant = s.variant
	}
	if limitedTables(s.Kernel) > 0 {
		variant.Schedule.Groups = s.schedule.GroupStrategy()
	}
	var shared []loop.Stmt
	for _, name := range slices.Sorted(maps.Keys(e.local)) {
		shared = append(shared, &loop.Decl{Var: e.local[name], Over: e.over[name], Launch: name == arenaName && !variant.LocalBytes.IsZero()})
	}
	f.Body = append(shared, f.Body...)
	if l.workgroup == 1 {
		loop.SingleWorkItem(f)
		loop.Distribute(f)
	}
	program := &loop.Program{Name: f.Name, Funcs: append(slices.Clone(l.children), f), Long: s.long}
	if err := loop.Verify(program, loop.Simt); err != nil {
		s.faults = append(s.faults, fmt.Errorf("internal error after lowering to work-groups: %w", err))
	}
	s.kernels = append(s.kernels, program)
	s.out.Kernels = append(s.out.Kernels, plan.Kernel{Name: f.Name, Stages: s.logical.Stages, Variants: []plan.Variant{variant}})
	for _, b := range s.added {
		s.out.Steps = append(s.out.Steps, plan.Step{Alloc: &plan.Alloc{Buffer: b.Name}})
		if b.Role == plan.Status {
			s.out.Steps = append(s.out.Steps, plan.Step{Init: &plan.Init{Buffer: b.Name}})
		}
	}
	s.added = nil
	return l.step(f.Name, variant.Schedule)
}

// addBuffer adds a buffer that the next launch needs.
func (l *lowering) addBuffer(b plan.Buffer) {
	l.out.Buffers = append(l.out.Buffers, b)
	l.added = append(l.added, b)
}

// cell returns the buffer that takes a scalar from a kernel to the host.
func (l *lowering) cell(scalar string, k ir.Kind) string {
	if name, ok := l.cells[scalar]; ok {
		return name
	}
	name := l.fresh(scalar + "_cell")
	l.cells[scalar] = name
	l.addBuffer(plan.Buffer{Name: name, Kind: plan.Kind(k.String()), Length: plan.Const(1), Role: plan.Counter})
	return name
}

// bufferLength returns the elements of a buffer.
func (l *lowering) bufferLength(name string) plan.Expr {
	for _, b := range l.out.Buffers {
		if b.Name == name && b.Role != plan.Input {
			return b.Length
		}
	}
	for _, port := range l.out.Ports {
		if port.Buffer == name {
			return plan.Len(port.Domain)
		}
	}
	panic("simt: no buffer " + name)
}

// reaches reports whether a buffer of that length certainly has an element for
// each row of a domain.
func (l *lowering) reaches(length plan.Expr, domain string) bool {
	if domain == "" || length.String() == plan.Len(domain).String() {
		return true
	}
	for _, d := range l.logical.Domains {
		if d.Name == domain {
			return !d.Bound.IsZero() && length.String() == d.Bound.String()
		}
		if domain == d.Name+"_chunks" {
			return true
		}
	}
	return false
}

// describeLines returns a function that describes positions by their line.
func describeLines(source []byte) func(ir.Pos) string {
	lineAt := backends.SourceLines(source)
	return func(pos ir.Pos) string {
		line := lineAt(pos)
		if line == "" {
			return ""
		}
		return fmt.Sprintf("%s:%d: %s", pos.Base().File, pos.Line, line)
	}
}
