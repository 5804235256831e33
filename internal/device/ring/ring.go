// Package ring passes bytes between two processes through memory that both map, in place of
// the pipes between them, which cost a wake-up each way.
//
// Each direction is a ring of bytes with one writer and one reader. A reader that finds
// nothing looks again for a moment, then announces that it sleeps and waits for a byte on
// the pipe, which a writer sends only then. What is too large for the ring goes through the
// pipe. When the pipe ends, so do both directions.
package ring

import (
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// Size is how many bytes of shared memory, all zero at first, two ends need.
const Size = 2 * (headerBytes + capacity)

const (
	capacity    = 1 << 16
	headerBytes = 3 * 64 // each field in a cache line of its own
	frameBytes  = 8
)

// spin is for how long a reader looks again before it sleeps: longer than short answers of a
// device take even if the other end was asleep, or both would go on to sleep each time.
const spin = 200 * time.Microsecond

// mostVain bounds how many looks are left out where looking is in vain, because answers take
// long or all cores are busy: 2 to the power of that.
const mostVain = 3

// direction is the memory of one direction.
type direction struct {
	written, read *atomic.Uint64 // bytes, ever
	sleeps        *atomic.Uint32 // whether the reader waits for a byte on the pipe
	bytes         []byte
}

func newDirection(shared []byte) direction {
	at := func(line int) unsafe.Pointer { return unsafe.Pointer(&shared[line*64]) }
	return direction{(*atomic.Uint64)(at(0)), (*atomic.Uint64)(at(1)), (*atomic.Uint32)(at(2)), shared[headerBytes : headerBytes+capacity]}
}

// put copies data behind what is there already; it does not publish it.
func (d *direction) put(at uint64, data []byte) {
	n := copy(d.bytes[at%capacity:], data)
	copy(d.bytes, data[n:])
}

// get copies the next bytes.
func (d *direction) get(to []byte) {
	at := d.read.Load()
	n := copy(to, d.bytes[at%capacity:])
	copy(to[n:], d.bytes)
	d.read.Store(at + uint64(len(to)))
}

// Conn is one end. A goroutine may read while another one writes.
type Conn struct {
	// Sleeps is called before a read waits for the pipe; it may be nil.
	Sleeps func()

	in, out direction
	from    io.Reader // the pipe from the other end
	to      io.Writer // and to it
	alone   bool      // this process has one core, so that looking would keep others from work

	rest int  // bytes of the frame being read
	pipe bool // whether they come through the pipe

	vain, skip int // looks that found nothing, of late; how many to leave out
}

// New returns an end over shared memory of [Size] bytes and the pipes, which carry nothing
// else from now on. One of the ends is the first.
func New(shared []byte, from io.Reader, to io.Writer, first bool) *Conn {
	c := &Conn{in: newDirection(shared), out: newDirection(shared[Size/2:]), from: from, to: to, alone: runtime.GOMAXPROCS(0) == 1}
	if !first {
		c.in, c.out = c.out, c.in
	}
	return c
}

// Write passes data on as one frame.
func (c *Conn) Write(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	if int64(len(data)) > 1<<31 {
		n, err := c.Write(data[:1<<30])
		if err != nil {
			return n, err
		}
		more, err := c.Write(data[n:])
		return n + more, err
	}
	at := c.out.written.Load()
	free, err := c.room(at)
	if err != nil {
		return 0, err
	}
	var frame [frameBytes]byte
	binary.LittleEndian.PutUint32(frame[:], uint32(len(data)))
	inside := frameBytes+len(data) <= free
	if inside {
		c.out.put(at+frameBytes, data)
	} else {
		frame[4] = 1
	}
	c.out.put(at, frame[:])
	at += frameBytes
	if inside {
		at += uint64(len(data))
	}
	c.out.written.Store(at)
	if c.out.sleeps.CompareAndSwap(1, 0) {
		if _, err := c.to.Write([]byte{0}); err != nil {
			return 0, err
		}
	}
	if inside {
		return len(data), nil
	}
	return c.to.Write(data)
}

var errStuck = errors.New("the other process does not read")

// room returns the free bytes of the ring, at least those of a frame.
func (c *Conn) room(at uint64) (int, error) {
	for range 10_000 {
		if free := capacity - int(at-c.out.read.Load()); free >= frameBytes {
			return free, nil
		}
		time.Sleep(time.Millisecond)
	}
	return 0, errStuck
}

// Read waits for bytes. The error is io.EOF when the other end is gone.
func (c *Conn) Read(to []byte) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	if c.rest == 0 {
		if err := c.await(); err != nil {
			return 0, err
		}
		var frame [frameBytes]byte
		c.in.get(frame[:])
		c.rest, c.pipe = int(binary.LittleEndian.Uint32(frame[:])), frame[4] != 0
	}
	n := min(len(to), c.rest)
	if c.pipe {
		c.sleeps()
		n, err := c.from.Read(to[:n])
		c.rest -= n
		return n, err
	}
	c.in.get(to[:n])
	c.rest -= n
	return n, nil
}

func (c *Conn) ready() bool { return c.in.written.Load() != c.in.read.Load() }

// await returns when a frame is there.
func (c *Conn) await() error {
	for {
		if c.look() {
			return nil
		}
		c.sleeps()
		c.in.sleeps.Store(1)
		if c.ready() && c.in.sleeps.CompareAndSwap(1, 0) {
			return nil // otherwise a byte is on its way
		}
		var wake [1]byte
		if _, err := io.ReadFull(c.from, wake[:]); err != nil {
			if c.ready() {
				return nil
			}
			return err
		}
	}
}

func (c *Conn) sleeps() {
	if c.Sleeps != nil {
		c.Sleeps()
	}
}

// look looks for a frame, for a moment. It does not yield meanwhile: the scheduler would wake idle
// threads each time, and be late for the answer.
func (c *Conn) look() bool {
	if c.ready() {
		return true
	}
	if c.alone {
		return false
	}
	if c.skip > 0 {
		c.skip--
		return false
	}
	begun := time.Now()
	for i := 1; ; i++ {
		if c.ready() {
			c.vain = 0
			return true
		}
		if i%64 > 0 {
			continue
		}
		if time.Since(begun) > spin {
			c.vain = min(c.vain+1, mostVain)
			c.skip = 1<<c.vain - 1
			return false
		}
	}
}
