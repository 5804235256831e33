package memory

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"unsafe"
)

func TestResizeKeepsBytesAndZeroesTheRest(t *testing.T) {
	s := NewSpace(0)
	defer s.Close()
	var data []byte
	var err error
	for i, size := range []int64{10, 100, LeastShared + 3, 5 * LeastShared, LeastShared + 1, 7, 3 * LeastShared, 3 * LeastShared} {
		before := int64(len(data))
		if data, err = s.Resize(data, size); err != nil {
			t.Fatal(err)
		}
		if int64(len(data)) != size || uintptr(unsafe.Pointer(&data[0]))%8 != 0 {
			t.Fatalf("step %d: %d bytes at %p, want %d aligned", i, len(data), data, size)
		}
		if i > 0 && data[0] != 1 {
			t.Errorf("step %d: the first byte is %d", i, data[0])
		}
		for j := before; j < size; j++ {
			if data[j] != 0 {
				t.Fatalf("step %d: byte %d is %d after growing from %d to %d", i, j, data[j], before, size)
			}
		}
		for j := range data {
			data[j] = 1
		}
		if s.Used() != size {
			t.Errorf("step %d: used %d, want %d", i, s.Used(), size)
		}
	}
	if data, err = s.Resize(data, 0); err != nil || data != nil || s.Used() != 0 {
		t.Errorf("resized to nothing: %v, %v, used %d", data, err, s.Used())
	}
}

func TestPathHoldsTheBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ordinary memory has no path")
	}
	s := NewSpace(0)
	defer s.Close()
	s.Paged = true
	data, err := s.New(LeastShared)
	if err != nil {
		t.Fatal(err)
	}
	data[0], data[LeastShared-1] = 3, 4
	s.Settle(data)
	path, ok := s.Path(data)
	if !ok {
		t.Fatal("no path")
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) != LeastShared || file[0] != 3 || file[LeastShared-1] != 4 || data[0] != 3 {
		t.Errorf("the file has %d bytes, %d and %d at its ends", len(file), file[0], file[len(file)-1])
	}
	s.Free(data)
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there after Free")
	}
}

func TestLimit(t *testing.T) {
	s := NewSpace(100)
	defer s.Close()
	data, err := s.New(60)
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := s.New(41); !errors.As(err, &limit) || limit.Needed != 101 || limit.Limit != 100 {
		t.Errorf("New over the limit: %v", err)
	}
	if _, err := s.Resize(data, 101); !errors.As(err, &limit) || limit.Needed != 101 {
		t.Errorf("Resize over the limit: %v", err)
	}
	if _, err := s.Reserve(1 << 30); err != nil {
		t.Errorf("Reserve counts: %v", err)
	}
	s.Free(data)
	if _, err := s.New(100); err != nil {
		t.Errorf("after Free: %v", err)
	}
	for _, size := range []int64{-1, 1 << 62} {
		if _, err := s.Reserve(size); err == nil {
			t.Errorf("%d bytes were given", size)
		}
	}
}
