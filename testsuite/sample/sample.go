// Package sample chooses what long tests run: of the corpus a part, unless
// everything is requested.
package sample

import (
	"os"
	"strconv"
	"testing"
)

// Everything reports whether tests run completely: .ci/run sets KGEN_TEST_ALL,
// and docs/testing.md lists what tests omit without it.
func Everything() bool { return os.Getenv("KGEN_TEST_ALL") != "" }

// Step is coprime to the numbers of levels, schedules and variants that tests
// assign to the pipelines of the corpus in turn, so a sample covers all of them.
const Step = 7

// share is how many of Step entries tests that do not take long keep, of a part.
const share = 2

// Part is the part of the corpus, of Step ones, to which tests keep if everything is
// requested; ok is false if that is all of it. .ci/run chooses it by the commit.
func Part() (part int, ok bool) {
	text := os.Getenv("KGEN_TEST_PART")
	if !Everything() || text == "" {
		return 0, !Everything()
	}
	part, err := strconv.Atoi(text)
	if err != nil || part < 0 || part >= Step {
		panic("KGEN_TEST_PART is " + text + "; it is 0 to " + strconv.Itoa(Step-1))
	}
	return part, true
}

// Takes reports whether a long test runs entry i of the corpus: one in seven, or all of
// them if everything is requested, and no part of it.
func Takes(i int) bool { return takes(i, 1) }

// TakesMore is like Takes for shorter tests: if everything is requested, a part of it
// has two in seven.
func TakesMore(i int) bool {
	if !Everything() {
		return Takes(i)
	}
	return takes(i, share)
}

// TakesAll is like Takes for tests that are short enough for all entries, and no part
// of them, if everything is requested.
func TakesAll(i int) bool { return Everything() || Takes(i) }

// turns is how many runs with KGEN_TEST_TURN, 0 and on, have all settings of an entry.
const turns = 4

// TakesSetting reports whether a test that runs entries by many settings runs setting j of
// entry i: all of them if everything is requested, else one in two. With KGEN_TEST_TURN it is
// one in so many, up to four; .ci/run chooses the turn by the commit, apart from the part.
func TakesSetting(i, j, many int) bool {
	text := os.Getenv("KGEN_TEST_TURN")
	if !Everything() {
		return (i/Step+j)%2 != 0
	}
	if text == "" {
		return true
	}
	turn, err := strconv.Atoi(text)
	if err != nil || turn < 0 || turn >= turns {
		panic("KGEN_TEST_TURN is " + text + "; it is 0 to " + strconv.Itoa(turns-1))
	}
	return (i/Step+j)%many == turn%many
}

func takes(i, share int) bool {
	part, ok := Part()
	return !ok || (i%Step+Step-part)%Step < share
}

// Least returns how many entries a test that asks Takes or TakesMore runs at least, if
// n of all entries are of its kind: half of its share of them, since shares vary, or n.
func Least(n int) int {
	if _, ok := Part(); ok {
		return n / Step / 2
	}
	return n
}

// Log logs what a test omits.
func Log(t *testing.T) {
	t.Helper()
	if !Everything() {
		t.Log("a sample of the corpus; KGEN_TEST_ALL=1 runs all of it")
	}
}
