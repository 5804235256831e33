// Package testsuite contains the helpers that tests of several packages share:
// the corpus of pipelines with data and expected results, generators of random
// data, and the comparison of results with those of the interpreter.
//
// A device is tested on random data like this:
//
//	in := testsuite.RandomData{Rows: 1000, Shape: testsuite.Runs, Seed: 1}.Columns(p)
//	want, err := testsuite.Expect(p, in)
//	if err != nil {
//		t.Fatal(err)
//	}
//	results, err := run(p, in) // on the device
//	if difference := want.Differ(results, err); difference != "" {
//		t.Error(difference)
//	}
package testsuite
