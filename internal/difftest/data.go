package difftest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// streams separate random decisions: equal seeds and numbers give independent
// choices.
const (
	streamSchedule = 0x5c4ed01e << 32
	streamTable    = 0x7ab1e << 32
	streamSpecial  = 0x20bd5 << 32
	streamSort     = 0x50c7 << 32
	streamProbe    = 0x9806e << 32
	streamSources  = 0x50c4ce << 32
	streamPlaces   = 0x91aced << 32
	streamRank     = 0x4a6b << 32
	streamScheme   = 0x5c4e3e << 32
	streamLevel    = 0x1e7e1 << 32
	streamData     = 0xda7a << 40
)

// chance returns the random source of a decision about run of program.
func chance(seed, stream uint64, program, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream^uint64(program)<<16^uint64(run)))
}

// scheduleOf chooses the shape of work-group kernels for a program: small, so
// that few rows fill several tiles.
func scheduleOf(seed uint64, program int) plan.Schedule {
	r := chance(seed, streamSchedule, program, 0)
	s := plan.Schedule{Workgroup: []int{1, 2, 4, 8, 16, 32, 64}[r.IntN(7)], Items: 1 + r.IntN(5)}
	if r.IntN(3) == 0 {
		t := another(seed, program, true)
		s.Scheme, s.Workgroup = t.Name, sized(t, s.Workgroup)
		if r.IntN(2) == 0 {
			s = with(s, func(s *plan.Schedule) { s.Offsets = plan.Broadcast })
		}
		if r.IntN(2) == 0 {
			s = with(s, func(s *plan.Schedule) { s.Chunk = 2 + r.IntN(2) })
		}
	}
	if r.IntN(2) == 0 {
		s.Variant = plan.Variants[r.IntN(len(plan.Variants))]
	}
	if r.IntN(4) == 0 {
		s = with(s, func(s *plan.Schedule) { s.Part = 1 + r.Int64N(40*s.Rows()) }) // no whole number of tiles
	}
	if r.IntN(4) == 0 {
		s = with(s, func(s *plan.Schedule) { s.IDs = plan.Static })
	}
	if chance(seed, streamTable, program, 0).IntN(4) == 0 {
		s.Table = plan.Global
	}
	if r := chance(seed, streamSort, program, 0); r.IntN(2) == 0 {
		s.Groups = plan.GroupWays[r.IntN(len(plan.GroupWays))]
	} else {
		s.Radix = []int{0, 0, 2, 3, 4}[r.IntN(5)]
	}
	if r := chance(seed, streamProbe, program, 0); r.IntN(3) == 0 {
		s.Probe = plan.Probes[r.IntN(len(plan.Probes))]
	}
	if r := chance(seed, streamSources, program, 0); r.IntN(2) == 0 {
		s.Sources = plan.SourceWays[r.IntN(len(plan.SourceWays))]
	}
	if r := chance(seed, streamPlaces, program, 0); r.IntN(2) == 0 {
		s.Places = plan.PlacesWays[r.IntN(len(plan.PlacesWays))]
	}
	if chance(seed, streamRank, program, 0).IntN(4) == 0 {
		s.Rank = plan.Masks // the other way is not of all devices, and CUDA C++ takes it by itself
	}
	if r := chance(seed, streamSpecial, program, 0); r.IntN(5) == 0 {
		return special(r, another(seed, program, false), s)
	}
	return s
}

// another chooses a scheme that is not the default: one of every device, or one of
// few.
func another(seed uint64, program int, isPortable bool) simt.Traits {
	list := slices.DeleteFunc(simt.Schemes()[1:], func(t simt.Traits) bool { return t.Portable != isPortable })
	if len(list) == 0 {
		return simt.Schemes()[0]
	}
	return list[chance(seed, streamScheme, program, 0).IntN(len(list))]
}

// sized returns the size of a work-group that has at least so many work-items for
// rows.
func sized(t simt.Traits, rows int) int {
	return t.Control + max(rows, t.Multiple)
}

// with returns a schedule with one setting more, or without it if the scheme refuses
// the setting.
func with(s plan.Schedule, set func(*plan.Schedule)) plan.Schedule {
	more := s
	set(&more)
	if simt.CheckSchedule(more) != nil {
		return s
	}
	return more
}

// special chooses a schedule of a scheme that few devices have, with the items of s,
// and what s says of groups, searches and sorts.
func special(r *rand.Rand, t simt.Traits, s plan.Schedule) plan.Schedule {
	s = plan.Schedule{Workgroup: sized(t, 32<<r.IntN(3)), Items: s.Items, Scheme: t.Name, Variant: s.Variant, Groups: s.Groups, Places: s.Places, Probe: s.Probe, Sources: s.Sources, Radix: s.Radix, Rank: s.Rank}
	s = with(s, func(s *plan.Schedule) { s.Lookahead = 1 + r.IntN(3) })
	return with(s, func(s *plan.Schedule) { s.Ring = s.Lookahead + 2 + r.IntN(3) })
}

// portable returns a schedule of any device with the same tiles or, if the default
// scheme has none of this size, with smaller ones.
func portable(s plan.Schedule) plan.Schedule {
	t := simt.TraitsOf(s)
	if t.Portable {
		return s
	}
	s.Workgroup = max(s.Workgroup-t.Control, 0) // 0 leaves it to each kernel
	for !simt.Schemes()[0].AllowsWorkgroup(s.Workgroup) {
		s.Workgroup--
	}
	return plan.Schedule{Workgroup: s.Workgroup, Items: s.Items, Variant: s.Variant, Groups: s.Groups, Places: s.Places, Probe: s.Probe, Sources: s.Sources, Radix: s.Radix, Rank: s.Rank}
}

// allowed returns a schedule that a program accepts on a device: schemes that few
// devices have may need subgroups or a single cut, and offsets can be broadcast only
// if they are sums, and not in parts.
func allowed(d Device, p *backends.Program, s plan.Schedule) plan.Schedule {
	if s.Sources == plan.PerChild && !d.Target().Children {
		s.Sources = plan.Search // as children do
	}
	if s.Offsets == "" && simt.TraitsOf(s).Portable || takes(d, p, s) {
		return s
	}
	s = portable(s)
	s.Offsets = ""
	return s
}

// takes reports whether a schedule is not refused. A broken schedule counts as
// accepted, so that the fault is found.
func takes(d Device, p *backends.Program, s plan.Schedule) (taken bool) {
	defer func() { taken = taken || recover() != nil }()
	_, err := d.Target().Lower(p, s)
	return err == nil || strings.Contains(err.Error(), internalError)
}

// levelOf chooses a level for a program: for a scheme that few devices have, a level
// at which kernels have cuts.
func levelOf(seed uint64, program int) string {
	levels := fuse.Levels
	if !simt.TraitsOf(scheduleOf(seed, program)).Portable {
		levels = []string{fuse.LevelOnePass, fuse.LevelAuto}
	}
	return levels[chance(seed, streamLevel, program, 0).IntN(len(levels))]
}

// blockRows is the number of rows in a block of emitted Go, and sharedRows the
// number from which several workers run.
const (
	blockRows  = 1 << 15
	sharedRows = 1 << 16
)

// mostWalked is the largest number of rows for work-groups that walk over tiles that
// devices with checks process in reasonable time.
const mostWalked = 2400

// mostNested is the largest number of rows that are compared with each other.
const mostNested = 3 * fuse.ChunkRows

// dataOf describes the input of a run: lengths around the edges of tiles,
// work-groups, chunks and blocks, and values that a kernel may get wrong.
func dataOf(seed uint64, program, run int, s plan.Schedule) testsuite.RandomData {
	r := chance(seed, streamData, program, run)
	tile := int(s.Rows())
	around := func(edge int) int { return edge - 1 + r.IntN(3) }
	shapes := testsuite.Shapes()
	d := testsuite.RandomData{
		Shape:    shapes[r.IntN(len(shapes))],
		Tile:     tile,
		Seed:     r.Uint64(),
		Careless: r.IntN(4) == 0,
		Whole:    r.IntN(3) > 0,
		Special:  r.IntN(2) == 0,
	}
	if r.IntN(6) == 0 {
		d.Shape = testsuite.Extreme
	}
	switch choice := r.IntN(120); {
	case choice < 24:
		d.Rows = around(tile)
	case choice < 34:
		d.Rows = around(s.Workgroup)
	case choice < 64 && simt.TraitsOf(s).Walks: // so many that a work-group walks over some
		d.Rows = around((2 + r.IntN(max(mostWalked/tile, 4))) * tile)
	case choice < 64:
		d.Rows = around((2 + r.IntN(4)) * tile)
	case choice < 74:
		d.Rows = r.IntN(3)
	case choice < 111:
		d.Rows = r.IntN(4*tile + 40)
	case choice < 116:
		d.Rows = around((1 + r.IntN(2)) * fuse.ChunkRows)
		d.Tile = fuse.ChunkRows
	case choice == 116:
		d.Rows = around((1 + r.IntN(2)) * blockRows)
		d.Tile = blockRows
	default:
		d.Rows = around(sharedRows + (1+r.IntN(3))*blockRows)
		d.Tile = blockRows
	}
	d.Rows = max(d.Rows, 0)
	if s.Probe == plan.Loops {
		d.Rows = min(d.Rows, mostNested)
	}
	return d
}
