package ir

import "testing"

// Comments beside parameters and results are theirs.
func TestCommentsBeside(t *testing.T) {
	pipelines, errs := Load("a.kg", []byte(`// Orders.
pipeline orders( // not of key
	// The order.
	// Ascending.
	key: [n]i64,
	quantity: [n]i64, // pieces
	a: [n]i64, b: [n]i64, // of two
	/* the least
	 * that counts */
	least: i64 = 3,

	// far

	most: i64,
	// behind the last
) { // of none
	g = runs(key) // a statement
	// above return
	return key: first(key, by: g), // on return's line
		total: sum(quantity + a + b, by: g), // in pieces
		// Whether it counts.
		counts: count(by: g) >= least, small: count(by: g) < least,
		// Neither is it much.
		much: count(by: g) > most
	// the end
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[0]
	for i, want := range []string{"The order.\nAscending.", "pieces", "", "", "the least\nthat counts", ""} {
		if got := p.Params[i].Doc; got != want {
			t.Errorf("%s: %q, want %q", p.Params[i].Name, got, want)
		}
	}
	for i, want := range []string{"", "in pieces", "", "", "Neither is it much."} {
		if got := p.Results[i].Doc; got != want {
			t.Errorf("%s: %q, want %q", p.Results[i].Label, got, want)
		}
	}
}
