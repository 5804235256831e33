package build_test

import (
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
		"variant=fast":                      "variant is direct, chunked, privvar, privarray, segmented",
		"variant":                           "variant is direct",
		"workgroup=48":                      "workgroup=48: workgroup is a power of two up to 1024",
		"workgroup=96":                      "workgroup=96 is no power of two, which only scheme=round does without",
		"items=0":                           "items is 1 to 512",
		"part=0":                            "part is 1 to 2147483647 rows that a launch takes",
		"part=2147483648":                   "part is 1 to 2147483647 rows that a launch takes",
		"scheme=flat":                       "scheme is lookback or round or published",
		"ring=5":                            "ring and lookahead are choices of scheme=round",
		"scheme=round,lookahead=9":          "lookahead is 1 to 8 rounds",
		"scheme=round,ring=65":              "ring is 3 to 64 tiles",
		"scheme=round,ids=static":           "leave out ids, chunk, offsets, occupancy and part",
		"scheme=round,occupancy=2":          "leave out ids, chunk, offsets, occupancy and part",
		"occupancy=33":                      "occupancy is 1 to 32 groups that registers leave room for",
		"warp=32":                           "there are workgroup, items, chunk, scheme, ids, offsets, variant, ring, lookahead, occupancy and part",
		"chunk=0":                           "chunk is 1 to 1024 tiles",
		"offsets=lookback,scheme=published": "offsets is scan or broadcast",
		"offsets=scan":                      "offsets is a choice of scheme=published",
		"items=4,variant=no":                "--schedule variant=no",
	} {
		if _, err := build.ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}
