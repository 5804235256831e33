package emu

import (
	"strings"
	"testing"
)

func bulkTest() kernelTest {
	const n = 256 * 11
	return kernelTest{name: "bulk", groups: 1, threads: 64, rows: n, local: 3 * 1024, result: "out",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i) })}, {name: "out", size: 256}},
		want: int32s(64, func(thread int) (sum int32) {
			for i := 63 - thread; i < n; i += 64 {
				sum += int32(i)
			}
			return sum
		})}
}

// TestPTX: inline PTX is replaced on its lines, or refused by name.
func TestPTX(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a;\nasm volatile(\"fence.proxy.async;\" ::: \"memory\"); b;", "a;\n(void)0; b;"},
		{"asm volatile(\"mbarrier.init.shared::cta.b64 \"\n\t\"[%0], %1;\"\n :: \"r\"(f(x, \")\")), \"r\"(1)\n: \"memory\");\nb", "cudaemu_mbarrier_init((f(x, \")\")), (1))\n\n\n;\nb"},
		{`asm("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");`, `(v) = cudaemu::load<unsigned long long>((const void *)((p)), 1, 1);`},
		{`asm("st.release.gpu.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");`, `cudaemu::store<unsigned int>((void *)((p)), (v), 1, 1);`},
		{`int asmuch = 1;`, `int asmuch = 1;`},
	} {
		if got, err := replacePTX("x.cu", c.text); got != c.want || err != nil {
			t.Errorf("%q becomes\n%q, want\n%q; %v", c.text, got, c.want, err)
		}
	}
	for text, want := range map[string]string{
		"\n\nasm(\"wgmma.fence;\");":                           `x.cu:3: the CUDA emulation does not know the PTX "wgmma.fence;"`,
		`asm("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b));`: "names operand %1 of 1",
		`asm("fence.proxy.async;"`:                             "without an end",
		`asm("st.release.gpu.u32 [%0], %1;" :: "l" p);`:        "without parentheses",
		`asm(x);`: "without a string",
	} {
		if _, err := replacePTX("x.cu", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
