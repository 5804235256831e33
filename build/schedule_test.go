package build_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/plan"
)

func TestParseSchedule(t *testing.T) {
	for text, want := range map[string]plan.Schedule{
		"":                                 {},
		"workgroup=64,items=128":           {Workgroup: 64, Items: 128},
		"scheme=published,variant=privvar": {Scheme: "published", Variant: plan.PrivateVar},
		"chunk=4,scheme=published,offsets=broadcast": {Chunk: 4, Scheme: "published", Offsets: plan.Broadcast},
		"variant=segmented":                          {Variant: plan.Segmented},
		"part=1073741824":                            {Part: plan.PartRows},
		"ids=static,occupancy=7":                     {IDs: plan.Static, Occupancy: 7},
	} {
		if got, err := build.ParseSchedule(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v, not %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"variant=fast":                      "variant is direct or chunked or privvar or privarray or subgroup or segmented",
		"variant":                           "variant is direct",
		"workgroup=48":                      "workgroup=48: workgroup is a power of two up to 1024",
		"workgroup=96":                      "workgroup=96 is no power of two; only scheme=persistent allows that",
		"items=0":                           "items is 1 to 512",
		"part=0":                            "part is 1 to 2147483647 rows per launch",
		"part=2147483648":                   "part is 1 to 2147483647 rows per launch",
		"scheme=flat":                       "scheme is lookback or persistent or published",
		"scheme=round,ring=4":               "this scheme is called persistent now: scheme=persistent",
		"ring=5":                            "ring and lookahead are settings of scheme=persistent",
		"scheme=persistent,lookahead=9":     "lookahead is 1 to 8 rounds",
		"scheme=persistent,ring=65":         "ring is 3 to 64 tiles",
		"scheme=persistent,ids=static":      "omit ids, chunk, offsets, occupancy and part",
		"scheme=persistent,occupancy=2":     "omit ids, chunk, offsets, occupancy and part",
		"occupancy=33":                      "occupancy is 1 to 32 work-groups of a compute unit",
		"warp=32":                           "there are workgroup, items, chunk, scheme, ids, offsets, variant, table, groups, places, probe, sources, radix, rank, ring, lookahead, occupancy, part",
		"chunk=0":                           "chunk is 1 to 1024 tiles",
		"offsets=lookback,scheme=published": "offsets is scan or broadcast",
		"ids=static,scheme=published":       "ids is a setting of scheme=lookback",
		"items=":                            "items is 1 to 512 rows per work-item",
		"part=9223372036854775808":          "part is 1 to 2147483647 rows per launch",
		"offsets=scan":                      "offsets is a setting of scheme=published",
		"items=4,variant=no":                "--schedule variant=no",
	} {
		if _, err := build.ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func ExampleParseSchedule() {
	s, err := build.ParseSchedule("workgroup=256,items=16,scheme=lookback")
	fmt.Println(s.Rows(), "rows per work-group", err)
	_, err = build.ParseSchedule("items=0")
	fmt.Println(err)
	// Output:
	// 4096 rows per work-group <nil>
	// --schedule items=0: items is 1 to 512 rows per work-item
}
