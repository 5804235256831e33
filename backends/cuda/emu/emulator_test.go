package emu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// newEmulator skips the test where there is no g++; KGEN_REQUIRE_CUDAEMU,
// which .ci/run sets, makes that a failure.
func newEmulator(t testing.TB, options Options) *Emulator {
	t.Helper()
	if options.Cache == nil {
		var err error
		if options.Cache, err = cache.Open("cudaemu"); err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(context.Background(), options)
	var missing *MissingError
	if errors.As(err, &missing) && os.Getenv("KGEN_REQUIRE_CUDAEMU") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// column is an argument that is memory.
type column struct {
	name string
	in   []byte // a column of the caller; nil for memory of the device
	zero bool   // that is zeroed
	size int64
}

// kernelTest is a launch of a kernel of testdata, and what it must compute.
type kernelTest struct {
	name    string // of the kernel and its file
	groups  int64
	threads int
	rows    int64
	local   int64
	forward plan.Forward
	columns []column
	values  []exec.Value // arguments behind the columns
	result  string       // the column to look at
	want    []byte
}

// run launches the kernel with a macro, "" for none; wrong says how the result differs.
func (k kernelTest) run(ctx context.Context, e *Emulator, macro string) (wrong string, err error) {
	text, err := os.ReadFile("testdata/" + k.name + ".cu")
	if err != nil {
		return "", err
	}
	file := k.name + ".cu"
	variant := &plan.Variant{Entry: k.name, File: file, Schedule: plan.Schedule{Workgroup: k.threads}, Forward: k.forward}
	launch := &exec.Launch{Kernel: &plan.Kernel{Name: k.name}, Variant: variant, Workgroups: k.groups, Rows: k.rows, Local: k.local}
	if macro != "" {
		variant.Spec, launch.Spec = []plan.Spec{{Name: macro}}, []int64{1}
	}
	err = e.Use(ctx, map[string]string{file: string(text)}, func(d *Device) error {
		memories := map[string]exec.Memory{}
		for _, c := range k.columns {
			var m exec.Memory
			var err error
			if c.in != nil {
				m, err = d.Import(c.in)
			} else {
				m, err = d.Alloc(c.size)
			}
			if err == nil && c.zero {
				err = d.Fill(m, []byte{0}, c.size)
			}
			if err != nil {
				return err
			}
			memories[c.name] = m
			variant.Args = append(variant.Args, plan.Arg{Name: c.name})
			launch.Args = append(launch.Args, exec.Arg{Memory: m})
		}
		for _, v := range k.values {
			variant.Args = append(variant.Args, plan.Arg{Name: "value"})
			launch.Args = append(launch.Args, exec.Arg{Value: v})
		}
		if err := d.Launch(ctx, launch); err != nil {
			return err
		}
		got := make([]byte, len(k.want))
		if err := d.Read(memories[k.result], 0, got); err != nil {
			return err
		}
		for i := range got {
			if got[i] != k.want[i] {
				wrong = fmt.Sprintf("byte %d of %s is wrong", i, k.result)
				break
			}
		}
		return nil
	})
	return wrong, err
}

func int32s(n int, value func(i int) int32) []byte {
	var data []byte
	for i := range n {
		data = binary.NativeEndian.AppendUint32(data, uint32(value(i)))
	}
	return data
}

func scanTest(n int) kernelTest {
	value := func(i int) int32 { return int32(uint32(i*2654435761) >> 22) }
	sum := int32(0)
	tiles := int64(n+511) / 512
	return kernelTest{name: "scan", groups: tiles, threads: 128, rows: int64(n), result: "out",
		columns: []column{{name: "x", in: int32s(n, value)}, {name: "out", size: int64(n) * 4}, {name: "status", size: tiles * 8, zero: true}, {name: "ticket", size: 4, zero: true}},
		want:    int32s(n, func(i int) int32 { sum += value(i); return sum })}
}

func chainTest(n int64) kernelTest {
	return kernelTest{name: "chain", groups: n, threads: 32, rows: n, result: "out",
		columns: []column{{name: "data", size: n * 4}, {name: "flags", size: n * 4, zero: true}, {name: "out", size: n * 4}, {name: "ticket", size: 4, zero: true}},
		want:    int32s(int(n), func(i int) int32 { return int32(i) + 1 })}
}

func exchangeTest(n int) kernelTest {
	value := func(i int) int32 { return int32(i * 7) }
	return kernelTest{name: "exchange", groups: int64(n+63) / 64, threads: 64, rows: int64(n), result: "out",
		columns: []column{{name: "x", in: int32s(n, value)}, {name: "out", size: int64(n) * 4}},
		want: int32s(n, func(i int) int32 {
			if i^1 >= n {
				return 0
			}
			return value(i ^ 1)
		})}
}

func histogramTest(n int) kernelTest {
	var counts [16]uint64
	for i := range n {
		counts[i*7&15]++
	}
	var want []byte
	for _, c := range counts {
		want = binary.NativeEndian.AppendUint64(want, c)
	}
	return kernelTest{name: "histogram", groups: 4, threads: 64, rows: int64(n), result: "counts",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i * 7) })}, {name: "counts", size: 128, zero: true}, {name: "sum", size: 8, zero: true}},
		want:    want}
}

func vectorTest(n int, shift uint64) kernelTest { // n is a multiple of 4
	return kernelTest{name: "vector", groups: int64(n+127) / 128, threads: 32, rows: int64(n), local: 512, result: "out",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i) })}, {name: "out", size: int64(n) * 4}},
		values:  []exec.Value{{Kind: plan.I32, Bits: shift}},
		want:    int32s(n, func(i int) int32 { return int32(i ^ 3) })}
}

func gridTest(forward plan.Forward) kernelTest {
	const n = 250
	return kernelTest{name: "grid", groups: 4, threads: 64, rows: n, forward: forward, result: "out",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i) })}, {name: "out", size: n * 4}, {name: "parts", size: 16}, {name: "arrived", size: 4, zero: true}},
		want:    int32s(n, func(int) int32 { return n * (n - 1) / 2 })}
}

func ringTest() kernelTest {
	const n = 300
	return kernelTest{name: "ring", groups: 1, threads: 64, rows: n, result: "out",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i) })}, {name: "out", size: 128}},
		want: int32s(32, func(lane int) (sum int32) {
			for i := lane; i < n; i += 32 {
				sum += int32(i)
			}
			return sum
		})}
}

func widthsTest() kernelTest {
	return kernelTest{name: "widths", groups: 1, threads: 64, rows: 64, result: "out",
		columns: []column{{name: "bytes", size: 64}, {name: "out", size: 256}},
		want: int32s(64, func(i int) int32 {
			first := int32(i &^ 3)
			return first + (first+1)<<8 + (first+2)<<16 + (first+3)<<24 + int32(uint8(i*3)+1)
		})}
}

func childrenTest(n int) kernelTest {
	return kernelTest{name: "children", groups: int64(n+3199) / 3200, threads: 32, rows: int64(n), result: "out",
		columns: []column{{name: "x", in: int32s(n, func(i int) int32 { return int32(i * 5) })}, {name: "out", size: int64(n) * 4}},
		want:    int32s(n, func(i int) int32 { return int32(i*5) + 1 })}
}

// TestRefusedChild: with checks some launches by threads fail, and what a kernel that does not ask for that
// has left unwritten is found.
func TestRefusedChild(t *testing.T) {
	e := newEmulator(t, Options{Check: true, Limit: 20 * time.Second})
	if _, err := childrenTest(5000).run(t.Context(), e, "NO_FALLBACK"); err == nil || !strings.Contains(err.Error(), "which no kernel wrote") {
		t.Errorf("no launch fails: %v", err)
	}
}

// TestCorrect: what is right is computed and not complained of, in any order.
func TestCorrect(t *testing.T) {
	tests := []kernelTest{scanTest(1), scanTest(512), scanTest(5000), chainTest(12), exchangeTest(499), histogramTest(2000), vectorTest(1000, 0), gridTest(plan.ForwardResident), ringTest(), bulkTest(), widthsTest(), childrenTest(5017)}
	seeds := uint64(4) // and more with what .ci/run sets
	if os.Getenv("KGEN_TEST_ALL") != "" {
		seeds = 20
	}
	for seed := range seeds {
		e := newEmulator(t, Options{Check: true, Seed: seed, Resident: int(4 + seed%3), Limit: 20 * time.Second})
		for _, k := range tests {
			if wrong, err := k.run(t.Context(), e, ""); err != nil || wrong != "" {
				t.Errorf("%s of %d rows, seed %d: %v %s", k.name, k.rows, seed, err, wrong)
			}
		}
		if wrong, err := chainTest(12).run(t.Context(), e, "SCOPED"); err != nil || wrong != "" {
			t.Errorf("chain by scoped loads and stores, seed %d: %v %s", seed, err, wrong)
		}
		numbered := chainTest(12) // which is a livelock where it does not ask for the order of its blocks
		numbered.forward = plan.ForwardStatic
		if wrong, err := numbered.run(t.Context(), e, "NO_TICKET"); err != nil || wrong != "" {
			t.Errorf("chain by numbers of blocks, seed %d: %v %s", seed, err, wrong)
		}
		e.Close()
	}
	for seed := range uint64(3) {
		e := newEmulator(t, Options{Seed: seed, Limit: 20 * time.Second})
		for _, k := range append(tests, scanTest(1<<18)) {
			if wrong, err := k.run(t.Context(), e, ""); err != nil || wrong != "" {
				t.Errorf("plain %s of %d rows, seed %d: %v %s", k.name, k.rows, seed, err, wrong)
			}
		}
		e.Close()
	}
}

// TestPlanted: every planted bug is reported with every seed, under its kind
// and at a line that has to do with it.
func TestPlanted(t *testing.T) {
	scan, chain, exchange, histogram, ring := scanTest(3001), chainTest(12), exchangeTest(499), histogramTest(2000), ringTest()
	seeds := uint64(2) // and more with what .ci/run sets
	if os.Getenv("KGEN_TEST_ALL") != "" {
		seeds = 5
	}
	var emulators []*Emulator
	for seed := range seeds {
		emulators = append(emulators, newEmulator(t, Options{Check: true, Seed: seed, Limit: 20 * time.Second}))
	}
	for _, c := range []struct {
		kernelTest
		macro string
		kinds []Kind // any of them
		text  string // in the line of one of the faults
	}{
		{scan, "NO_TICKET_BARRIER", []Kind{Race, Unwritten}, "taken"},
		{scan, "NO_SUMS_BARRIER", []Kind{Race, Unwritten}, "sums["},
		{scan, "NO_STAGE_BARRIER", []Kind{Race}, "stage["},
		{scan, "SHARED_BOUNDS", []Kind{Bounds}, "sums[warp + 1]"},
		{scan, "GLOBAL_BOUNDS", []Kind{Bounds}, "out["},
		{scan, "FULL_MASK_IN_BRANCH", []Kind{Deadlock}, "__shfl_up_sync"},
		{scanTest(20001), "NO_TICKET", []Kind{Livelock}, "volatile"},
		{chain, "NO_TICKET", []Kind{Livelock}, ""},
		{chain, "NO_RELEASE_FENCE", []Kind{Race}, "data[block"},
		{chain, "NO_ACQUIRE_FENCE", []Kind{Race}, "data[block"},
		{chain, "BLOCK_FENCE", []Kind{Race}, "data[block"},
		{chain, "BLOCK_RELEASE_FENCE", []Kind{Race}, "data[block"},
		{chain, "SCOPED_RELAXED", []Kind{Race}, "data[block"},
		{chain, "PLAIN_SPIN", []Kind{Race}, "flags[block"},
		{chain, "PLAIN_FLAG", []Kind{Race}, "flags[block"},
		{exchange, "NO_SYNCWARP", []Kind{Race, Unwritten}, "slots["},
		{exchange, "SHUFFLE_FOR_SYNC", []Kind{Race}, "slots["},
		{exchange, "SHARED_UNWRITTEN", []Kind{Unwritten}, "slots[thread ^ 1]"},
		{exchange, "BARRIER_IN_BRANCH", []Kind{Divergence, Deadlock}, "__syncthreads"},
		{exchange, "TWO_BARRIERS", []Kind{Divergence}, "__syncthreads"},
		{exchange, "EARLY_END", []Kind{Divergence}, "__syncthreads"},
		{exchange, "WRONG_OPERATION", []Kind{Divergence}, "_sync"},
		{exchange, "OWN_LANE_MISSING", []Kind{Divergence}, "__syncwarp"},
		{exchange, "SHUFFLE_FROM_OUTSIDE", []Kind{Divergence}, "__shfl_sync"},
		{histogram, "NOT_ATOMIC", []Kind{Race}, "local[bin]++"},
		{histogram, "GLOBAL_NOT_ATOMIC", []Kind{Race}, "counts[thread] +="},
		{gridTest(plan.ForwardResident), "NO_RELEASE_FENCE", []Kind{Race}, "parts["},
		{gridTest(plan.ForwardResident), "NO_ACQUIRE_FENCE", []Kind{Race}, "parts["},
		{gridTest(plan.ForwardResident), "NO_BARRIER", []Kind{Race, Unwritten}, "parts["},
		{ring, "OVERRUN", []Kind{Race}, "slots["},
		{ring, "NO_SYNCWARP_BEFORE", []Kind{Race}, "slots["},
		{ring, "NO_SYNCWARP_BEHIND", []Kind{Race, Unwritten}, "slots["},
		{ring, "NO_RELEASE_FENCE", []Kind{Race}, "slots["},
		{ring, "NO_ACQUIRE_FENCE", []Kind{Race}, "slots["},
		{widthsTest(), "NO_BARRIER", []Kind{Race, Unwritten}, "shared_bytes"},
		{widthsTest(), "SAME_BYTE", []Kind{Race}, "bytes[thread / 2]"},
		{widthsTest(), "PLAIN_BYTE", []Kind{Race}, ""},
		{bulkTest(), "NO_INIT_BARRIER", []Kind{Race, Divergence}, "asm volatile"},
		{bulkTest(), "NO_WAIT", []Kind{Race, Unwritten}, "stages["},
		{bulkTest(), "BARRIER_FOR_WAIT", []Kind{Race}, "stages["},
		{bulkTest(), "NO_REUSE_BARRIER", []Kind{Race}, ""},
		{bulkTest(), "WRONG_PARITY", []Kind{Race, Unwritten, Livelock}, ""},
		{bulkTest(), "WRONG_BYTES", []Kind{Livelock}, "asm volatile"},
		{bulkTest(), "MISALIGNED", []Kind{Bounds}, "asm volatile"},
		{vectorTest(1000, 1), "", []Kind{Bounds}, "int4"},
		{childrenTest(5000), "CHILD_BOUNDS", []Kind{Bounds}, "out[begin + row + 5000]"},
		{childrenTest(5000), "CHILD_RACE", []Kind{Race}, "out[begin + row / 2]"},
	} {
		t.Run(c.name+"/"+c.macro, func(t *testing.T) {
			for _, e := range emulators {
				_, err := c.run(t.Context(), e, c.macro)
				var fault *FaultError
				if !errors.As(err, &fault) {
					t.Fatalf("seed %d: %v", e.options.Seed, err)
				}
				found := false
				for _, f := range fault.Faults {
					for _, kind := range c.kinds {
						found = found || f.Kind == kind && f.Line > 0 && strings.Contains(f.Text, c.text)
					}
				}
				if !found {
					t.Errorf("seed %d: no %v at a line with %q:\n%v", e.options.Seed, c.kinds, c.text, err)
				}
				if e.options.Seed == 0 {
					t.Log(err)
				}
			}
		})
	}
}

// BenchmarkScan is the prefix sum with look-back.
func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name    string
		rows    int
		options Options
	}{{"plain", 1 << 20, Options{}}, {"shuffled", 1 << 20, Options{Seed: 1}}, {"check", 100_000, Options{Check: true}}} {
		b.Run(c.name, func(b *testing.B) {
			e, k := newEmulator(b, c.options), scanTest(c.rows)
			for b.Loop() {
				if wrong, err := k.run(context.Background(), e, ""); err != nil || wrong != "" {
					b.Fatal(err, wrong)
				}
			}
			b.ReportMetric(float64(b.N)*float64(c.rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
