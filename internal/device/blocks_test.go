package device

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// address is memory of a device that has none.
type address int64

// fillOf is a fill that was queued.
type fillOf struct {
	at    address
	bytes int64
	with  byte
}

func testBlocks(queued *[]fillOf) *Blocks[address] {
	next := address(0)
	pool := &Pool[address]{Limit: 4 << 20, Release: func(address) {}, IsFull: func(error) bool { return false },
		Allocate: func(bytes int64) (address, error) {
			next += 1 << 30
			return next, nil
		}}
	return &Blocks[address]{Pool: pool, Align: 256,
		Part: func(block address, at, _ int64) (address, error) { return block + address(at), nil },
		Fill: func(block address, at, bytes int64, with byte) error {
			*queued = append(*queued, fillOf{block + address(at), bytes, with})
			return nil
		}}
}

// What a plan clears before its first kernel takes one command, and what it reads behind its
// last another.
func TestSmallBuffersShareCommands(t *testing.T) {
	var queued []fillOf
	s := testBlocks(&queued)
	abort, status, count := s.Small(4), s.Small(6600), s.Small(8)
	for _, b := range []*Buffer[address]{abort, status, count} {
		if later, err := s.FillLater(b, 0, b.Size); !later || err != nil {
			t.Fatalf("%v, %v", later, err)
		}
	}
	if err := s.FillNow(); err != nil || len(queued) != 1 || queued[0].at != count.Object || queued[0].at+address(queued[0].bytes) < status.Object+6600 {
		t.Errorf("%+v, %v do not cover %x, %x and %x", queued, err, abort.Object, status.Object, count.Object)
	}
	four, eight := []byte{1, 2, 3, 4}, make([]byte, 8)
	reads := []exec.Read{{Memory: abort, To: make([]byte, 4)}, {Memory: count, To: eight}, {Memory: abort, Offset: 2, To: make([]byte, 2)}}
	spans, total := s.Spans(reads)
	if len(spans) != 1 || total > 512 || spans[0].From%8 != 0 || total%8 != 0 {
		t.Fatalf("%+v of %d bytes", spans, total)
	}
	data := make([]byte, total)
	copy(data[int64(abort.Object)-int64(spans[0].Object)-spans[0].From:], four)
	if Spread(reads, spans, data); !slices.Equal(reads[0].To, four) || !slices.Equal(reads[2].To, four[2:]) {
		t.Errorf("%v", reads)
	}
	s.FillLater(abort, 0, 4)
	for _, b := range []*Buffer[address]{abort, status, count} {
		s.Give(b)
	}
	if queued = nil; s.FillNow() != nil || queued != nil {
		t.Error("memory that nobody has is to be cleared")
	}
	if again := s.Small(4); again.Object != abort.Object {
		t.Errorf("%x, and %x before", again.Object, abort.Object)
	}
}

func TestFillsThatDoNotJoin(t *testing.T) {
	var queued []fillOf
	s := testBlocks(&queued)
	a, b, c := s.Small(8), s.Small(8), s.Small(8)
	for _, fill := range []struct {
		b     *Buffer[address]
		with  byte
		bytes int64
		later bool
	}{{a, 0, 8, true}, {c, 0, 8, true}, {b, 1, 8, true}, {b, 0, 4, false}, {&Buffer[address]{Size: 8}, 0, 8, false}} {
		if later, err := s.FillLater(fill.b, fill.with, fill.bytes); later != fill.later || err != nil {
			t.Errorf("%+v: %v, %v", fill, later, err)
		}
	}
	s.FillNow()
	if want := []fillOf{{a.Object, 256, 0}, {c.Object, 256, 0}, {b.Object, 256, 1}}; !slices.Equal(queued, want) {
		t.Errorf("%+v, want %+v", queued, want)
	}
}

// A command behind a fill for which there was no memory is queued again, and the fill before it.
func TestFillsThatFail(t *testing.T) {
	var queued []fillOf
	s := testBlocks(&queued)
	a, fill := s.Small(8), s.Fill
	s.FillLater(a, 1, 8)
	s.Fill = func(address, int64, int64, byte) error { return errors.New("no memory") }
	if s.FillNow() == nil || queued != nil {
		t.Errorf("%+v", queued)
	}
	s.Fill = fill
	if err := s.FillNow(); err != nil || !slices.Equal(queued, []fillOf{{a.Object, 256, 1}}) {
		t.Errorf("%+v, %v", queued, err)
	}
}

// handles counts the driver's handles of a device: of memory, and of parts of it.
type handles struct {
	t       *testing.T
	queued  bool                // commands have not ended
	parts   map[address]address // the memory of each part
	settled int
}

func (h *handles) blocks() *Blocks[address] {
	s, next := testBlocks(new([]fillOf)), address(1)
	h.parts = map[address]address{}
	s.Part = func(block address, _, _ int64) (address, error) {
		next += 2 // odd, so that it is no memory
		h.parts[next] = block
		return next, nil
	}
	s.Pool.Settle = func() { h.queued = false; h.settled++ }
	s.Pool.ReleasePart = func(part address) {
		if _, ok := h.parts[part]; !ok || h.queued {
			h.t.Errorf("part %d is released: it is there: %v; commands are queued: %v", part, ok, h.queued)
		}
		delete(h.parts, part)
	}
	s.Pool.Release = func(memory address) {
		for part, of := range h.parts {
			if of == memory {
				h.t.Errorf("memory %x is released before its part %d", memory, part)
			}
		}
		if h.queued {
			h.t.Errorf("memory %x is released while commands are queued", memory)
		}
	}
	return s
}

// No part is released while commands are queued, nor behind its memory, nor while somebody has
// it; and there are not ever more of them.
func TestPartsAreReleased(t *testing.T) {
	h := &handles{t: t}
	s := h.blocks()
	random := rand.New(rand.NewPCG(1, 2))
	held := map[*Buffer[address]]bool{}
	most := 0
	for range 200_000 {
		if h.queued = true; len(held) > 0 && random.IntN(len(held)+20) > 20 {
			for b := range held {
				if _, ok := h.parts[b.Object]; !ok {
					t.Fatal("a part that somebody has has been released")
				}
				delete(held, b)
				s.Give(b)
				break
			}
			continue
		}
		b := s.Small(1 + random.Int64N(3000))
		if held[b] {
			t.Fatal("a part that somebody has is given out")
		}
		held[b] = true
		if _, ok := h.parts[b.Object]; !ok {
			t.Fatal("a part is given out that has been released")
		}
		most = max(most, len(h.parts))
	}
	if h.settled == 0 || h.settled > 1000 || most > (len(s.list)+10)*mostMade+len(held) {
		t.Errorf("%d times settled, %d parts at most in %d blocks", h.settled, most, len(s.list))
	}
	for b := range held {
		s.Give(b)
	}
	h.queued = true
	s.Pool.Trim()
	for _, of := range h.parts {
		if of != s.list[0].Object {
			t.Fatal("parts are left without their memory")
		}
	}
}

// A block that the pool gives out again has its parts.
func TestSpareBlocksKeepTheirParts(t *testing.T) {
	h := &handles{t: t}
	s := h.blocks()
	var all []*Buffer[address]
	for range 4 {
		for range 5 {
			all = append(all, s.Small(100_000))
		}
		for _, b := range all[len(all)-5:] {
			s.Give(b)
		}
	}
	if n := len(h.parts); n > 6 { // two in each of three blocks
		t.Errorf("%d parts", n)
	}
	last := s.Small(100_000)
	if last.block != s.list[0] {
		t.Error("a part of a block that was another one's")
	}
}

// Kept columns fill blocks; an empty one goes back to the pool, the last one stays.
func TestBlocksEnd(t *testing.T) {
	s := testBlocks(new([]fillOf))
	var kept []*Buffer[address]
	for range 5 {
		kept = append(kept, s.Small(100_000))
	}
	if len(s.list) != 3 {
		t.Errorf("%d blocks", len(s.list))
	}
	for _, b := range kept {
		s.Give(b)
	}
	if len(s.list) != 1 || s.Pool.Idle() == 0 {
		t.Errorf("%d blocks, %d bytes idle", len(s.list), s.Pool.Idle())
	}
	if s.Small(partBytes+1) != nil {
		t.Error("a large buffer is a part")
	}
	s.Part = func(address, int64, int64) (address, error) { return 0, errors.New("no parts") }
	if s.Small(77) != nil {
		t.Error("a part that the driver does not make")
	}
	if s.Pool.Exact = true; s.Small(8) != nil {
		t.Error("a part that is not exact")
	}
}
