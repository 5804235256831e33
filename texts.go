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

// code returns the place of a string.
func (t *Texts) code(text string) (int32, error) {
	at, ok := slices.BinarySearchFunc(t.sorted, text, strings.Compare)
	if !ok {
		return 0, fmt.Errorf("the dictionary of the call has no text %q", text)
	}
	return int32(at), nil
}

// codes returns the places of the strings of a column.
func (t *Texts) codes(column []string) ([]int32, error) {
	codes := make([]int32, len(column))
	known := map[string]int32{}
	for i, text := range column {
		code, ok := known[text]
		if !ok {
			var err error
			if code, err = t.code(text); err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
			known[text] = code
		}
		codes[i] = code
	}
	return codes, nil
}

// strings returns the strings of a column of places.
func (t *Texts) strings(codes []int32) []string {
	column := make([]string, len(codes))
	for i, code := range codes {
		if code >= 0 && int(code) < len(t.sorted) {
			column[i] = t.sorted[code]
		}
	}
	return column
}
