package testsuite

import (
	"os"
	"testing"
)

// everything reports whether tests do all that they can: .ci/run sets
// KGEN_TEST_ALL, and docs/testing.md has what they leave out without it.
func everything() bool { return os.Getenv("KGEN_TEST_ALL") != "" }

// sampleStep is prime to the number of levels, schedules and variants that tests
// give the pipelines of the corpus by turns, so that a sample meets all of them.
const sampleStep = 7

// sampled reports whether a test that takes long runs entry i of the corpus: one
// of seven, or all of them where everything is asked for.
func sampled(i int) bool { return everything() || i%sampleStep == 0 }

// thirds is sampled for tests that take less long: one of three.
func thirds(i int) bool { return everything() || i%3 == 0 }

// logSample says what a test leaves out.
func logSample(t *testing.T) {
	t.Helper()
	if !everything() {
		t.Log("a sample of the corpus; KGEN_TEST_ALL=1 runs all of it")
	}
}
