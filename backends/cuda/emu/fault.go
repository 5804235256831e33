package emu

import (
	"fmt"
	"strings"
)

// Kind is the kind of a fault.
type Kind string

// The kinds of faults.
const (
	Race       Kind = "race"       // two unordered accesses, at least one of them a write
	Bounds     Kind = "bounds"     // an access outside all arrays, or a misaligned one
	Unwritten  Kind = "unwritten"  // a read of memory that was never written
	Constant   Kind = "constant"   // a write to a column of the caller
	Divergence Kind = "divergence" // threads of a block meet at different barriers, or lanes of a warp in different operations
	Deadlock   Kind = "deadlock"   // threads wait for other threads that cannot arrive
	Livelock   Kind = "livelock"   // threads wait in loops that no thread can end
	Trap       Kind = "trap"       // __trap(), or an operation that the host's processor refuses
	Timeout    Kind = "timeout"    // the launch took longer than the limit
	Memory     Kind = "memory"     // the host has no memory for the threads
)

// Fault is one fault of a kernel.
type Fault struct {
	Kind   Kind   // what kind of fault it is
	File   string // the name of the emitted text
	Line   int    // in File; 0 if it is not known
	Text   string // that line
	Detail string // a sentence that names the array and the threads
	Times  int    // how often it occurred
}

// String returns the fault as FILE:LINE: KIND: DETAIL, with the line below it.
func (f Fault) String() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	text := fmt.Sprintf("%s: %s: %s", place, f.Kind, f.Detail)
	if f.Times > 1 {
		text += fmt.Sprintf(" (%d times)", f.Times)
	}
	if f.Text != "" {
		text += "\n\t" + f.Text
	}
	return text
}

// FaultError is the error of a launch in which the emulation found faults.
type FaultError struct {
	Kernel string  // the name of its function
	Seed   uint64  // of the schedule; the same seed shows the faults again
	Faults []Fault // at least one
}

// Error lists the faults.
func (e *FaultError) Error() string {
	lines := []string{fmt.Sprintf("the CUDA emulation found %s in kernel %q with seed %d", plural(len(e.Faults), "fault"), e.Kernel, e.Seed)}
	for _, f := range e.Faults {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// reportContext gives the numbers of a report their meaning.
type reportContext struct {
	*module
	shared  []sharedArray    // in the order of the launch
	local   int64            // bytes of dynamic shared memory
	buffers map[int64]string // names of allocations
	memory  func(number int64) int64
	limit   string
}

// faults turns the reports of the runtime into sentences.
func (c *reportContext) faults(reports string) (list []Fault, err error) {
	at := map[string]int{} // index in list, by the parts of a report that identify it
	for line := range strings.Lines(reports) {
		words := strings.Fields(line)
		numbers := make([]int64, len(words)-1)
		for i, word := range words[1:] {
			if _, err := fmt.Sscan(word, &numbers[i]); err != nil {
				return nil, fmt.Errorf("a report of the emulation that is none: %q", line)
			}
		}
		form, ok := reportForms[words[0]]
		if !ok || len(numbers) != form.numbers+1 {
			return nil, fmt.Errorf("a report of the emulation that is none: %q", line)
		}
		f := Fault{Kind: form.kind, File: c.file, Times: int(numbers[form.numbers])}
		f.Line, f.Detail = form.describe(c, numbers)
		f.Text = c.text(f.Line)
		for _, i := range form.sites {
			numbers[i] = int64(c.line(numbers[i]))
		}
		key := fmt.Sprint(words[0], numbers[:form.unique])
		if i, again := at[key]; again {
			list[i].Times += f.Times
			continue
		}
		at[key] = len(list)
		list = append(list, f)
	}
	return list, nil
}

// reportForms describes the reports of the runtime: how many numbers each has,
// how many of them identify it, which of them are places in the code, and its
// sentence.
var reportForms = map[string]struct {
	kind     Kind
	numbers  int
	unique   int
	sites    []int
	describe func(c *reportContext, n []int64) (line int, detail string)
}{
	"race": {Race, 12, 6, []int{2, 4}, func(c *reportContext, n []int64) (int, string) {
		where := c.place(n[0], n[1], n[6], n[7])
		line, other := c.line(n[2]), c.line(n[4])
		return line, fmt.Sprintf("%s: %s here by %s and %s %s by %s, in no order",
			where, access(n[3]), who(n[9], n[8]), access(n[5]), sameOr(line, other), who(n[11], n[10]))
	}},
	"bounds": {Bounds, 8, 4, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("a %s of %d bytes %s, by %s", readOrWrite(n[1]), n[5], c.outside(n[2], n[3], n[4]), who(n[7], n[6]))
	}},
	"misaligned": {Bounds, 8, 4, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("a %s of %d bytes at byte %d of %s, which is no multiple of its size, by thread %d of block %d",
			readOrWrite(n[1]), n[5], n[4], c.array(n[2], n[3]), n[7], n[6])
	}},
	"constant": {Constant, 6, 2, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("a write to %s, a column of the caller, by thread %d of block %d", c.place(0, n[1], n[2], n[3]), n[5], n[4])
	}},
	"unwritten": {Unwritten, 6, 3, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("byte %d of %s is read and was never written, by %s", n[3], c.array(n[1], n[2]), who(n[5], n[4]))
	}},
	"barrier-lines": {Divergence, 4, 2, nil, func(c *reportContext, n []int64) (int, string) {
		return int(n[0]), fmt.Sprintf("thread %d of block %d comes to this barrier while others of its block wait at another, %s", n[3], n[2], atLine(int(n[1])))
	}},
	"exit-before-barrier": {Divergence, 3, 1, nil, func(c *reportContext, n []int64) (int, string) {
		return int(n[0]), fmt.Sprintf("threads of block %d meet at this barrier that thread %d, which has ended, does not reach", n[1], n[2])
	}},
	"barrier-stuck": {Deadlock, 5, 1, nil, func(c *reportContext, n []int64) (int, string) {
		return int(n[0]), fmt.Sprintf("%d of %d threads of block %d wait at this barrier, and the others cannot come", n[3], n[4], n[1])
	}},
	"warp-missing": {Deadlock, 9, 2, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("thread %d of block %d waits in %s for the lanes of mask %#x, and thread %d %s",
			n[4], n[3], warpOperation(n[1]), uint32(n[2]), n[5], c.elsewhere(n[6], n[7], n[8]))
	}},
	"warp-operations": {Divergence, 6, 4, []int{0, 2}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("lanes of mask %#x of a warp of block %d run %s here and %s %s", uint32(n[4]), n[5], warpOperation(n[1]), warpOperation(n[3]), atLine(c.line(n[2])))
	}},
	"warp-mask": {Divergence, 5, 2, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("thread %d of block %d runs %s with mask %#x, which lacks its own lane", n[4], n[3], warpOperation(n[1]), uint32(n[2]))
	}},
	"shuffle-source": {Divergence, 5, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("thread %d of block %d reads lane %d, which mask %#x lacks", n[4], n[3], n[1], uint32(n[2]))
	}},
	"livelock": {Livelock, 3, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("thread %d of block %d waits here, and no thread does anything that could end it", n[2], n[1])
	}},
	"trap": {Trap, 3, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("__trap() by thread %d of block %d", n[2], n[1])
	}},
	"division": {Trap, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("an integer division by zero, or of the least number by -1, by thread %d of block %d; a GPU goes on with any value", n[3], n[2])
	}},
	"stack": {Trap, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), "the local variables do not fit the 256 KiB that the emulation gives a thread"
	}},
	"fault": {Bounds, 4, 2, []int{0}, func(c *reportContext, n []int64) (int, string) {
		where := "outside all arrays"
		if n[1] >= 0 {
			where = "next to " + c.array(0, n[1]) + " or not allowed in it"
		}
		return c.line(n[0]), fmt.Sprintf("an access %s, by thread %d of block %d; the checks of the emulation say more", where, n[3], n[2])
	}},
	"timeout": {Timeout, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		if n[3] < 0 {
			return 0, "not at its end after " + c.limit
		}
		return c.line(n[0]), fmt.Sprintf("not at its end after %s; thread %d of block %d was here last", c.limit, n[3], n[2])
	}},
	"mbarrier-none": {Divergence, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("an mbarrier that was never initialised, used by %s", who(n[3], n[2]))
	}},
	"mbarrier-arrivals": {Divergence, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("an arrival at an mbarrier that has had the %d of its phase, by %s", n[1], who(n[3], n[2]))
	}},
	"bulk-alignment": {Bounds, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("a bulk copy of %d bytes; size and both addresses have to be multiples of 16, by %s", n[1], who(n[3], n[2]))
	}},
	"bulk-unfinished": {Race, 4, 1, []int{0}, func(c *reportContext, n []int64) (int, string) {
		return c.line(n[0]), fmt.Sprintf("block %d ends before this bulk copy of %d bytes, for which it has not waited", n[2], n[1])
	}},
	"no-memory": {Memory, 2, 0, nil, func(c *reportContext, n []int64) (int, string) {
		return 0, fmt.Sprintf("no memory for the stacks of %d blocks of %d threads", n[0], n[1])
	}},
}

// firstCopier is the first number of bulk copies, which count as threads.
const firstCopier = 1 << 20

// who names a thread.
func who(thread, block int64) string {
	if thread >= firstCopier {
		return fmt.Sprintf("a bulk copy of block %d", block)
	}
	return fmt.Sprintf("thread %d of block %d", thread, block)
}

func access(bits int64) string {
	text := "read"
	if bits&1 != 0 {
		text = "written"
	}
	if bits&2 != 0 {
		text += " atomically"
	}
	return text
}

func readOrWrite(writes int64) string {
	if writes != 0 {
		return "write"
	}
	return "read"
}

func atLine(line int) string {
	if line == 0 {
		return "at a line that is not known"
	}
	return fmt.Sprintf("at line %d", line)
}

func sameOr(line, other int) string {
	if line == other {
		return "here"
	}
	return atLine(other)
}

func warpOperation(op int64) string {
	names := []string{"__syncwarp", "__shfl_sync", "__ballot_sync", "__all_sync", "__any_sync", "__match_any_sync", "__match_all_sync"}
	if op < int64(len(names)) {
		return names[op]
	}
	return "__reduce_sync"
}

// array names the array that a space and a number identify.
func (c *reportContext) array(space, id int64) string {
	switch {
	case space != 0 && id >= 0 && id < int64(len(c.shared)):
		return "shared " + c.shared[id].name
	case space != 0: // dynamic
		return "shared " + c.dynamic
	case c.buffers[id] != "":
		return c.buffers[id]
	case id >= 0:
		return "a buffer that is no argument"
	}
	return "no array"
}

// place names some bytes of an array.
func (c *reportContext) place(space, id, offset, size int64) string {
	if size == 1 {
		return fmt.Sprintf("byte %d of %s", offset, c.array(space, id))
	}
	return fmt.Sprintf("bytes %d to %d of %s", offset, offset+size-1, c.array(space, id))
}

// outside says where an access outside all arrays is.
func (c *reportContext) outside(space, id, offset int64) string {
	switch {
	case space != 0 && id < 0: // in the gap behind a shared array
		for i := len(c.shared) - 1; i >= 0; i-- {
			if a := c.shared[i]; a.offset <= offset {
				return fmt.Sprintf("at byte %d of shared %s, which has %d", offset-a.offset, a.name, a.bytes)
			}
		}
		return "before the first shared array"
	case space != 0 && id < int64(len(c.shared)):
		return fmt.Sprintf("at byte %d of shared %s, which has %d", offset, c.shared[id].name, c.shared[id].bytes)
	case space == 0 && id >= 0:
		return fmt.Sprintf("at byte %d of %s, which has %d", offset, c.array(space, id), c.memory(id))
	case space != 0: // dynamic
		return fmt.Sprintf("at byte %d of %s, which has %d", offset, c.array(space, id), c.local)
	}
	return "outside all arrays"
}

// elsewhere says what a lane that others wait for is doing. The states are those
// of the runtime: ready, barrier, warp, done, or -1 if there is no such thread.
func (c *reportContext) elsewhere(state, site, mask int64) string {
	switch state {
	case 1:
		return "waits at the barrier " + atLine(int(site))
	case 2:
		return fmt.Sprintf("waits for mask %#x %s", uint32(mask), atLine(c.line(site)))
	case 3:
		return "has ended"
	}
	return "does not exist"
}
