//go:build cuda

package cuda

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
)

func openSession(t *testing.T) *session {
	opened, err := New().Open(context.Background(), 0, worker.SessionOptions{})
	if err != nil {
		if os.Getenv("KGEN_REQUIRE_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(opened.Close)
	return opened.(*session)
}

func mustAlloc(t *testing.T, s *session, size int64) *buffer {
	m, err := s.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*buffer)
}

// What a plan clears before its first kernel takes one command, and what it reads behind its
// last another.
func TestSmallBuffersShareCommands(t *testing.T) {
	s := openSession(t)
	zero := make([]byte, 4)
	abort, status, count := mustAlloc(t, s, 4), mustAlloc(t, s, 6600), mustAlloc(t, s, 8)
	for _, fill := range []struct {
		m     *buffer
		count int64
	}{{abort, 1}, {status, 1650}, {count, 2}} {
		if err := s.Fill(fill.m, zero, fill.count); err != nil {
			t.Fatal(err)
		}
	}
	if c := s.device.clearing; c.from > count.Object || c.to < status.Object+6600 {
		t.Errorf("%+v does not cover %x, %x and %x", c, abort.Object, status.Object, count.Object)
	}
	spans, total := s.device.spans([]exec.Read{{Memory: abort, To: zero}, {Memory: count, To: make([]byte, 8)}})
	if len(spans) != 1 || total > 2*partAlign {
		t.Errorf("%d spans of %d bytes", len(spans), total)
	}
	for _, m := range []*buffer{abort, status, count} {
		s.Free(m)
	}
	if s.device.clearing != (clearing{}) {
		t.Error("memory that nobody has is to be cleared")
	}
}

// Fills that are put off, reads that are joined and parts of blocks do what each alone would.
func TestSmallBuffersAtRandom(t *testing.T) {
	s := openSession(t)
	type held struct {
		m    *buffer
		want []byte // what is known of its bytes
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []held
	for round := range 40_000 {
		if round%100 == 99 { // blocks are empty again
			for _, h := range all {
				s.Free(h.m)
			}
			all = nil
		}
		pick := func() *held { return &all[random.IntN(len(all))] }
		what := random.IntN(12)
		switch {
		case len(all) < 3 || what < 3 && len(all) < 20:
			size := 1 + random.Int64N(300)
			if what == 0 {
				size = 1 + random.Int64N(2*partBytes)
			}
			all = append(all, held{m: mustAlloc(t, s, size)})
		case what < 6:
			h, element := pick(), bytes.Repeat([]byte{byte(random.IntN(3))}, 1<<random.IntN(4))
			if random.IntN(4) == 0 {
				element[0]++
			}
			count := h.m.Size / int64(len(element))
			if random.IntN(3) == 0 {
				count = random.Int64N(count + 1)
			}
			if err := s.Fill(h.m, element, count); err != nil {
				t.Fatal(err)
			}
			filled := bytes.Repeat(element, int(count))
			h.want = append(filled, h.want[min(len(filled), len(h.want)):]...)
		case what < 7:
			from, to := pick(), pick()
			n := min(int64(len(from.want)), to.m.Size)
			if from == to || n == 0 {
				continue
			}
			if err := s.Copy(to.m, from.m, n); err != nil {
				t.Fatal(err)
			}
			to.want = append(slices.Clone(from.want[:n]), to.want[min(int(n), len(to.want)):]...)
		case what < 10:
			var reads []exec.Read
			var want [][]byte
			for range 1 + random.IntN(5) {
				h := pick()
				at := random.IntN(len(h.want) + 1)
				n := random.IntN(min(len(h.want)-at, 8000) + 1)
				reads = append(reads, exec.Read{Memory: h.m, Offset: int64(at), To: make([]byte, n)})
				want = append(want, h.want[at:at+n])
			}
			if err := s.Gather(reads); err != nil {
				t.Fatal(err)
			}
			for i, r := range reads {
				if !bytes.Equal(r.To, want[i]) {
					t.Fatalf("read %d of %d: %d bytes at %d differ", i, len(reads), len(r.To), r.Offset)
				}
			}
		default:
			i := random.IntN(len(all))
			s.Free(all[i].m)
			all = slices.Delete(all, i, i+1)
		}
	}
	for _, h := range all {
		s.Free(h.m)
	}
	if r := s.device.reporter(); r == nil || r.number == 0 {
		t.Error("no kernel has reported")
	}
	if len(s.device.blocks) > 1 || s.device.blocks[0].live != 0 {
		t.Errorf("%d blocks are left", len(s.device.blocks))
	}
}
