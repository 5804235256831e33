package testsuite

import (
	"os"
	"testing"
)

// everything reports whether tests run completely: .ci/run sets KGEN_TEST_ALL,
// and docs/testing.md lists what tests omit without it.
func everything() bool { return os.Getenv("KGEN_TEST_ALL") != "" }

// sampleStep is coprime to the numbers of levels, schedules and variants that
// tests assign to the pipelines of the corpus in turn, so a sample covers all
// of them.
const sampleStep = 7

// sampled reports whether a long test runs entry i of the corpus: one in seven,
// or all of them if everything is requested.
func sampled(i int) bool { return everything() || i%sampleStep == 0 }

// thirds is like sampled for shorter tests: one in three, the first of three
// entries, then the second of the next three, and so on. Every third entry would
// give each level only one of three settings.
func thirds(i int) bool { return everything() || i%3 == i/3%3 }

// logSample logs what a test omits.
func logSample(t *testing.T) {
	t.Helper()
	if !everything() {
		t.Log("a sample of the corpus; KGEN_TEST_ALL=1 runs all of it")
	}
}
