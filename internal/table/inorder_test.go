package table

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"
)

// count returns a next of the numbers below n, and then err.
func count(n int, err error) func() (int, error) {
	i := -1
	return func() (int, error) {
		if i++; i < n {
			return i, nil
		}
		return 0, err
	}
}

func TestInOrder(t *testing.T) {
	var got []int
	work := func(i int) int {
		time.Sleep(time.Duration(i%3) * time.Millisecond) // the first is not the first to be done
		return i * i
	}
	if err := inOrder(nil, count(50, io.EOF), work, func(square int) error {
		got = append(got, square)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 50 {
		t.Errorf("%d results", len(got))
	}
	for i, square := range got {
		if square != i*i {
			t.Fatalf("result %d is %d", i, square)
		}
	}
}

func TestInOrderEndsWithTheFirstError(t *testing.T) {
	failed, late := errors.New("failed"), errors.New("late")
	var running atomic.Int32
	work := func(i int) int {
		running.Add(1)
		defer running.Add(-1)
		time.Sleep(time.Millisecond)
		return i
	}
	takes := 0
	if err := inOrder(nil, count(5, late), work, func(i int) error {
		takes++
		if i == 3 {
			return failed
		}
		return nil
	}); err != failed || takes != 4 {
		t.Errorf("error %v after %d results", err, takes)
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d still run", n)
	}
	takes = 0
	if err := inOrder(nil, count(5, late), work, func(int) error { takes++; return nil }); err != late || takes != 5 {
		t.Errorf("error %v after %d results", err, takes)
	}
}
