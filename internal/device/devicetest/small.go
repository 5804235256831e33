//go:build unix

package devicetest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// SmallBuffers tests that fills that are put off, reads that are joined and parts of blocks do
// what each alone would, by so many commands at random.
func SmallBuffers(t *testing.T, s worker.Session, commands int) {
	type held struct {
		m    exec.Memory
		size int64
		want []byte // what is known of its bytes
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []held
	for round := range commands {
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
				size = 1 + random.Int64N(256<<10)
			}
			m, err := s.Alloc(size)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, held{m: m, size: size})
		case what < 6:
			h, element := pick(), bytes.Repeat([]byte{byte(random.IntN(3))}, 1<<random.IntN(4))
			if random.IntN(4) == 0 {
				element[0]++
			}
			count := h.size / int64(len(element))
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
			n := min(int64(len(from.want)), to.size)
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
					t.Fatalf("command %d: read %d of %d: %d bytes at %d differ", round, i, len(reads), len(r.To), r.Offset)
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
}
