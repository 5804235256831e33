package fuse

import (
	"maps"
	"slices"
	"testing"
)

func TestRowsFor(t *testing.T) {
	type rows = map[string]int64
	for _, c := range []struct{ lengths, want rows }{
		{nil, nil},
		{rows{"n": 0}, nil},
		{rows{"n": FewRows, "m": 5}, nil},
		{rows{"n": FewRows + 1, "m": 5}, nil},
		{rows{"n": AssumedRows, "m": 5}, nil},
		{rows{"n": AssumedRows + 1, "m": 5}, rows{"n": 4 * AssumedRows, "m": leastRows}},
		{rows{"n": 4 * AssumedRows, "m": leastRows + 1}, rows{"n": 4 * AssumedRows, "m": 4 * leastRows}},
		{rows{"n": 4*AssumedRows + 1}, rows{"n": 16 * AssumedRows}},
		{rows{"n": 1 << 62}, rows{"n": mostRows}},
	} {
		if got := RowsFor(c.lengths, false); !maps.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, not %v", c.lengths, got, c.want)
		}
		want := c.want
		if want == nil && slices.Max(append(slices.Collect(maps.Values(c.lengths)), 0)) <= FewRows {
			want = rows{}
			for domain := range c.lengths {
				want[domain] = FewRows
			}
		}
		if got := RowsFor(c.lengths, true); !maps.Equal(got, want) {
			t.Errorf("%v, where few rows are told apart: %v, not %v", c.lengths, got, want)
		}
	}
}
