package device

import (
	"errors"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
)

func TestRoundedSize(t *testing.T) {
	for bytes := int64(1); bytes < 1<<40; bytes = bytes*9/8 + 1 {
		if size := roundedSize(bytes); size < bytes || size > bytes+min(max(bytes/8, 255), mostWasted) || roundedSize(size) != size {
			t.Fatalf("%d bytes become %d", bytes, size)
		}
	}
}

// A pool of 1000 bytes over a driver that has 800.
func TestPool(t *testing.T) {
	full, broken := errors.New("full"), errors.New("broken")
	isBroken := false
	left, next := int64(800), 0
	sizes := map[int]int64{}
	p := Pool[int]{
		Limit: 1000,
		Allocate: func(bytes int64) (int, error) {
			if isBroken {
				return 0, broken
			}
			if bytes > left {
				return 0, full
			}
			left -= bytes
			next++
			sizes[next] = bytes
			return next, nil
		},
		Release:  func(m int) { left += sizes[m] },
		IsFull:   func(err error) bool { return err == full },
		Describe: func(err error) string { return "it is " + err.Error() },
	}
	take := func(bytes int64, want string) *Buffer[int] {
		t.Helper()
		b, err := p.Take(bytes)
		if got := ""; err != nil {
			if got = err.Error(); got != want {
				t.Fatalf("%d bytes: %v, want %q", bytes, err, want)
			}
			if isFull := errors.As(err, new(*exec.FullError)); isFull == isBroken {
				t.Errorf("%d bytes: %v is for want of memory: %v", bytes, err, isFull)
			}
			return nil
		} else if want != "" || b.Size < bytes {
			t.Fatalf("%d bytes: got %d, want %q", bytes, b.Size, want)
		}
		return b
	}
	first, second := take(200, ""), take(256, "")
	if first == second || p.Held() != 512 {
		t.Errorf("%d bytes held", p.Held())
	}
	p.Give(first)
	if again := take(250, ""); again != first || p.Idle() != 0 {
		t.Error("a free buffer of the size is not used again")
	}
	take(489, "the device has 1000 bytes")
	take(300, "it is full")
	p.Give(first)
	take(300, "") // once the free one is given back
	if p.Idle() != 0 || p.Held() != 768 {
		t.Errorf("%d bytes idle, %d held", p.Idle(), p.Held())
	}
	take(445, "the device has 1000 bytes")
	isBroken = true
	take(10, "broken")
}

// What is beyond the end of an exact buffer belongs to nobody, and so does one
// that was given back.
func TestExactPool(t *testing.T) {
	var held []int64
	p := Pool[int64]{
		Limit:    1000,
		Allocate: func(bytes int64) (int64, error) { held = append(held, bytes); return bytes, nil },
		Release:  func(m int64) { held = slices.DeleteFunc(held, func(b int64) bool { return b == m }) },
		Exact:    true,
	}
	b, err := p.Take(7)
	if err != nil || b.Size != 7 || !slices.Equal(held, []int64{7}) || p.Held() != 7 {
		t.Errorf("%+v, %v; the driver has given %v, and %d are held", b, err, held, p.Held())
	}
	p.Give(b)
	if len(held) > 0 || p.Held() != 0 || p.Idle() != 0 {
		t.Errorf("%v are still there; %d held, %d idle", held, p.Held(), p.Idle())
	}
}
