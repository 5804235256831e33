package memory

import (
	"testing"
	"unsafe"
)

// Columns of one size begin in as many places of a page as there are, each a multiple of 128
// bytes, in this process and where they are mapped; they keep their bytes when they grow.
func TestColumnsBeginApart(t *testing.T) {
	const pageBytes = 4096
	s := NewSpace(0)
	defer s.Close()
	here, there := map[uintptr]int{}, map[uintptr]int{}
	for i := range 2 * apartPlaces {
		data, err := s.New(LeastShared + 5)
		if err != nil {
			t.Fatal(err)
		}
		data[0], data[LeastShared+4] = byte(i), byte(i+1)
		if data, err = s.Resize(data, 3*LeastShared); err != nil {
			t.Fatal(err)
		}
		if data[0] != byte(i) || data[LeastShared+4] != byte(i+1) || data[3*LeastShared-1] != 0 {
			t.Fatalf("column %d has other bytes", i)
		}
		data[3*LeastShared-1] = 7
		s.Settle(data)
		path, ok := s.Path(data)
		if !ok {
			t.Skip("this system has no files in memory")
		}
		mapped, release, err := Map(path, 3*LeastShared, false)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if len(mapped) != 3*LeastShared || mapped[0] != byte(i) || mapped[LeastShared+4] != byte(i+1) || mapped[3*LeastShared-1] != 7 {
			t.Fatalf("%s has other bytes", path)
		}
		here[uintptr(unsafe.Pointer(&data[0]))%pageBytes]++
		there[uintptr(unsafe.Pointer(&mapped[0]))%pageBytes]++
		if _, _, err := Map(path, 3*LeastShared+1, false); err == nil {
			t.Error("more bytes were mapped than there are")
		}
	}
	for _, places := range []map[uintptr]int{here, there} {
		if len(places) != apartPlaces {
			t.Errorf("columns begin in %d places, not %d", len(places), apartPlaces)
		}
		for place := range places {
			if place%128 != 0 {
				t.Errorf("a column begins at byte %d of a page", place)
			}
		}
	}
}
