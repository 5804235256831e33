package kernels

import "testing"

// The macros of two headers are different where their kernels differ in case only.
func TestMacroNames(t *testing.T) {
	names := macroNames{}
	for _, c := range [][2]string{{"q_kernel1", "Q_KERNEL1"}, {"Q_kernel1", "Q_KERNEL1_2"}, {"q_kernel2", "Q_KERNEL2"}} {
		if got := names.of(c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
