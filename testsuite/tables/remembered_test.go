package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestRememberedKeys groups rows whose keys work-groups remember in words of 32 and 64 bits. Some of
// these are what free places have, and most keys differ in high or low bits alone, or are negative.
// Work-groups have so many tiles that keys get several places, and then new keys come. Places lie in all ways.
func TestRememberedKeys(t *testing.T) {
	const free = 0x5bd1e9955bd1e995 // as freeKey of package simt
	words := []uint64{free, ^uint64(free), 0, 1, 1 << 32, ^uint64(0), 1<<32 - 1, 1 << 63, 1 << 31, 1<<63 | 1<<31}
	part := func(k ir.Kind, word uint64) ir.Scalar { // the low bits
		unused := 64 - 8*k.Size()
		return ir.Int(k, int64(word<<unused)>>unused)
	}
	for types, keysOf := range map[string]func(word uint64) []ir.Scalar{
		"i32":     func(word uint64) []ir.Scalar { return []ir.Scalar{part(ir.I32, word>>32^word*3)} },
		"i64":     func(word uint64) []ir.Scalar { return []ir.Scalar{part(ir.I64, word)} },
		"i32 i32": func(word uint64) []ir.Scalar { return []ir.Scalar{part(ir.I32, word>>32), part(ir.I32, word)} },
		"i16 i32": func(word uint64) []ir.Scalar { return []ir.Scalar{part(ir.I16, word>>32), part(ir.I32, word)} },
	} {
		t.Run(strings.ReplaceAll(types, " ", "_"), func(t *testing.T) {
			t.Parallel()
			rememberKeys(t, groupsText(strings.Fields(types)), []string{plan.Plain, plan.Paired}, words, keysOf)
			if types == "i32" { // copies are for narrow keys
				rememberKeys(t, sumsText(strings.Fields(types)), plan.PlacesWays, words, keysOf)
			}
		})
	}
}

// rememberKeys groups rows of so many words of keys, with places that lie in some ways.
func rememberKeys(t *testing.T, text string, ways []string, words []uint64, keysOf func(word uint64) []ir.Scalar) {
	t.Helper()
	loaded, errs := ir.Load("groups.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	options := compile.For(fuse.LevelOnePass, plan.Schedule{Groups: plan.Hash})
	options.Hash = 2
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	target := simt.Target{Atomics64: true, LaunchedLocal: 227 << 10}
	for _, places := range ways {
		lowered, err := target.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Chunk: 6, Places: places})
		if err != nil {
			t.Fatal(err)
		}
		if places != plan.Plain && !slices.ContainsFunc(lowered.Plan.Kernels, func(k plan.Kernel) bool { return k.Variants[0].Schedule.Places == places }) {
			t.Errorf("no kernel has places=%s", places)
		}
		for _, groups := range []uint64{2, 5, 150} {
			in := groupsInput(p, 400, groups, func(key uint64, row int) []ir.Scalar {
				if key < uint64(len(words)) {
					return keysOf(words[key])
				}
				return keysOf(key<<32 | 1<<32 - 1)
			})
			kerneltest.AgreeEmulated(t, lowered, p, fmt.Sprintf("%d groups, places=%s", groups, places), in)
		}
	}
}
