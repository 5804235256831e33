package ctext_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// named makes a program whose names and comments the caller chooses, and that
// stores 10 plus the number of a name for each of them.
func named(names []string, note string) []*loop.Func {
	next := 0
	name := func() string { next++; return names[(next-1)%len(names)] }
	b := loop.NewBuilder(name())
	b.Doc(note)
	x := b.Param(name(), loop.ScalarOf(ir.I32))
	b.Note(note)
	helper := b.Func(loop.Add(b.Let(name(), loop.Add(x, i32(3))), i32(7)), x)

	b = loop.NewBuilder("k")
	b.Kernel(0)
	b.Doc(note)
	out := b.Param("out", global(ir.I32))
	flag := b.Param(name(), loop.Bool)
	s := b.Storage(name(), loop.ArrayOf(4, loop.ScalarOf(ir.I32)).In(loop.Local))
	b.Note(note)
	for i := range names {
		v := b.Decl(name(), i32(int64(i)))
		b.For(name(), loop.Int(0), loop.Add(groupID, loop.Int(1)), func(j *loop.Var) {
			b.Note(note)
			b.If(flag, func() { b.Store(s, j, v) }, nil)
		})
		both := b.Do(helper.Signature(), []loop.Expr{v}, name(), name())
		b.Store(out, loop.Int(int64(i)), loop.Sub(loop.Add(both[0], both[1]), loop.At(s, loop.Int(0))))
	}
	return []*loop.Func{helper, b.Func()}
}

func runNamed(t *testing.T, names []string, note string) *ctext.Text {
	t.Helper()
	text := printed(t, named(names, note)...)
	out := ir.NewColumn(ir.I32, len(names))
	if err := run(t, text, text.Source, launch{text.Kernels[0].Entry, 1, 1, []arg{{Out: out}, {In: scalar(ir.BoolScalar(true)), Scalar: true}}}); err != nil {
		t.Fatalf("%v\n%s", err, text.Source)
	}
	for i := range names {
		if got := out.At(i).Int64(); got != int64(i)+10 {
			t.Errorf("%q: %d, want %d", names[i], got, i+10)
		}
	}
	return text
}

// TestReservedNames gives everything names that are reserved in C or OpenCL C,
// are used by the surrounding text, or are no names.
func TestReservedNames(t *testing.T) {
	runNamed(t, []string{
		"int", "kernel", "__kernel", "global", "get_local_id", "barrier", "as_uint", "INT_MIN", "CLK_LOCAL_MEM_FENCE", "float4", "convert_int_sat_rtz",
		"main", "linux", "sizeof", "results", "r0", "out", "out_argument", "flag_argument", "k", "kgen_divide_i32", "kgen_day", "value", "", "_", "__", "9a", "größe",
		"threadIdx", "blockDim", "int4", "fabsf", "atomicAdd", "__shared__", "warpSize", "cudaMalloc",
		"x\n*/ evil", "a??/", `back\`, "long", "uchar", "half", "x", "x2", "x", "NULL", "INFINITY", "min", "printf", "\u2028", "_Bool", "defined", "pragma",
		strings.Repeat("long_name_", 30),
	}, "a note")
}

// TestMalformedComments puts text into comments that tries to end them. Only
// comments may differ.
func TestMalformedComments(t *testing.T) {
	names := []string{"x", "y", "z"}
	const malformed = "*/ } evil \\\nnext??/\n#define x y\r#error\v\f\x00\u2028\u0085 /* // \\\r\n\"'\\"
	text := runNamed(t, names, malformed).Source
	plain := printed(t, named(names, "a note")...).Source
	comment := regexp.MustCompile(`(?m)^\s*// [ -~]*\n`)
	if bytes.Contains(comment.ReplaceAll(text, nil), []byte("evil")) {
		t.Errorf("text outside of comments in\n%s", text)
	}
	if !bytes.Equal(comment.ReplaceAll(text, nil), comment.ReplaceAll(plain, nil)) {
		t.Errorf("more than comments differs in\n%s", text)
	}
	if bytes.Contains(text, []byte(`\`)) || bytes.Contains(text, []byte("??")) {
		t.Errorf("lines could be joined in\n%s", text)
	}
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("no clang to read the texts as a compiler does")
	}
	read := func(text []byte) string {
		command := exec.Command(clang, "-cl-std=CL1.2", "-target", "spir64", "-trigraphs", "-E", "-P", "-x", "cl", "-")
		command.Stdin = bytes.NewReader(text)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if read(text) != read(plain) {
		t.Errorf("a compiler reads another program in\n%s", text)
	}
}
