//go:build cuda

package cuda

import (
	"slices"
	"testing"

	"gorgonia.org/cu"
)

// Commands wait for those that change what they read, or read or change what they change, and
// for nothing that follows from others.
func TestDependences(t *testing.T) {
	type part struct {
		from, bytes int
		mode        mode
	}
	for name, test := range map[string]struct {
		commands [][]part
		want     []uint64
	}{
		"two tables, then both":     {[][]part{{{0, 8, changes}}, {{8, 8, changes}}, {{0, 8, loads}, {16, 8, changes}}, {{8, 8, loads}, {16, 8, loads}}}, []uint64{0, 0, 0b1, 0b110}},
		"a chain":                   {[][]part{{{0, 8, changes}}, {{0, 8, changes}}, {{0, 8, loads}}}, []uint64{0, 0b1, 0b10}},
		"readers of one column":     {[][]part{{{0, 8, loads}}, {{0, 8, loads}}, {{4, 1, changes}}}, []uint64{0, 0, 0b11}},
		"reports come in any order": {[][]part{{{0, 8, changes}}, {{0, 8, reports}}, {{0, 8, reports}}, {{0, 8, loads}}}, []uint64{0, 0b1, 0b1, 0b110}},
		"neighbours":                {[][]part{{{0, 8, changes}}, {{8, 8, changes}}, {{0, 0, changes}}}, []uint64{0, 0, 0}},
	} {
		var u uses
		for _, command := range test.commands {
			for _, p := range command {
				u.add(cu.DevicePtr(p.from), int64(p.bytes), p.mode)
			}
			u.end()
		}
		if got := u.dependences(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %b, want %b", name, got, test.want)
		}
		u.everything()
		u.end()
		last := len(test.commands)
		if got := u.dependences()[last]; got == 0 || got>>last != 0 {
			t.Errorf("%s: what depends on everything waits for %b", name, got)
		}
	}
}
