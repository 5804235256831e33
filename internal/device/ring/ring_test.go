package ring

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"
	"unsafe"
)

// ends returns the ends over two pipes.
func ends(t testing.TB) (a, b *Conn, hangUp func()) {
	words := make([]uint64, Size/8)
	shared := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), Size)
	fromA, toB, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromB, toA, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a = New(shared, fromB, toB, true)
	b = New(shared, fromA, toA, false)
	return a, b, func() { toB.Close() }
}

// TestStream: frames of every size, in time and late, arrive as they were sent, and the end
// of the pipe is the end of the stream.
func TestStream(t *testing.T) {
	a, b, hangUp := ends(t)
	sent := make([]byte, 3<<20)
	for i := range sent {
		sent[i] = byte(rand.Uint32())
	}
	random := rand.New(rand.NewPCG(1, 2))
	go func() {
		for rest := sent; len(rest) > 0; {
			n := min(1+random.IntN(1<<random.IntN(18)), len(rest))
			if random.IntN(20) == 0 {
				time.Sleep(2 * spin)
			}
			if _, err := a.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		hangUp()
	}()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came of %d, %v", len(got), len(sent), err)
	}
}

// TestPingPong: each end wakes the other, whether that sleeps or not.
func TestPingPong(t *testing.T) {
	a, b, hangUp := ends(t)
	go func() {
		var in [100]byte
		for {
			n, err := b.Read(in[:])
			if err != nil {
				return
			}
			if in[0]%16 == 0 {
				time.Sleep(2 * spin)
			}
			b.Write(in[:n])
		}
	}()
	var in [100]byte
	for i := range 500 {
		if i%7 == 0 {
			time.Sleep(2 * spin)
		}
		if _, err := a.Write([]byte{byte(i), 2, 3}); err != nil {
			t.Fatal(err)
		}
		if n, err := io.ReadFull(a, in[:3]); err != nil || n != 3 || in[0] != byte(i) {
			t.Fatalf("round %d: %d bytes, %v", i, n, err)
		}
	}
	hangUp()
}
