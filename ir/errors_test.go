package ir

import (
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	file, _ := Parse("a.kg", []byte("one\n\tä\tx = y\r\nthree"))
	for _, c := range []struct {
		name  string
		error Error
		want  string
	}{
		{"all", NewError(file, Pos{"a.kg", 2, 5}, "no", "yes"), "a.kg:2:5: no\n\tä\tx = y\n\t \t^\n  yes"},
		{"no hint", NewError(file, Pos{"a.kg", 3, 1}, "no", ""), "a.kg:3:1: no\nthree\n^"},
		{"behind the line", NewError(file, Pos{"a.kg", 1, 99}, "no", ""), "a.kg:1:99: no\none\n   ^"},
		{"behind the file", NewError(file, Pos{"a.kg", 99, 1}, "no", ""), "a.kg:99:1: no"},
		{"no file", NewError(nil, Pos{"main.go", 7, 1}, "no", "yes"), "main.go:7:1: no\n  yes"},
		{"no position", NewError(file, Pos{}, "no", ""), "no"},
		{"only a file", NewError(file, Pos{File: "a.kg"}, "no", ""), "a.kg: no"},
	} {
		if got := c.error.Error(); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestErrorLineIsCut(t *testing.T) {
	for _, c := range []struct {
		name   string
		line   string
		column int
		before string // what stands before the caret
		after  string
	}{
		{"short", strings.Repeat("a", 160), 100, strings.Repeat("a", 99), strings.Repeat("a", 61)},
		{"start", strings.Repeat("a", 161), 1, "", strings.Repeat("a", 157) + "..."},
		{"middle", strings.Repeat("a", 1000) + strings.Repeat("b", 1000), 1001, "..." + strings.Repeat("a", 77), strings.Repeat("b", 77) + "..."},
		{"end", strings.Repeat("a", 161), 162, "..." + strings.Repeat("a", 157), ""},
		{"characters", strings.Repeat("ä", 500), 501, "..." + strings.Repeat("ä", 38), strings.Repeat("ä", 38) + "..."},
		{"control characters", "a\x00\x1b[31m\tb\xff", 9, "a??[31m\t", "b?"},
	} {
		got := NewError(&File{Source: []byte(c.line), lines: []int{0}}, Pos{"a.kg", 1, c.column}, "", "")
		if got.Line != c.before+c.after || got.Caret != len(c.before) {
			t.Errorf("%s: caret %d in %q\nwant %d in %q", c.name, got.Caret, got.Line, len(c.before), c.before+c.after)
		}
		if len(got.Line) > maxErrorLine {
			t.Errorf("%s: %d bytes", c.name, len(got.Line))
		}
	}
}

func TestErrorListIsLimited(t *testing.T) {
	var list ErrorList
	for line := 30; line > 0; line-- {
		list = append(list, Error{Pos: Pos{"a.kg", line, 1}, Msg: "no"}, Error{Pos: Pos{"a.kg", line, 1}, Msg: "no"})
	}
	got := list.limited()
	if len(got) != MaxErrors+1 {
		t.Fatalf("%d errors, want %d and a note", len(got), MaxErrors)
	}
	for i, e := range got[:MaxErrors] {
		if e.Pos.Line != i+1 {
			t.Errorf("error %d is of line %d", i, e.Pos.Line)
		}
	}
	if want := "a.kg: too many errors; these are the first 20"; got[MaxErrors].Error() != want {
		t.Errorf("note is %q, want %q", got[MaxErrors].Error(), want)
	}
	if err := (ErrorList{}).Err(); err != nil {
		t.Errorf("an empty list is the error %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	for path, archive := range archives(t, "errors") {
		t.Run(path, func(t *testing.T) {
			_, errs := Parse(archive.Files[0].Name, archive.Files[0].Data)
			if len(errs) == 0 {
				t.Fatal("no errors")
			}
			wantResult(t, path, archive, []byte(errs.Error()))
		})
	}
}
