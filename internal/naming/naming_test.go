package naming

import (
	"slices"
	"testing"
)

func TestFresh(t *testing.T) {
	taken := Taken{"b_2": true}
	var got []string
	for _, name := range []string{"a", "a", "a", "b", "b", "a_2"} {
		got = append(got, taken.Fresh(name, "_"))
	}
	if want := []string{"a", "a_2", "a_3", "b", "b_3", "a_2_2"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if got := taken.Fresh("a", ""); got != "a2" {
		t.Errorf("without a separator: %s", got)
	}
}
