//go:build unix

package devicetest

import "testing"

// The device of the tests is the first, unless the environment names another one of the driver.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		variable, driver string
		want             int
	}{{"", "opencl", 0}, {"opencl:1", "opencl", 1}, {"opencl:1", "cuda", 0}, {"cudaemu", "cuda", 0}, {"cuda:12", "cuda", 12}} {
		t.Setenv(deviceVariable, c.variable)
		if got := Number(c.driver); got != c.want {
			t.Errorf("%q: device %s:%d, want %d", c.variable, c.driver, got, c.want)
		}
	}
}
