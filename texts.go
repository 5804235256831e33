package kgen

import (
	"fmt"
	"slices"
	"strings"
)

// Texts is a sorted dictionary of strings. A column of type text holds the place of each of
// its strings, so that places compare as the strings do, byte by byte. All texts of a call
// are of one dictionary, and so are its results. It may be used by several goroutines.
//
// Where columns of texts stay on a device, make the dictionary of all that calls will meet:
// the strings of the columns, of scalar arguments, and those of [Program.Texts].
type Texts struct{ sorted []string }

// NewTexts returns the dictionary of all strings of some columns.
func NewTexts(columns ...[]string) *Texts {
	t := &Texts{sorted: slices.Concat(columns...)}
	slices.Sort(t.sorted)
	t.sorted = slices.Clip(slices.Compact(t.sorted))
	return t
}

// Len returns the number of strings.
func (t *Texts) Len() int { return len(t.sorted) }

// Code returns the place of a string; ok is false if the dictionary does not have it.
func (t *Texts) Code(text string) (code int32, ok bool) {
	at, ok := slices.BinarySearchFunc(t.sorted, text, strings.Compare)
	return int32(at), ok
}

// Text returns the string at a place of the dictionary, "" if it has no such place.
func (t *Texts) Text(code int32) string {
	if code < 0 || int(code) >= len(t.sorted) {
		return ""
	}
	return t.sorted[code]
}

// code is Code with an error for a string of a call.
func (t *Texts) code(text string) (int32, error) {
	code, ok := t.Code(text)
	if !ok {
		return 0, fmt.Errorf("the dictionary of the call has no text %q", text)
	}
	return code, nil
}

// codes writes the places of the strings of a column.
func (t *Texts) codes(column []string, codes []int32) error {
	known := map[string]int32{}
	for i, text := range column {
		code, ok := known[text]
		if !ok {
			var err error
			if code, err = t.code(text); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
			known[text] = code
		}
		codes[i] = code
	}
	return nil
}

// strings returns the strings of a column of places.
func (t *Texts) strings(codes []int32) []string {
	column := make([]string, len(codes))
	for i, code := range codes {
		column[i] = t.Text(code)
	}
	return column
}
