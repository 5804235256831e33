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

// Third is the third of the corpus, 0 to 2, to which the longest tests keep if
// everything is requested; "" is all of it. .ci/run chooses it by the commit.
func Third() string { return os.Getenv("KGEN_TEST_THIRD") }

// Takes reports whether a long test runs entry i of the corpus: one in seven,
// or all of them, or of a third of them, if everything is requested.
func Takes(i int) bool {
	if !Everything() {
		return i%Step == 0
	}
	return Third() == "" || Third() == strconv.Itoa(i%3)
}

// Least returns how many entries a test that asks Takes or TakesThird runs at least, if
// n of all entries are of its kind: half of its share of them, since shares vary, or n.
func Least(n int) int {
	switch {
	case !Everything():
		return n / Step / 2
	case Third() != "":
		return n / 3 / 2
	}
	return n
}

// TakesThird is like Takes for shorter tests: one in three, the first of three
// entries, then the second of the next three, and so on. Every third entry would
// give each level only one of three settings.
func TakesThird(i int) bool {
	third := 0
	if Everything() {
		if Third() == "" {
			return true
		}
		third, _ = strconv.Atoi(Third())
	}
	return i%3 == (i/3+third)%3
}

// Log logs what a test omits.
func Log(t *testing.T) {
	t.Helper()
	if !Everything() {
		t.Log("a sample of the corpus; KGEN_TEST_ALL=1 runs all of it")
	}
}
