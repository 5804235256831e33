package columns

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// A relation's column of strings is compared with the pattern of a parameter of its name.
func TestLikeOfRelation(t *testing.T) {
	const text = `pipeline names(p_partkey: [p]i64, p_name: [p]text) {
	return p_partkey, p_name
}
pipeline green(p_partkey: [p]i64, p_name: [p]bool like "%green%") {
	return p_partkey, p_name
}
`
	pipelines, errs := ir.Load("like.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	names, green := generated(t, pipelines[0], "tpch", 20000), generated(t, pipelines[1], "tpch", 20000)
	matched := 0
	for row, like := range green[1].Slice.([]bool) {
		name := names[1].Texts[names[1].Slice.([]int32)[row]]
		if like != strings.Contains(name, "green") {
			t.Fatalf("row %d: %v of %q", row, like, name)
		}
		if like {
			matched++
		}
	}
	if matched == 0 {
		t.Error("no name has green")
	}
}
