package device

// Most buffers of a plan are small, and are all cleared before its first kernel or read behind
// its last: counters, words of status, what kernels report. They lie side by side in blocks, so
// that one command clears or reads several of them.

const (
	blockBytes = 256 << 10
	cellBytes  = 16 << 10  // of a block: buffers of at most Blocks.Align bytes, from here downwards
	partBytes  = 128 << 10 // the largest buffer in a block
	mostMade   = 1024      // of those that a block keeps beside those in use
)

// Blocks give out small buffers. M is the driver's handle of memory.
type Blocks[M any] struct {
	Pool  *Pool[M]
	Align int64 // of a buffer in a block: a power of two, as the driver aligns memory
	// Part returns the driver's handle of a part of a block.
	Part func(block M, at, bytes int64) (M, error)
	// Fill queues a fill of a part of a block with a byte.
	Fill func(block M, at, bytes int64, with byte) error

	list   []*block[M]
	putOff clearing[M]
	spans  []Span[M] // of the last reads
}

// block is memory of the pool that is given out in parts.
type block[M any] struct {
	*Buffer[M]
	cells int64 // where the last cell begins
	ends  int64 // where the last part ends
	live  int   // parts in use
}

// part is a range of a block.
type part struct{ at, bytes int64 }

// clearing is a range of a block that is to be filled with a byte before the next command.
type clearing[M any] struct {
	block    *block[M] // nil for none
	from, to int64
	with     byte
}

func newBlock[M any](b *Buffer[M]) *block[M] {
	if b.parts == nil {
		b.parts = map[part]*Buffer[M]{}
	}
	return &block[M]{Buffer: b, cells: cellBytes, ends: cellBytes}
}

// reserve returns where a part of so many bytes begins, if there is room.
func (b *block[M]) reserve(bytes, align int64) (at int64, ok bool) {
	size := (bytes + align - 1) &^ (align - 1)
	switch {
	case size == align && b.cells >= size:
		b.cells -= size
		return b.cells, true
	case b.ends+size <= blockBytes:
		b.ends += size
		return b.ends - size, true
	}
	return 0, false
}

// Small returns a part of the last block, or of a new one where kept columns fill that. It is
// nil if the buffer is not small, there is no memory for a block, or each buffer has to have its
// exact size.
func (s *Blocks[M]) Small(bytes int64) *Buffer[M] {
	if s.Pool.Exact || bytes > partBytes {
		return nil
	}
	if last := len(s.list) - 1; last >= 0 {
		if b := s.within(s.list[last], bytes); b != nil {
			return b
		}
	}
	whole, err := s.Pool.Take(blockBytes)
	if err != nil {
		return nil
	}
	s.list = append(s.list, newBlock(whole))
	return s.within(s.list[len(s.list)-1], bytes)
}

// within returns a part of a block, or nil if there is no room.
func (s *Blocks[M]) within(b *block[M], bytes int64) *Buffer[M] {
	at, ok := b.reserve(bytes, s.Align)
	if !ok {
		return nil
	}
	buffer := b.parts[part{at, bytes}]
	if buffer == nil {
		if len(b.parts) >= mostMade+b.live {
			s.Pool.settle()
			s.Pool.releaseParts(b.Buffer)
		}
		object, err := s.Part(b.Object, at, bytes)
		if err != nil {
			return nil
		}
		buffer = &Buffer[M]{Object: object, Size: bytes, at: at}
		b.parts[part{at, bytes}] = buffer
	}
	buffer.block, buffer.used = b, true
	b.live++
	return buffer
}

// Give ends the use of a buffer of Small or of the pool. Of the blocks without a part in use one
// stays.
func (s *Blocks[M]) Give(buffer *Buffer[M]) {
	b := buffer.block
	if b == nil {
		s.Pool.Give(buffer)
		return
	}
	buffer.used = false
	if b.live--; b.live > 0 {
		return
	}
	b.cells, b.ends = cellBytes, cellBytes
	if s.putOff.block == b {
		s.putOff = clearing[M]{} // nobody reads it
	}
	for i := range s.list {
		if s.list[i] == b && len(s.list) > 1 {
			s.list = append(s.list[:i], s.list[i+1:]...)
			s.Pool.Give(b.Buffer)
			return
		}
	}
}

// FillLater joins a fill of a whole part to the one before, if they lie side by side, and says
// whether it has. What lies between the end of a part and the next belongs to nobody.
func (s *Blocks[M]) FillLater(buffer *Buffer[M], with byte, bytes int64) (bool, error) {
	b := buffer.block
	if b == nil || bytes < buffer.Size {
		return false, nil
	}
	from, to := buffer.at, buffer.at+(bytes+s.Align-1)&^(s.Align-1)
	c := &s.putOff
	joins := c.block == b && c.with == with
	switch {
	case joins && from == c.to:
		c.to = to
	case joins && to == c.from:
		c.from = from
	default:
		if err := s.FillNow(); err != nil {
			return true, err
		}
		*c = clearing[M]{b, from, to, with}
	}
	return true, nil
}

// Waits reports whether a fill has been put off.
func (s *Blocks[M]) Waits() bool { return s.putOff.block != nil }

// FillNow queues the fill that has been put off. If it fails, the fill is still to be queued.
func (s *Blocks[M]) FillNow() error {
	c := s.putOff
	if c.block == nil {
		return nil
	}
	if err := s.Fill(c.block.Object, c.from, c.to-c.from, c.with); err != nil {
		return err
	}
	s.putOff = clearing[M]{}
	return nil
}
