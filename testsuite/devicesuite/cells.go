package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// row is a device of the matrix.
type row struct {
	name     string // as it was asked for
	device   string // as kgen names it here
	platform string // of an OpenCL device
	detail   string // what it is, or why it is absent
	identity string // distinguishes it from the devices of other machines
	memory   int64  // bytes
	absent   bool
	cells    []*cell
	omitted  int // cells that only all of them have
}

// cell is a command: a device at a level with a schedule.
type cell struct {
	row      *row
	level    string
	schedule string // "" where the device has none
	inputs   string
	batch    int
	seed     int
	tool     string
	long     bool    // more rows than a launch may span
	record   *record // what was found; nil where it is not done
	failure  string  // why there is no record
}

// String names the cell.
func (c *cell) String() string {
	return strings.Join(slices.DeleteFunc([]string{c.tool, c.row.name, c.level, c.schedule}, func(s string) bool { return s == "" }), " ")
}

// file names the cell in a folder.
func (c *cell) file() string {
	return strings.NewReplacer(":", "", " ", "_", "=", "-", ",", "_").Replace(c.String())
}

// Inputs: the data beside the pipelines, no row, one row, and lengths that
// leave the last tile partly filled.
const (
	smallInputs = "own,0,1,tile+1,5tile+7"
	userInputs  = "own,1,4097,30007"    // some tiles of users, whose rows a kernel's registers decide
	coreInputs  = "own,0,1,4097,140007" // chunks, and blocks for several workers
	toolInputs  = "own,1,2tile+7"
)

// choice is a schedule, and the inputs that exercise it best.
type choice struct {
	schedule, inputs string
	isCore           bool // at every level, and on devices that CI has, too
}

// The shapes: two subgroups per work-group and few rows, so that barriers
// matter and little data fills several tiles; and the default shape.
const (
	smallShape      = "workgroup=64,items=4"
	userShape       = "workgroup=256"
	toolShape       = "workgroup=64,items=2"
	userPersistent  = "lookahead=2" // what it takes by default
	smallPersistent = "workgroup=160,items=4"
	toolPersistent  = "workgroup=160,items=2"
	staticIDs       = ",scheme=" + simt.SchemeLookback + ",ids=" + plan.Static // numbers of work-groups instead of tickets
)

// choices are the schedules: every scheme, the options of a scheme, and every
// variant of aggregation. Small shapes of the schemes are the core: between
// levels, kernels differ most in how their tiles meet.
func choices() (list []choice) {
	for _, t := range simt.Schemes() {
		user, small := userShape, smallShape
		if t.Control > 0 {
			user, small = userPersistent, smallPersistent
		}
		list = append(list, choice{user + ",scheme=" + t.Name, userInputs, false}, choice{small + ",scheme=" + t.Name, smallInputs, true})
	}
	list = append(list, choice{userShape + staticIDs, userInputs, false}, choice{smallShape + staticIDs, smallInputs, true})
	list = append(list, choice{userShape + ",occupancy=8", userInputs, false})
	published := smallShape + ",scheme=" + simt.SchemePublished
	for _, scheme := range schemesInParts() {
		list = append(list, choice{smallShape + ",part=512,scheme=" + scheme, smallInputs, false})
	}
	list = append(list, choice{published + ",chunk=3", smallInputs, false}, choice{published + ",offsets=" + plan.Broadcast, smallInputs, false})
	list = append(list, choice{smallShape + ",table=" + plan.Global, smallInputs, false})
	for _, variant := range plan.Variants {
		if variant != plan.Segmented { // the default
			list = append(list, choice{smallShape + ",variant=" + variant, smallInputs, false})
		}
	}
	return list
}

// schemesInParts are the schemes that every device has and whose launches may cover a
// part of the rows.
func schemesInParts() (names []string) {
	for _, t := range simt.Schemes() {
		if t.Portable && t.InParts() {
			names = append(names, t.Name)
		}
	}
	return names
}

// toolChoices are the choices for a tool, under which kernels run slowly.
func toolChoices() (list []choice) {
	for _, scheme := range schemesInParts() {
		list = append(list, choice{toolShape + ",scheme=" + scheme, toolInputs, true})
	}
	list = append(list, choice{toolPersistent + ",scheme=" + simt.SchemePersistent, toolInputs, true})
	list = append(list, choice{toolShape + staticIDs, toolInputs, true})
	for _, variant := range plan.Variants {
		if variant != plan.Segmented {
			list = append(list, choice{toolShape + ",variant=" + variant, toolInputs, true})
		}
	}
	return list
}

// defaultDevices are the devices of the rows, unless the user names some.
const defaultDevices = "cuda:0,nvidia,pocl,gocpu"

// rows returns the matrix, with the known results of its cells.
func (s *suite) rows(ctx context.Context) ([]*row, error) {
	levels, err := s.chosenLevels()
	if err != nil {
		return nil, err
	}
	devices := cmp.Or(s.devices, defaultDevices)
	schedules := choices()
	switch s.tool {
	case "":
	case "memcheck", "racecheck", "initcheck", "synccheck":
		devices, schedules = "cuda:0", toolChoices()
	default:
		return nil, usageError("-tool %s: compute-sanitizer has memcheck, racecheck, initcheck and synccheck", s.tool)
	}
	found, err := s.listDevices(ctx)
	if err != nil {
		return nil, err
	}
	var rows []*row
	for name := range strings.SplitSeq(devices, ",") {
		r := &row{name: name, device: name}
		rows = append(rows, r)
		r.resolve(found)
		if r.absent {
			continue
		}
		list, batch := schedules, 6
		if name == "gocpu" {
			list, batch = []choice{{"", coreInputs, true}}, 200
		}
		for _, level := range levels {
			for i, choice := range list {
				c := &cell{row: r, level: level, schedule: choice.schedule, inputs: choice.inputs, batch: batch, seed: 1 + i, tool: s.tool}
				switch isPart := s.all || choice.isCore || level == fuse.LevelOnePass && !r.isCPU(); {
				case !strings.Contains(c.String(), s.only):
				case isPart:
					r.cells = append(r.cells, c)
				default:
					r.omitted++
				}
			}
		}
		if s.tool == "" && r.hasLong() {
			for _, schedule := range longSchedules() {
				for _, level := range []string{fuse.LevelOnePass, fuse.LevelNone} {
					c := &cell{row: r, level: level, schedule: schedule, long: true}
					if slices.Contains(levels, level) && strings.Contains(c.String(), s.only) {
						r.cells = append(r.cells, c)
					}
				}
			}
		}
	}
	mayHaveCells := func(r *row) bool { return r.absent || r.omitted > 0 || len(r.cells) > 0 }
	if !slices.ContainsFunc(rows, mayHaveCells) {
		return nil, usageError("-only %s: no cell has that in its name", s.only)
	}
	return rows, nil
}

// hasLong reports whether the device gets more rows than a launch may span, which
// would take a CPU many minutes.
func (r *row) hasLong() bool {
	driver, _, _ := strings.Cut(r.device, ":")
	return (driver == "cuda" || driver == "opencl") && !r.isCPU()
}

// isCPU reports whether the device is a slow one that CI has, too.
func (r *row) isCPU() bool { return strings.Contains(r.platform, platforms["pocl"]) }

// chosenLevels returns the levels, the one that users get first.
func (s *suite) chosenLevels() ([]string, error) {
	all := append([]string{fuse.LevelOnePass}, slices.DeleteFunc(slices.Clone(fuse.Levels), func(l string) bool { return l == fuse.LevelOnePass })...)
	if s.levels == "" {
		return all, nil
	}
	chosen := strings.Split(s.levels, ",")
	for _, level := range chosen {
		if !slices.Contains(all, level) {
			return nil, usageError("-levels: there is no level %q; there are %s", level, strings.Join(all, ", "))
		}
	}
	return chosen, nil
}

// deviceRow is a row of kgen devices --json.
type deviceRow struct {
	Name      string         `json:"name"`
	Available bool           `json:"available"`
	Detail    string         `json:"detail"`
	Device    *worker.Device `json:"device"`
}

// listDevices asks kgen for the devices.
func (s *suite) listDevices(ctx context.Context) ([]deviceRow, error) {
	text, err := s.kgen(ctx, "devices", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("kgen devices: %w%s", err, stderrOf(err))
	}
	var listing struct{ Devices []deviceRow }
	if err := json.Unmarshal(text, &listing); err != nil {
		return nil, fmt.Errorf("kgen devices: %w", err)
	}
	return listing.Devices, nil
}

// platforms are names for the first OpenCL device of a driver.
var platforms = map[string]string{"nvidia": "NVIDIA", "pocl": "Portable Computing Language"}

// resolve finds the device of a row among those of this machine.
func (r *row) resolve(found []deviceRow) {
	if r.name == "gocpu" { // what was built needs no Go
		r.detail = "emitted Go, built before"
		r.identity = r.detail
		return
	}
	platform, isPlatform := platforms[r.name]
	driver, _, _ := strings.Cut(r.name, ":")
	if isPlatform {
		driver = "opencl"
	}
	var others []string
	for _, d := range found {
		isIt := d.Name == r.name
		if isPlatform {
			isIt = d.Device != nil && strings.Contains(d.Device.Platform, platform)
		}
		if isIt && d.Available {
			if r.device, r.detail = d.Name, d.Detail; d.Device != nil {
				r.platform = d.Device.Platform
				r.memory = d.Device.Machine.Memory
				r.identity = fmt.Sprintf("%s, driver %s", d.Detail, d.Device.Machine.Driver)
			}
			return
		}
		if name, _, _ := strings.Cut(d.Name, ":"); name == driver {
			others = append(others, d.Name+": "+d.Detail)
		}
	}
	r.absent = true
	r.detail = "kgen devices lists " + cmp.Or(strings.Join(others, "; "), "no device of that name")
}
