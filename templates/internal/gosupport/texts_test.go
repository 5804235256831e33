package support

import (
	"slices"
	"testing"
)

func TestTexts(t *testing.T) {
	pages := []string{"b", "", "Zebra", "b", "é", "apple"}
	texts := NewTexts(pages, []string{"home", "b"}, nil)
	codes := texts.Codes(pages)
	if want := []int32{3, 0, 1, 3, 5, 2}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
	if got := texts.Strings(codes); !slices.Equal(got, pages) {
		t.Errorf("strings %q", got)
	}
	if code, ok := texts.Code("home"); !ok || code != 4 {
		t.Errorf("home is %d, %v", code, ok)
	}
	if _, ok := texts.Code("never"); ok {
		t.Error("a text that is not there has a code")
	}
	if texts.Text(-1) != "" || texts.Text(6) != "" {
		t.Error("no place has a text")
	}
	defer func() {
		if recover() == nil {
			t.Error("a column with a text that is not there has codes")
		}
	}()
	texts.Codes([]string{"never"})
}
