//go:build cuda

package cuda

import (
	"slices"

	"gorgonia.org/cu"
)

// Most buffers of a plan are small, and are all cleared before its first kernel or read behind
// its last: counters, words of status, what kernels report. They lie side by side in blocks, so
// that one command clears or reads several of them.

const (
	blockBytes = 256 << 10
	cellBytes  = 16 << 10  // of a block: buffers of at most partAlign bytes, from here downwards
	partAlign  = 256       // of a buffer in a block, as the driver aligns memory
	partBytes  = 128 << 10 // the largest buffer in a block
)

// block is memory of the pool that is given out in parts.
type block struct {
	*buffer
	cells int64 // where the last cell begins
	parts int64 // where the last part ends
	live  int   // parts in use
}

func newBlock(b *buffer) *block { return &block{buffer: b, cells: cellBytes, parts: cellBytes} }

// take returns a part, or nil if there is no room.
func (b *block) take(bytes int64) *buffer {
	size := (bytes + partAlign - 1) &^ (partAlign - 1)
	at := b.parts
	switch {
	case size == partAlign && b.cells >= size:
		b.cells -= size
		at = b.cells
	case b.parts+size <= blockBytes:
		b.parts += size
	default:
		return nil
	}
	b.live++
	return &buffer{Object: b.Object + cu.DevicePtr(at), Size: bytes}
}

func (b *block) holds(part *buffer) bool {
	return part.Object >= b.Object && part.Object < b.Object+blockBytes
}

// give ends the use of a part.
func (b *block) give() {
	if b.live--; b.live == 0 {
		b.cells, b.parts = cellBytes, cellBytes
	}
}

// small returns a part of the last block, or of a new one where kept columns fill that. It
// is nil if there is no memory for a block, or each buffer has to have its exact size.
func (d *device) small(bytes int64) *buffer {
	if d.pool.Exact || bytes > partBytes {
		return nil
	}
	if last := len(d.blocks) - 1; last >= 0 {
		if part := d.blocks[last].take(bytes); part != nil {
			return part
		}
	}
	whole, err := d.pool.Take(blockBytes)
	if err != nil {
		return nil
	}
	d.blocks = append(d.blocks, newBlock(whole))
	return d.blocks[len(d.blocks)-1].take(bytes)
}

// give returns memory of small or of the pool. Of the blocks without a part in use one stays.
func (d *device) give(b *buffer) {
	for i, block := range d.blocks {
		if !block.holds(b) {
			continue
		}
		if block.give(); block.live > 0 {
			return
		}
		if d.clearing.from >= block.Object && d.clearing.to <= block.Object+blockBytes {
			d.clearing = clearing{} // nobody reads it
		}
		if len(d.blocks) > 1 {
			d.blocks = append(d.blocks[:i], d.blocks[i+1:]...)
			d.pool.Give(block.buffer)
		}
		return
	}
	d.pool.Give(b)
}

// clearing is a range of a block that is to be filled with a byte before the next command.
type clearing struct {
	from, to cu.DevicePtr
	with     byte
}

// fillLater joins a fill of a whole part to the one before, if they lie side by side, and says
// whether it has. What lies between the end of a part and the next belongs to nobody.
func (d *device) fillLater(b *buffer, with byte, bytes int64) (bool, error) {
	inside := slices.ContainsFunc(d.blocks, func(block *block) bool { return block.holds(b) })
	if !inside || bytes < b.Size {
		return false, nil
	}
	from, to := b.Object, b.Object+cu.DevicePtr((bytes+partAlign-1)&^(partAlign-1))
	c := &d.clearing
	switch {
	case c.from == c.to:
		*c = clearing{from, to, with}
	case c.with == with && from == c.to:
		c.to = to
	case c.with == with && to == c.from:
		c.from = from
	default:
		if err := d.fillNow(); err != nil {
			return true, err
		}
		*c = clearing{from, to, with}
	}
	return true, nil
}

// fillNow queues the fill that has been put off.
func (d *device) fillNow() error {
	c := d.clearing
	if c.from == c.to {
		return nil
	}
	d.clearing = clearing{}
	return cu.MemsetD8Async(c.from, c.with, int64(c.to-c.from), cu.NoStream)
}
