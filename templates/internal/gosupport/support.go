// Package support is what the Go code that kgen emits needs at run time. Its
// text is emitted beside the pipelines, under their package name.
package support

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

//lint:file-ignore U1000 A pipeline uses what it needs.

// Option changes how a function runs, never what it computes. Of several that
// set the same, the last one counts.
type Option struct {
	workers  int
	allocate func(bytes int) []byte
	scratch  *Scratch
	block    int                                      // rows of a block; of tests, which have few rows for several workers
	trace    func(step string, elapsed time.Duration) // of code that was emitted with WithTrace
}

// WithWorkers sets how many goroutines a function may keep busy. Without it,
// or with n < 1, it is runtime.GOMAXPROCS(0).
func WithWorkers(n int) Option {
	if n < 1 {
		n = -1
	}
	return Option{workers: n}
}

// WithAllocator makes a function call allocate for the memory of each result
// column that the destination has no room for. What it returns must begin at a
// multiple of 8 bytes and have that many bytes or more, of any value; less is
// an error of the function. It is called on the caller's goroutine.
func WithAllocator(allocate func(bytes int) []byte) Option { return Option{allocate: allocate} }

// WithScratch makes a function keep in scratch what it stores on the way to
// its results, for the next call to use again.
func WithScratch(scratch *Scratch) Option { return Option{scratch: scratch} }

// Scratch is memory that calls of one function use one after another; calls at
// the same time need one each. The zero Scratch is empty.
type Scratch struct {
	columns []any // pointers to slices, in the order in which the function makes them
}

// CheckError is data that breaks a rule of the pipeline: the first check that
// fails, in the order of the source, and the first row that fails it.
type CheckError struct {
	Site     int    // number of the check
	Row      int64  // row of Domain, from 0
	Position string // file:line:column of the source
	Message  string // what is wrong, what would be right
	Domain   string // "" where a scalar was checked
}

func (e *CheckError) Error() string {
	if e.Domain == "" {
		return e.Position + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s (row %d of %s)", e.Position, e.Message, e.Row, e.Domain)
}

// kgenCall is what one call has been asked for.
type kgenCall struct {
	Option
	temporaries int   // that have been made
	err         error // of the allocator
}

func kgenBegin(options []Option) (c kgenCall) {
	for _, option := range options {
		if option.workers != 0 {
			c.workers = option.workers
		}
		if option.allocate != nil {
			c.allocate = option.allocate
		}
		if option.scratch != nil {
			c.scratch = option.scratch
		}
		if option.block != 0 {
			c.block = option.block
		}
		if option.trace != nil {
			c.trace = option.trace
		}
	}
	return c
}

// kgenWorkers returns how many workers to use: one for fewer rows than least,
// from where a second one pays, and never more than rows.
func kgenWorkers(c *kgenCall, rows, least int) int {
	switch {
	case rows < least && c.block == 0:
		return 1
	case c.workers < 1:
		return runtime.GOMAXPROCS(0)
	}
	return min(c.workers, rows)
}

// kgenColumn returns memory for n rows of a result: that of old, of which n
// rows are kept as they are, where it is large enough.
func kgenColumn[T any](c *kgenCall, old []T, n int) []T {
	if cap(old) >= n {
		return old[:n]
	}
	if c.allocate == nil {
		return make([]T, n)
	}
	var element T
	size := n * int(unsafe.Sizeof(element))
	memory := c.allocate(size)
	start := unsafe.Pointer(unsafe.SliceData(memory))
	if len(memory) < size || uintptr(start)%8 != 0 {
		c.err = fmt.Errorf("the allocator gave %d bytes at %p, not %d at a multiple of 8", len(memory), start, size)
		return nil
	}
	return unsafe.Slice((*T)(start), n)
}

// kgenTemporary returns memory of any value for n rows that end with the call.
func kgenTemporary[T any](c *kgenCall, n int) []T {
	if c.scratch == nil {
		return make([]T, n)
	}
	s := c.scratch
	if c.temporaries == len(s.columns) {
		s.columns = append(s.columns, nil)
	}
	column, ok := s.columns[c.temporaries].(*[]T)
	if !ok { // new, or another function's
		column = new([]T)
		s.columns[c.temporaries] = column
	}
	c.temporaries++
	if cap(*column) < n {
		*column = make([]T, n)
	}
	return (*column)[:n]
}

// part returns how many rows workers may take at once: size, unless tests ask
// for fewer. Without a call the size is fixed.
func (c *kgenCall) part(size int) int {
	if c == nil || c.block == 0 {
		return size
	}
	return min(size, c.block)
}

// kgenFork cuts the rows into at most workers ranges at multiples of grain,
// runs body for all at once and waits. Equal arguments give equal ranges.
func kgenFork(c *kgenCall, workers, rows, grain int, body func(worker, lo, hi int)) {
	grain = c.part(grain)
	grains := (rows + grain - 1) / grain
	size := (grains + workers - 1) / workers * grain
	var group sync.WaitGroup
	for worker, lo := 1, size; lo < rows; worker, lo = worker+1, lo+size {
		group.Add(1)
		go func() {
			defer group.Done()
			body(worker, lo, min(rows-lo, size)+lo)
		}()
	}
	body(0, 0, min(size, rows))
	group.Wait()
}

// kgenChain is rows in blocks that workers take in order.
type kgenChain struct {
	rows, block int
	taken       atomic.Int64
	_           [64]byte // keep those who take blocks from those who wait
	finished    atomic.Int64
	lock        sync.Mutex
	turn        *sync.Cond // of lock: finished has grown
}

// kgenBlocks is one worker's view of a chain; rows lo to hi are its block.
type kgenBlocks struct {
	chain  *kgenChain
	number int64
	lo, hi int
}

// kgenInOrder runs body on up to workers goroutines, among which the blocks of
// the rows are shared out, and waits for all.
func kgenInOrder(c *kgenCall, workers, rows, block int, body func(blocks *kgenBlocks)) {
	chain := &kgenChain{rows: rows, block: c.part(block)}
	chain.turn = sync.NewCond(&chain.lock)
	var group sync.WaitGroup
	for range min(workers, (rows+chain.block-1)/chain.block) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			body(&kgenBlocks{chain: chain})
		}()
	}
	body(&kgenBlocks{chain: chain})
	group.Wait()
}

// next takes a block. Blocks are handed out in order, so those before it are
// finished or being worked on.
func (b *kgenBlocks) next() bool {
	b.number = b.chain.taken.Add(1) - 1
	b.lo = int(b.number) * b.chain.block
	if b.lo >= b.chain.rows {
		return false
	}
	b.hi = min(b.chain.rows-b.lo, b.chain.block) + b.lo
	return true
}

// await waits until the blocks before this one have been released: a few
// microseconds awake, which is enough as long as every worker has a core, then
// asleep, so that the one waited for can have this core.
func (b *kgenBlocks) await() {
	c := b.chain
	for spins := range 220 {
		if c.finished.Load() == b.number {
			return
		}
		if spins >= 200 {
			runtime.Gosched()
		}
	}
	c.lock.Lock()
	for c.finished.Load() != b.number {
		c.turn.Wait()
	}
	c.lock.Unlock()
}

// release lets the next block pass await.
func (b *kgenBlocks) release() {
	c := b.chain
	c.lock.Lock()
	c.finished.Store(b.number + 1)
	c.lock.Unlock()
	c.turn.Broadcast()
}

// kgenBytes returns the 8 bytes that a char8 is outside of kernels.
func kgenBytes(x uint64) (b [8]byte) {
	binary.BigEndian.PutUint64(b[:], x)
	return b
}

type kgenInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// kgenBit is 1 for true; it compiles to no branch.
func kgenBit[T kgenInteger](b bool) T {
	if b {
		return 1
	}
	return 0
}

// kgenSelect returns then if cond, else otherwise.
func kgenSelect[T any](cond bool, then, otherwise T) T {
	if cond {
		return then
	}
	return otherwise
}

// kgenVariable keeps the compiler from computing with constants, which must
// not overflow where variables wrap.
func kgenVariable[T any](x T) T { return x }

// kgenTruncate rounds x towards 0 to an integer of low to high, the limits of
// T; what lies outside becomes the nearer limit, and NaN becomes 0.
func kgenTruncate[T kgenInteger](x float64, low, high T) T {
	switch {
	case math.IsNaN(x):
		return 0
	case x <= float64(low):
		return low
	case x >= float64(high): // 1<<63 and 1<<64 for the widest: the limit rounds up
		return high
	}
	return T(x)
}

// kgenAbs returns |x|, for the least integer that itself.
func kgenAbs[T kgenInteger](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// kgenKeyEqual reports whether x and y are one key: -0.0 and 0.0 are, and all NaNs.
func kgenKeyEqual[T float32 | float64](x, y T) bool { return x == y || x != x && y != y }

// kgenKeyLess reports whether x precedes y in the order of keys, in which NaN
// follows all others.
func kgenKeyLess[T float32 | float64](x, y T) bool { return x < y || x == x && y != y }

// The calendar counts days from 1 March of a year 0 that lies before all dates
// of an int32 (Neri and Schneider, Euclidean affine functions, 2022).
const (
	kgenEras   = 14704 // of 400 years, before year 0
	kgenOrigin = 719468 + 146097*kgenEras
)

// kgenYearDay returns the year that begins in March and the day in it, from 0.
func kgenYearDay(date int32) (year, day uint64) {
	n := 4*uint64(int64(date)+kgenOrigin) + 3
	p := 2939745 * (n%146097/4*4 + 3)
	return 100*(n/146097) + p>>32, p & (1<<32 - 1) / 2939745 / 4
}

// kgenYear returns the year of a date, days since 1970-01-01.
func kgenYear(date int32) int32 {
	year, day := kgenYearDay(date)
	if day >= 306 { // January and February
		year++
	}
	return int32(int64(year) - 400*kgenEras)
}

// kgenMonth returns the month of a date, 1 to 12.
func kgenMonth(date int32) int32 {
	_, day := kgenYearDay(date)
	month := (2141*day + 197913) >> 16
	if day >= 306 {
		month -= 12
	}
	return int32(month)
}

// kgenDay returns the day of the month of a date, 1 to 31.
func kgenDay(date int32) int32 {
	_, day := kgenYearDay(date)
	return int32((2141*day+197913)&(1<<16-1)/2141) + 1
}
