package difftest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kgen-go/kgen/internal/difftest/random"
	"github.com/kgen-go/kgen/ir"
)

// Report is the result of a test. Apart from Elapsed, equal arguments give equal
// reports.
type Report struct {
	Seed        uint64     `json:"seed"`
	Programs    int        `json:"programs"`
	Inputs      int        `json:"inputs"`     // that the interpreter took
	Refused     int        `json:"refused"`    // inputs that it does not take, or may not: too many rows
	Executions  int        `json:"executions"` // runs on devices that were compared
	Uncompared  int        `json:"uncompared"` // inputs for which some result may be rounded in any way
	Failing     int        `json:"failing"`    // inputs that fail a check
	Cells       []*Cell    `json:"cells"`
	Mismatches  []Mismatch `json:"mismatches"`
	Coverage    Coverage   `json:"coverage"`
	Interrupted bool       `json:"interrupted,omitempty"`
	Elapsed     float64    `json:"seconds"`
}

// Cell counts the runs of a device at a level.
type Cell struct {
	Device     string         `json:"device"`
	Level      string         `json:"level"`
	Runs       int            `json:"runs"`
	Mismatches int            `json:"mismatches"`
	Absent     map[string]int `json:"absent,omitempty"` // runs or programs that were not run, by reason
	GaveUp     map[string]int `json:"gaveUp,omitempty"` // runs whose results come from a fallback, by reason
}

// Mismatch is the first difference of a program on a device at a level.
type Mismatch struct {
	Case       string `json:"case"` // PROGRAM.RUN
	Program    string `json:"program"`
	Device     string `json:"device"`
	Level      string `json:"level"`
	Schedule   string `json:"schedule,omitempty"`
	Data       string `json:"data,omitempty"`
	Fault      Fault  `json:"fault,omitempty"`
	Difference string `json:"difference"`
	Repeat     string `json:"repeat"` // the command that repeats it
	Kept       string `json:"kept,omitempty"`
	Source     string `json:"source"`

	program int
	run     int
}

// Coverage counts what was tested.
type Coverage struct {
	Operators map[string]int `json:"operators"`
	Pairs     int            `json:"pairs"`    // of operators, of which the second reads the first
	Possible  int            `json:"possible"` // such pairs as types allow; 0 where programs were given
	Missing   []string       `json:"missing,omitempty"`
	Stages    map[string]int `json:"stages"`
	Features  map[string]int `json:"features"` // by device: schemes, intrinsics
}

// coverage gathers a Coverage.
type coverage struct {
	programs random.Coverage
	stages   map[string]int
	features map[string]int
}

func (c *coverage) report(isRandom bool) Coverage {
	out := Coverage{Operators: map[string]int{}, Pairs: len(c.programs.Pairs), Stages: c.stages, Features: c.features}
	for op, n := range c.programs.Operators {
		out.Operators[opName(op)] += n
	}
	if isRandom {
		possible := random.Pairs()
		out.Possible, out.Pairs = len(possible), 0
		for _, pair := range possible {
			if c.programs.Pairs[pair] > 0 {
				out.Pairs++
			} else {
				out.Missing = append(out.Missing, fmt.Sprintf("%s of %s", opName(pair[1]), opName(pair[0])))
			}
		}
	}
	return out
}

// opName returns a name that distinguishes operators with equal spelling.
func opName(op ir.Op) string {
	switch op {
	case ir.OpNeg:
		return "-x"
	case ir.OpComplement:
		return "^x"
	}
	return op.String()
}

// cell returns the cell of a device and level.
func (r *Report) cell(device, level string) *Cell {
	i := slices.IndexFunc(r.Cells, func(c *Cell) bool { return c.Device == device && c.Level == level })
	if i < 0 {
		r.Cells = append(r.Cells, &Cell{Device: device, Level: level})
		i = len(r.Cells) - 1
	}
	return r.Cells[i]
}

func (c *Cell) absent(reason string) { addCounts(&c.Absent, map[string]int{reason: 1}) }

func (c *Cell) gaveUp(reason string) { addCounts(&c.GaveUp, map[string]int{reason: 1}) }

// addCounts adds counts to a map that may be nil.
func addCounts(sum *map[string]int, counted map[string]int) {
	for reason, n := range counted {
		if *sum == nil {
			*sum = map[string]int{}
		}
		(*sum)[reason] += n
	}
}

// CountMismatches returns how many runs differed.
func (r *Report) CountMismatches() (n int) {
	for _, c := range r.Cells {
		n += c.Mismatches
	}
	return n
}

// Print writes the matrix of devices and levels, what differed, and what was
// tested.
func (r *Report) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var devices, levels []string
	for _, c := range r.Cells {
		if !slices.Contains(devices, c.Device) {
			devices = append(devices, c.Device)
		}
		if !slices.Contains(levels, c.Level) {
			levels = append(levels, c.Level)
		}
	}
	fmt.Fprintf(w, "DEVICE\t%s\n", strings.Join(levels, "\t"))
	for _, device := range devices {
		fmt.Fprint(w, device)
		for _, level := range levels {
			c := r.cell(device, level)
			fmt.Fprintf(w, "\t%d", c.Runs)
			if c.Mismatches > 0 {
				fmt.Fprintf(w, ", %d differ", c.Mismatches)
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d programs, %d inputs, %d of which fail a check; %d runs compared, %d differ\n",
		r.Programs, r.Inputs, r.Failing, r.Executions, r.CountMismatches())
	if r.Refused > 0 {
		fmt.Fprintf(out, "%d inputs have too many rows for the interpreter\n", r.Refused)
	}
	if r.Uncompared > 0 {
		fmt.Fprintf(out, "%d inputs have results that may be rounded in any way, which were not compared\n", r.Uncompared)
	}
	r.printReasons(out, "not run on", func(c *Cell) map[string]int { return c.Absent })
	r.printReasons(out, "results of a fallback on", func(c *Cell) map[string]int { return c.GaveUp })
	for i, m := range r.Mismatches {
		if i == mostPrinted {
			fmt.Fprintf(out, "\nand %d programs more; a report as JSON has them all\n", len(r.Mismatches)-i)
			break
		}
		m.print(out)
	}
	return r.Coverage.print(out)
}

// mostPrinted is the maximum of differences that are printed: a broken device has
// one for each program.
const mostPrinted = 20

// printReasons prints the counts by reason of each device.
func (r *Report) printReasons(out io.Writer, what string, of func(*Cell) map[string]int) {
	reasons := map[[2]string]int{}
	for _, c := range r.Cells {
		for reason, n := range of(c) {
			reasons[[2]string{c.Device, reason}] += n
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(reasons), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	}) {
		fmt.Fprintf(out, "%s %s: %d, %s\n", what, key[0], reasons[key], strings.TrimPrefix(key[1], ErrAbsent.Error()+": "))
	}
}

func (m *Mismatch) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s on %s at level %s", m.Program, m.Device, m.Level)
	if m.Data != "" {
		fmt.Fprintf(out, ", %s", m.Data)
	}
	fmt.Fprintf(out, "\n  %s\n", strings.ReplaceAll(m.Difference, "\n", "\n  "))
	if m.Repeat != "" {
		fmt.Fprintf(out, "  %s\n", m.Repeat)
	}
	if m.Kept != "" {
		fmt.Fprintf(out, "  kgen difftest --replay %s\n", m.Kept)
	}
}

func (c Coverage) print(out io.Writer) error {
	fmt.Fprintf(out, "\ncovered: %d operators", len(c.Operators))
	if c.Possible > 0 {
		fmt.Fprintf(out, ", %d of %d pairs", c.Pairs, c.Possible)
	} else {
		fmt.Fprintf(out, ", %d pairs", c.Pairs)
	}
	_, err := fmt.Fprintf(out, "\n  stages: %s\n", counts(c.Stages))
	for _, line := range c.devices() {
		_, err = fmt.Fprintf(out, "  %s\n", line)
	}
	return err
}

// devices prints a line for each device with the features that were used, and
// with the number of intrinsics.
func (c Coverage) devices() (lines []string) {
	used, intrinsics := map[string][]string{}, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(c.Features)) {
		device, feature, _ := strings.Cut(name, ": ")
		if strings.Contains(feature, " ") {
			used[device] = append(used[device], fmt.Sprintf("%s %d", feature, c.Features[name]))
		} else {
			intrinsics[device]++
		}
	}
	for _, device := range slices.Sorted(maps.Keys(used)) {
		if n := intrinsics[device]; n > 0 {
			used[device] = append(used[device], fmt.Sprintf("%d intrinsics", n))
		}
		lines = append(lines, device+": "+strings.Join(used[device], ", "))
	}
	return lines
}

// counts lists names with numbers.
func counts(of map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(list, ", ")
}
