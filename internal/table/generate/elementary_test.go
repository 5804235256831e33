package generate

import (
	"math"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

func TestElementary(t *testing.T) {
	within := func(name string, x, got, want float64) {
		t.Helper()
		if d := math.Abs(got - want); !(d <= 1e-15*math.Abs(want)*8) {
			t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
		}
	}
	random := newStream(1, "test")
	for i := range int64(20_000) {
		u := float64(random.at(i)>>11) * 0x1p-53
		x := math.Ldexp(1+u, int(random.below(i+1<<32, 120))-60)
		within("logarithm", x, logarithm(x), math.Log(x))
		e := (u - 0.5) * 2 * 600
		if got, want := exponential(e), math.Exp(e); math.Abs(got-want) > 1e-12*want {
			t.Errorf("exponential(%v) is %v, want %v", e, got, want)
		}
		small := (u - 0.5) * math.Ldexp(1, -int(i%40))
		within("exponential", small, exponential(small), math.Exp(small))
		within("expRatio", small, expRatio(small), math.Expm1(small)/small)
		within("logRatio", small, logRatio(small), math.Log1p(small)/small)
	}
	for _, x := range []float64{-1 + 0x1p-53, -0.6, -0.3, -0.2499, 0.4, 0.41, 0.6, 0.9, 10, 1e15} {
		within("logRatio", x, logRatio(x), math.Log1p(x)/x)
	}
	for _, x := range []float64{-50, -1, -0.36, -0.35, 0.35, 0.36, 1, 20} {
		within("expRatio", x, expRatio(x), math.Expm1(x)/x)
	}
	for x, want := range map[float64]float64{0: 1, math.Inf(1): exponential(maxExponent), math.Inf(-1): exponential(-maxExponent)} {
		if got := exponential(x); got != want {
			t.Errorf("exponential(%v) is %v", x, got)
		}
	}
	if got := logarithm(1); got != 0 {
		t.Errorf("logarithm(1) is %v", got)
	}
}

// Where products decide values, the compiler for a processor that can add to a
// product without rounding it must not do so.
func TestNotFused(t *testing.T) {
	if os.Getenv("KGEN_TEST_ALL") == "" {
		t.Skip("builds Go's packages for arm64: KGEN_TEST_ALL=1 runs it")
	}
	files := []string{"elementary.go", "zipf.go", "random.go"}
	for _, name := range files { // so that go test does not take an old result for theirs
		if _, err := os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", append([]string{"build", "-o", os.DevNull, "-gcflags=-S"}, files...)...)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !regexp.MustCompile(`\tFMULD\t`).Match(text) {
		t.Error("no products in the listing")
	}
	if fused := regexp.MustCompile(`.*\tFN?M(ADD|SUB)[SD]\t.*`).Find(text); fused != nil {
		t.Errorf("fused: %s", fused)
	}
}
