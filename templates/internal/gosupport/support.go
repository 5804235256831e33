// Package support is the run-time support of the Go code that kgen emits. Its
// text is emitted beside the pipelines, under their package name.
package support

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

//lint:file-ignore U1000 Each pipeline uses some of these.

// Option changes how a function runs, never what it computes. Later options
// override earlier ones.
type Option struct {
	workers  int
	allocate func(bytes int) []byte
	scratch  *Scratch
	block    int                                      // rows of a block; tests set it to share few rows among several workers
	trace    func(step string, elapsed time.Duration) // set by WithTrace
}

// WithWorkers limits the number of goroutines that compute at a time. Without it,
// or with n < 1, the limit is runtime.GOMAXPROCS(0).
func WithWorkers(n int) Option {
	if n < 1 {
		n = -1
	}
	return Option{workers: n}
}

// WithAllocator makes a function call allocate for the memory of each result
// column that does not fit the memory of the destination. The returned memory
// must begin at a multiple of 8 bytes and have at least the given number of
// bytes, of any value; a smaller one is an error of the function. It is called on
// the caller's goroutine.
func WithAllocator(allocate func(bytes int) []byte) Option { return Option{allocate: allocate} }

// WithScratch makes a function keep its intermediate columns in scratch, so that
// the next call can use their memory again.
func WithScratch(scratch *Scratch) Option { return Option{scratch: scratch} }

// Scratch is memory that calls of one function use one after another. Concurrent
// calls need a Scratch each. The zero Scratch is empty.
type Scratch struct {
	columns []any // pointers to slices, in the order in which the function makes them
}

// CheckError reports that the data breaks a rule of the pipeline. It is the first
// failing check, in the order of the source, and the first row that fails it.
type CheckError struct {
	Site     int    // the number of the check
	Row      int64  // the row of Domain, from 0
	Position string // file:line:column of the source
	Message  string // what is wrong and what would be right
	Domain   string // "" for a check of scalars
}

func (e *CheckError) Error() string {
	if e.Domain == "" {
		return e.Position + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s (row %d of %s)", e.Position, e.Message, e.Row, e.Domain)
}

// kgenCall is the state of one call.
type kgenCall struct {
	Option
	temporaries int   // the number of intermediate columns so far
	large       int   // the number of large columns so far
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

// kgenWorkers returns the number of workers: one for fewer rows than least, where
// a second worker does not pay, and never more than rows.
func kgenWorkers(c *kgenCall, rows, least int) int {
	switch {
	case rows < least && c.block == 0:
		return 1
	case c.workers < 1:
		return runtime.GOMAXPROCS(0)
	}
	return min(c.workers, rows)
}

// kgenColumn returns memory for n rows of a result. If old is large enough, it is
// used and its elements stay as they are.
func kgenColumn[T any](c *kgenCall, old []T, n int) []T {
	if cap(old) >= n {
		return old[:n]
	}
	if c.allocate == nil {
		return kgenApart[T](c, n)
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

// kgenApart returns new memory for n rows. Large memory begins at a page, so that equal rows of
// many columns would meet in one set of the nearest cache: they begin some lines apart.
func kgenApart[T any](c *kgenCall, n int) []T {
	var element T
	if n*int(unsafe.Sizeof(element)) >= kgenLarge {
		c.large++
	}
	return kgenPlaced[T](c.large, n)
}

// kgenLarge is from how many bytes on memory is large.
const kgenLarge = 1 << 15

// kgenPlaced is kgenApart for the column of that number, whose elements have no pointers. Large memory has any value: to clear
// it would take as long as to group or join some of the rows, on one core. Of the standard library only a builder leaves memory as it is.
func kgenPlaced[T any](number, n int) []T {
	const lines, ways = 3 * 64, 16
	var element T
	size := int(unsafe.Sizeof(element))
	if n < kgenLarge/size || n > math.MaxInt/size-kgenLarge {
		return make([]T, n)
	}
	skipped := number % ways * lines / size
	var memory strings.Builder
	memory.Grow((skipped + n) * size)
	memory.WriteByte(0) // what is empty has no address
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(memory.String()))), skipped+n)[skipped : skipped+n : skipped+n]
}

// kgenTemporary returns memory of any value for n rows of the present call.
func kgenTemporary[T any](c *kgenCall, n int) []T {
	if c.scratch == nil {
		return kgenApart[T](c, n)
	}
	column := kgenKept[T](c)
	if cap(*column) < n {
		*column = kgenApart[T](c, n)
	}
	return (*column)[:n]
}

// kgenGrowing returns memory for a result of up to n rows, which kgenGrow makes larger.
func kgenGrowing[T any](c *kgenCall, old []T, n int) []T {
	if c.allocate != nil { // on the caller's goroutine, once
		return kgenColumn(c, old, n)
	}
	return old[:cap(old)]
}

// kgenGrow returns memory for n elements, of which the first used are those of column. It is as long as
// rows rows will need if done of them have needed what is used, and a bit longer. Columns that are used
// together have different numbers.
func kgenGrow[T any](column []T, number, used, n, done, rows int) []T {
	if n <= len(column) {
		return column
	}
	size := n
	if done > 0 {
		expected := float64(used) / float64(done) * float64(rows) * 17 / 16
		size = max(n, min(max(int(expected)+n-used, len(column)+len(column)/2), used+rows-done+1))
	}
	grown := kgenPlaced[T](number, size)
	copy(grown, column[:used])
	return grown
}

// kgenKept returns where scratch keeps the next intermediate column, all of whose memory is in use.
func kgenKept[T any](c *kgenCall) *[]T {
	if c.scratch == nil {
		return new([]T)
	}
	s := c.scratch
	if c.temporaries == len(s.columns) {
		s.columns = append(s.columns, nil)
	}
	column, ok := s.columns[c.temporaries].(*[]T)
	if !ok { // new, or of another function
		column = new([]T)
		s.columns[c.temporaries] = column
	}
	c.temporaries++
	return column
}

// kgenFill stores a value in every element of a column. What fits in caches is copied from its own
// beginning, which is up to four times as fast as a loop there, and half as fast beyond.
func kgenFill[T any](column []T, value T) {
	const cached, block = 1 << 22, 1 << 12
	size := int(unsafe.Sizeof(value))
	first := column
	if len(column)*size <= cached {
		first = column[:min(len(column), block/size)]
	}
	for i := range first {
		first[i] = value
	}
	for done := len(first); done < len(column); {
		done += copy(column[done:], first)
	}
}

// part returns the number of rows that a worker takes at once: size, unless a
// test sets a smaller number. It is size if there is no call.
func (c *kgenCall) part(size int) int {
	if c == nil || c.block == 0 {
		return size
	}
	return min(size, c.block)
}

// kgenFork divides the rows into at most workers ranges at multiples of grain,
// runs body for all of them concurrently and waits. Equal arguments give equal
// ranges.
func kgenFork(c *kgenCall, workers, rows, grain int, body func(worker, lo, hi int)) {
	grain = c.part(grain)
	grains := (rows + grain - 1) / grain
	size := (grains + workers - 1) / workers * grain
	var running sync.WaitGroup
	for worker, lo := 1, size; lo < rows; worker, lo = worker+1, lo+size {
		running.Add(1)
		go func() {
			defer running.Done()
			body(worker, lo, min(rows-lo, size)+lo)
		}()
	}
	body(0, 0, min(size, rows))
	running.Wait()
}

// kgenTurns is how many turns a block has at most.
const kgenTurns = 4

// kgenChain is rows in blocks that workers take in order.
type kgenChain struct {
	rows, block int
	workers     int
	taken       atomic.Int64
	_           [64]byte // separates the fields of workers that take blocks from those that wait
	finished    [kgenTurns]atomic.Int64
	done        atomic.Int64 // blocks, of a chain whose columns grow
	lock        sync.Mutex
	turn        *sync.Cond // of lock: finished has grown
}

// kgenBlocks is one worker's view of a chain; rows lo to hi are its block.
type kgenBlocks struct {
	chain  *kgenChain
	worker int
	step   int64 // to the next block, if blocks are dealt
	turn   int   // of the block, which comes next
	number int64
	lo, hi int
}

// kgenInOrder distributes the blocks of the rows among up to workers goroutines
// that run body, and waits for all of them.
func kgenInOrder(c *kgenCall, workers, rows, block int, body func(blocks *kgenBlocks)) {
	chain := &kgenChain{rows: rows, block: c.part(block)}
	chain.turn = sync.NewCond(&chain.lock)
	chain.workers = min(workers, (rows+chain.block-1)/chain.block)
	var running sync.WaitGroup
	for worker := 1; worker < chain.workers; worker++ {
		running.Add(1)
		go func() {
			defer running.Done()
			body(&kgenBlocks{chain: chain, worker: worker})
		}()
	}
	body(&kgenBlocks{chain: chain})
	running.Wait()
}

// deal gives the worker every so manieth block, and returns its number: equal workers
// have equal rows.
func (b *kgenBlocks) deal() (worker int) {
	b.step = int64(b.chain.workers)
	b.number = int64(b.worker) - b.step
	return b.worker
}

// next takes a block. Blocks are taken in order, so all earlier blocks are
// finished, in progress, or dealt to workers that have begun.
func (b *kgenBlocks) next() bool {
	b.turn = 0
	if b.step > 0 {
		b.number += b.step
	} else {
		b.number = b.chain.taken.Add(1) - 1
	}
	b.lo = int(b.number) * b.chain.block
	if b.lo >= b.chain.rows {
		return false
	}
	b.hi = min(b.chain.rows-b.lo, b.chain.block) + b.lo
	return true
}

// await waits until all earlier blocks have been released. It spins for a few
// microseconds, which suffices if every worker has a core, and then sleeps, so
// that the worker of the earlier block can have this core.
func (b *kgenBlocks) await() {
	c := b.chain
	for spins := range 220 {
		if c.finished[b.turn].Load() == b.number {
			return
		}
		if spins >= 200 {
			runtime.Gosched()
		}
	}
	c.lock.Lock()
	for c.finished[b.turn].Load() != b.number {
		c.turn.Wait()
	}
	c.lock.Unlock()
}

// release lets the next block pass await.
func (b *kgenBlocks) release() {
	c := b.chain
	c.lock.Lock()
	c.finished[b.turn].Store(b.number + 1)
	c.lock.Unlock()
	b.turn++
	c.turn.Broadcast()
}

// done says that the block is done, with all that it copies.
func (b *kgenBlocks) done() { b.chain.done.Add(1) }

// settle waits until all earlier blocks are done, so that memory can move that they copy to. It
// follows await.
func (b *kgenBlocks) settle() {
	for b.chain.done.Load() != b.number {
		runtime.Gosched()
	}
}

// kgenBytes returns the 8 bytes of a char8 as users see it.
func kgenBytes(x uint64) (b [8]byte) {
	binary.BigEndian.PutUint64(b[:], x)
	return b
}

type kgenInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// kgenBit is 1 for true and 0 for false, without a branch.
func kgenBit[T kgenInteger](b bool) T {
	if b {
		return 1
	}
	return 0
}

// kgenSelect returns then if cond holds, and otherwise the other value.
func kgenSelect[T any](cond bool, then, otherwise T) T {
	if cond {
		return then
	}
	return otherwise
}

// kgenVariable keeps the compiler from folding constants: constant arithmetic
// must not overflow, while variables wrap.
func kgenVariable[T any](x T) T { return x }

// kgenTruncate rounds x towards 0 to an integer from low to high, the limits of
// T. Values outside become the nearer limit, and NaN becomes 0.
func kgenTruncate[T kgenInteger](x float64, low, high T) T {
	switch {
	case math.IsNaN(x):
		return 0
	case x <= float64(low):
		return low
	case x >= float64(high): // as a float, the limit of 64-bit types rounds up to 1<<63 or 1<<64
		return high
	}
	return T(x)
}

// kgenAbs returns |x|; the least integer is its own absolute value.
func kgenAbs[T kgenInteger](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// kgenKeyEqual reports whether x and y are the same key, as -0.0 and 0.0 are, and
// all NaNs.
func kgenKeyEqual[T float32 | float64](x, y T) bool { return x == y || x != x && y != y }

// kgenKeyLess reports whether x precedes y in the order of keys, in which NaN
// follows all others.
func kgenKeyLess[T float32 | float64](x, y T) bool { return x < y || x == x && y != y }

// The calendar counts days from 1 March of a year 0 that is earlier than all
// dates of an int32 (Neri and Schneider, Euclidean affine functions, 2022).
const (
	kgenEras   = 14704 // of 400 years, before year 0
	kgenOrigin = 719468 + 146097*kgenEras
)

// kgenYearDay returns the year, which begins in March, and its day, from 0.
func kgenYearDay(date int32) (year, day uint64) {
	n := 4*uint64(int64(date)+kgenOrigin) + 3
	p := 2939745 * (n%146097/4*4 + 3)
	return 100*(n/146097) + p>>32, p & (1<<32 - 1) / 2939745 / 4
}

// kgenNextYear returns 1 in January and February, from day 306 of a year that begins in March, and else 0. In a loop
// that does more, a branch would be guessed wrong for one date in six.
func kgenNextYear(day uint64) uint64 { return (day + 512 - 306) >> 9 }

// kgenYear returns the year of a date, days since 1970-01-01.
func kgenYear(date int32) int32 {
	year, day := kgenYearDay(date)
	return int32(int64(year+kgenNextYear(day)) - 400*kgenEras)
}

// kgenMonth returns the month of a date, 1 to 12.
func kgenMonth(date int32) int32 {
	_, day := kgenYearDay(date)
	return int32((2141*day+197913)>>16 - 12*kgenNextYear(day))
}

// kgenDay returns the day of the month of a date, 1 to 31.
func kgenDay(date int32) int32 {
	_, day := kgenYearDay(date)
	return int32((2141*day+197913)&(1<<16-1)/2141) + 1
}
