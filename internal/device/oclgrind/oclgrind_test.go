package oclgrind

import (
	"slices"
	"testing"
)

// What is no atomic on one side, and no volatile load on the other, is a race.
func TestAtomicPairs(t *testing.T) {
	const (
		volatile = "\n\tFirst entity:  Global(8,0,0)\n\t  %1 = load volatile i64, i64 addrspace(1)* %0, align 8"
		load     = "\n\tFirst entity:  Global(8,0,0)\n\t  %1 = load i64, i64 addrspace(1)* %0, align 8"
		atomic   = "\n\tSecond entity: Global(0,0,0)\n\t  %call = call spir_func i64 @_Z9atom_xchgPU3AS1Vmm(i64 addrspace(1)* %0, i64 %2)"
		store    = "\n\tSecond entity: Global(0,0,0)\n\t  store i64 %2, i64 addrspace(1)* %0, align 8"
	)
	for report, want := range map[string]bool{
		"Read-write data race at global memory address 0x1" + volatile + atomic: true,
		"Read-write data race at global memory address 0x1" + load + atomic:     false,
		"Read-write data race at global memory address 0x1" + volatile + store:  false,
		"Write-write data race at global memory address 0x1" + atomic + store:   false,
		"Invalid read of size 8 at global memory address 0x1" + volatile:        false,
	} {
		if isAtomicPair(report) != want {
			t.Errorf("%v, want %v: %s", !want, want, report)
		}
	}
	const full = "Oclgrind: 1000000 errors generated - suppressing further errors\n"
	log := "\nInvalid read of size 8\n\tKernel: k\n\n\tEntity: Global(0,0,0)\n\nRead-write data race at global memory address 0x1" + volatile + atomic + "\n\nWork-group divergence detected (barrier):\n\tKernel: k\n\n" + full
	want := []string{"Invalid read of size 8\n\tKernel: k\n\tEntity: Global(0,0,0)\n", "Work-group divergence detected (barrier):\n\tKernel: k\n", full}
	if got := Reports(log); !slices.Equal(got, want) {
		t.Errorf("reports %q, want %q", got, want)
	}
}
