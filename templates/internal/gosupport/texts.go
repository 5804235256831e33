package support

import (
	"slices"
	"strings"
)

// Texts is a sorted dictionary of strings. A column of type text holds the place of each
// of its strings, so that places compare as the strings do, byte by byte. All text
// columns and texts of a call are of one dictionary, and so are its results. A Texts may
// be used by several goroutines.
type Texts struct{ sorted []string }

// NewTexts returns the dictionary of all strings of some columns. The texts that a
// pipeline compares with have to be among them: for a function Views, ViewsTexts
// returns them.
func NewTexts(columns ...[]string) *Texts {
	t := &Texts{sorted: slices.Concat(columns...)}
	slices.Sort(t.sorted)
	t.sorted = slices.Clip(slices.Compact(t.sorted))
	return t
}

// Code returns the place of a string; ok is false if the dictionary does not have it.
func (t *Texts) Code(text string) (code int32, ok bool) {
	at, ok := slices.BinarySearchFunc(t.sorted, text, strings.Compare)
	return int32(at), ok
}

// Codes returns the places of the strings of a column. It panics if the dictionary does
// not have one of them.
func (t *Texts) Codes(column []string) []int32 {
	codes := make([]int32, len(column))
	known := map[string]int32{}
	for i, text := range column {
		code, ok := known[text]
		if !ok {
			if code, ok = t.Code(text); !ok {
				panic("the dictionary has no text " + text)
			}
			known[text] = code
		}
		codes[i] = code
	}
	return codes
}

// Text returns the string at a place of the dictionary, "" if it has no such place.
func (t *Texts) Text(code int32) string {
	if code < 0 || int(code) >= len(t.sorted) {
		return ""
	}
	return t.sorted[code]
}

// Strings returns the strings of a column of places.
func (t *Texts) Strings(codes []int32) []string {
	column := make([]string, len(codes))
	for i, code := range codes {
		column[i] = t.Text(code)
	}
	return column
}
