package templates

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

var sample = Spelling{
	Type:  func(k ir.Kind) string { return "<" + k.String() + ">" },
	Bits:  func(k ir.Kind) string { return "bits_of_" + k.String() },
	Space: func(s loop.Space) string { return [...]string{"", "L ", "G "}[s] },
}

func TestLeafHasItsTypes(t *testing.T) {
	leaf, ok := OpenCL().Lookup("truncate_f32_u8")
	if !ok {
		t.Fatal("no leaf")
	}
	s := leaf.Signature
	if len(s.Params) != 1 || s.Params[0].Kind != ir.F32 || len(s.Results) != 1 || s.Results[0].Kind != ir.U8 || s.Effects {
		t.Error(s)
	}
	if text := leaf.Text(sample); !strings.HasPrefix(text, "<u8> kgen_truncate_f32_u8(<f32> x) {") {
		t.Error(text)
	}
	leaf, _ = OpenCL().Lookup("atomic_add_f64_local")
	s = leaf.Signature
	if want := loop.SliceOf(loop.ScalarOf(ir.F64)).In(loop.Local); s.Params[0] != want || !s.Effects || leaf.Needs[0] != "atomics.i64" {
		t.Error(s, leaf.Needs)
	}
	if text := leaf.Text(sample); !strings.Contains(text, "volatile L ulong *bits") {
		t.Error(text)
	}
	month, _ := OpenCL().Lookup("month")
	if len(month.Uses) != 1 || month.Uses[0].Signature.Name != "march_day" {
		t.Error(month.Uses)
	}
}

// Every leaf defines the function that it is looked up by, and nothing is left open.
func TestLeavesDefineTheirNames(t *testing.T) {
	for _, leaves := range []*Leaves{OpenCL(), CUDA()} {
		if n := len(leaves.All()); n < 50 {
			t.Errorf("only %d leaves", n)
		}
		for _, leaf := range leaves.All() {
			text := leaf.Text(sample)
			if !strings.Contains(text, " "+LeafPrefix+leaf.Signature.Name+"(") || strings.Contains(text, "$") {
				t.Errorf("%s: %s", leaf.Signature.Name, text)
			}
			for _, r := range text {
				if r >= 0x7f || r < ' ' && r != '\n' && r != '\t' {
					t.Errorf("%s holds %q", leaf.Signature.Name, r)
				}
			}
		}
	}
}

// What a loop program may call is the same in all dialects, but for CUDA's
// subgroups and bulk copies.
func TestDialectsHaveTheSameLeaves(t *testing.T) {
	for _, leaf := range OpenCL().All() {
		other, ok := CUDA().Lookup(leaf.Signature.Name)
		if !ok || fmt.Sprint(*other.Signature) != fmt.Sprint(*leaf.Signature) {
			t.Errorf("%v is in CUDA %v", leaf.Signature, other)
		}
	}
	own := fstest.MapFS{}
	for _, name := range []string{"cuda/subgroup.cu", "cuda/bulk.cu"} {
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		own[name] = &fstest.MapFile{Data: text}
	}
	if len(CUDA().All()) != len(OpenCL().All())+len(readLeaves(own, "cuda").All()) {
		t.Error("CUDA has more leaves")
	}
}

func TestLeavesThatAreWrong(t *testing.T) {
	for head, want := range map[string]string{
		"f":                            "no head line",
		"f(i33) i32":                   `"i33" is no type`,
		"f_$T($T) $T for T in i32 i32": "two leaves f_i32",
		"f() i32 for T in i32":         "two leaves", // with the leaf below
		"g($T) i32":                    "no meaning",
		"h(i32) i32":                   "calls missing",
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("%s: %q, want %q", head, got, want)
				}
			}()
			text := "\n//leaf " + head + "\nint x;\n\n//leaf f() i32\nkgen_missing();\n"
			if want != "calls missing" {
				text = strings.ReplaceAll(text, "kgen_missing", "kgen_f")
			}
			readLeaves(fstest.MapFS{"d/a.cl": {Data: []byte(text)}}, "d")
		}()
	}
}
