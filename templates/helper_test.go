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

func TestHelperHasItsTypes(t *testing.T) {
	helper, ok := OpenCL().Lookup("truncate_f32_u8")
	if !ok {
		t.Fatal("no helper")
	}
	s := helper.Signature
	if len(s.Params) != 1 || s.Params[0].Kind != ir.F32 || len(s.Results) != 1 || s.Results[0].Kind != ir.U8 || s.Effects {
		t.Error(s)
	}
	if text := helper.Text(sample); !strings.HasPrefix(text, "<u8> kgen_truncate_f32_u8(<f32> x) {") {
		t.Error(text)
	}
	helper, _ = OpenCL().Lookup("atomic_add_f64_local")
	s = helper.Signature
	if want := loop.SliceOf(loop.ScalarOf(ir.F64)).In(loop.Local); s.Params[0] != want || !s.Effects || helper.Needs[0] != "atomics.i64" {
		t.Error(s, helper.Needs)
	}
	if text := helper.Text(sample); !strings.Contains(text, "volatile L ulong *bits") {
		t.Error(text)
	}
	month, _ := OpenCL().Lookup("month")
	if len(month.Uses) != 1 || month.Uses[0].Signature.Name != "march_day" {
		t.Error(month.Uses)
	}
}

// Every helper defines the function that it is looked up by, without placeholders.
func TestHelpersDefineTheirNames(t *testing.T) {
	for _, helpers := range []*Helpers{OpenCL(), CUDA()} {
		if n := len(helpers.All()); n < 50 {
			t.Errorf("only %d helpers", n)
		}
		for _, helper := range helpers.All() {
			text := helper.Text(sample)
			if !strings.Contains(text, " "+HelperPrefix+helper.Signature.Name+"(") || strings.Contains(text, "$") {
				t.Errorf("%s: %s", helper.Signature.Name, text)
			}
			for _, r := range text {
				if r >= 0x7f || r < ' ' && r != '\n' && r != '\t' {
					t.Errorf("%s holds %q", helper.Signature.Name, r)
				}
			}
		}
	}
}

// All dialects have the same helpers, apart from CUDA's for subgroups and bulk
// copies.
func TestDialectsHaveTheSameHelpers(t *testing.T) {
	for _, helper := range OpenCL().All() {
		other, ok := CUDA().Lookup(helper.Signature.Name)
		if !ok || fmt.Sprint(*other.Signature) != fmt.Sprint(*helper.Signature) {
			t.Errorf("%v is in CUDA %v", helper.Signature, other)
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
	if len(CUDA().All()) != len(OpenCL().All())+len(readHelpers(own, "cuda").All()) {
		t.Error("CUDA has more helpers")
	}
}

// A helper may call one that is read after it. It moves behind it, and no other
// helper moves.
func TestHelpersFollowTheirCallees(t *testing.T) {
	shared := "\n//helper f() i32\nkgen_h();\n\n//helper g() i32\nint x;\n"
	own := "\n//helper h() i32\nint x;\n\n//helper i() i32\nkgen_f();\n"
	helpers := readHelpers(fstest.MapFS{"c/a.c": {Data: []byte(shared)}, "d/a.cl": {Data: []byte(own)}}, "c", "d")
	var order []string
	for _, helper := range helpers.All() {
		order = append(order, helper.Signature.Name)
	}
	if got := strings.Join(order, " "); got != "g h f i" {
		t.Error(got)
	}
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, "call each other") {
			t.Errorf("%q", got)
		}
	}()
	readHelpers(fstest.MapFS{"d/a.cl": {Data: []byte("\n//helper f() i32\nkgen_g();\n\n//helper g() i32\nkgen_f();\n")}}, "d")
}

func TestMalformedHelpers(t *testing.T) {
	for head, want := range map[string]string{
		"f":                            "no head line",
		"f(i33) i32":                   `"i33" is no type`,
		"f_$T($T) $T for T in i32 i32": "two helpers f_i32",
		"f() i32 for T in i32":         "two helpers", // with the helper below
		"g($T) i32":                    "no meaning",
		"h(i32) i32":                   "calls missing",
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("%s: %q, want %q", head, got, want)
				}
			}()
			text := "\n//helper " + head + "\nint x;\n\n//helper f() i32\nkgen_missing();\n"
			if want != "calls missing" {
				text = strings.ReplaceAll(text, "kgen_missing", "kgen_f")
			}
			readHelpers(fstest.MapFS{"d/a.cl": {Data: []byte(text)}}, "d")
		}()
	}
}
