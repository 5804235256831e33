package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// TestWideSubgroups lowers for subgroups of 64, whose masks have 64 bits. Whether
// the loop programs fit together is verified as they are lowered.
func TestWideSubgroups(t *testing.T) {
	ballots := 0
	for name, program := range programs(t, fuse.LevelOnePass) {
		lowered, err := Target{Subgroup: SubgroupOf(64)}.Lower(program, plan.Schedule{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, k := range lowered.Kernels {
			text := k.String()
			if strings.Contains(text, "ballot(") {
				t.Errorf("%s: the mask of a kernel for subgroups of 64 has 32 bits", k.Name)
			}
			ballots += strings.Count(text, "ballot_u64(")
		}
	}
	if ballots == 0 {
		t.Error("no kernel has a ballot of 64 bits")
	}
}
