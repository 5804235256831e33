package kernels_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/cudacompile"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// emitters are the backends.
var emitters = []kernels.Emitter{opencl.Emitter(), cuda.Emitter()}

// emitted returns the files that are emitted for a source at a path.
func emitted(t *testing.T, emitter kernels.Emitter, path, source, level string) []backends.File {
	t.Helper()
	pipelines, errs := ir.Load(path, []byte(source))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	var programs []*backends.Program
	for _, p := range pipelines {
		program, _, err := compile.Compile(p, compile.Options{Level: level, Source: []byte(source)})
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
	}
	out, err := emitter.Emit(programs, backends.Options{Schedule: plan.Schedule{Workgroup: 8, Items: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Files
}

// malformedSource is a pipeline with a check, a filter and a comparison with a
// string, with text of the author's in every place where the language takes some.
func malformedSource(comment, line string) string {
	return fmt.Sprintf(`// %[1]s
pipeline p(x: [n]i64, y: [n]i64, s: [n]char8) { // %[1]s
	q = x / y // %[1]s
	hit = s == "ab" // %[2]s
	g = runs(q) // %[1]s
	return q: q[hit], count: count(by: g), s: s[hit] // %[2]s
}
`, comment, line)
}

// everything asks for all pairs of texts and paths, and for compilers over many
// kernels; docs/testing.md has where that runs.
var everything = os.Getenv("KGEN_TEST_ALL") != ""

var commentLine = regexp.MustCompile(`(?m)^\s*// [ -~]*\n`)

// TestMalformedSource puts text that tries to leave comments and strings into a
// pipeline's comments and its file's name. Of the kernels only comments, of the
// plan only positions and messages, and of the header nothing may differ.
func TestMalformedSource(t *testing.T) {
	for _, emitter := range emitters {
		testMalformedSource(t, emitter, fuse.LevelOnePass)
	}
	testMalformedSource(t, emitters[0], fuse.LevelNone)
}

func testMalformedSource(t *testing.T, emitter kernels.Emitter, level string) {
	want := emitted(t, emitter, "p.kg", malformedSource("a comment", "another"), level)
	for i, malformed := range []string{
		`*/ } evil(); /*`, `ends with a backslash \`, `??/`, `"quotes" 'and' %s %d %!`, "\u2028 \u0085 größe \U0001f600", "tab\tand ??/??/", `\u000a evil`,
		`#define x y`, `_Pragma("evil")`, `</script> {{.}} ${evil}`,
	} {
		for j, path := range []string{"p.kg", "a\nevil();\n.kg", `*/ evil(); /*.kg`, `a\`, "??/\r\n#error evil\n", "\xff\xfe.kg", `"p".kg`, "\u2028"} {
			if (i+j)%7 != 0 && !everything {
				continue
			}
			got := emitted(t, emitter, path, malformedSource(malformed, malformed+`" + "`), level)
			if len(got) != len(want) {
				t.Fatalf("%d files, want %d", len(got), len(want))
			}
			for i := range got {
				what := fmt.Sprintf("%s at level %s, comment %q, path %q", want[i].Name, level, malformed, path)
				if got[i].Name != want[i].Name {
					t.Fatalf("%s is called %s", what, got[i].Name)
				}
				switch filepath.Ext(got[i].Name) {
				case emitter.Extension:
					if d := cmp.Diff(withoutComments(want[i].Text), withoutComments(got[i].Text)); d != "" {
						t.Fatalf("%s: more than comments differs:\n%s", what, d)
					}
					if rest := bytes.IndexFunc(got[i].Text, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' && r != '\t' }); rest >= 0 ||
						bytes.Contains(got[i].Text, []byte(`\`)) || bytes.Contains(got[i].Text, []byte("??")) {
						t.Fatalf("%s: lines may be joined or cut in\n%s", what, got[i].Text)
					}
				case ".json":
					equalPlans(t, what, want[i].Text, got[i].Text)
				default:
					if !bytes.Equal(got[i].Text, want[i].Text) {
						t.Fatalf("%s differs:\n%s", what, got[i].Text)
					}
				}
			}
		}
	}
}

func withoutComments(text []byte) string { return string(commentLine.ReplaceAll(text, nil)) }

func equalPlans(t *testing.T, what string, want, got []byte) {
	t.Helper()
	var plans [2]*plan.Plan
	for i, text := range [][]byte{want, got} {
		var err error
		if plans[i], err = plan.Decode(text); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if len(plans[1].Sites) == 0 {
		t.Fatalf("%s: no check", what)
	}
	if d := cmp.Diff(plans[0], plans[1], cmpopts.IgnoreFields(plan.Site{}, "Position", "Message")); d != "" {
		t.Fatalf("%s: more than positions and messages differs:\n%s", what, d)
	}
}

// reservedNames are names of pipelines that the dialects, C, file systems or
// other emitted files reserve.
var reservedNames = append(strings.Fields(`kernel main barrier get_global_id atomic_add int float4 global abort KGEN kgen kgen_ kgen_divide_i32
	threadIdx blockDim warpSize atomicAdd __syncthreads int4 cuda std device
	con NUL Com1 lpt1 _hidden __ __kernel q Q q_kernel1 q_kernel1_sum0 q_plan q_fallback cl cl_ CL_ h H0 linux NULL define row0 rows tiles lane`),
	strings.Repeat("long_name_", 25)+"a", strings.Repeat("long_name_", 25)+"b")

func reservedPipelines() string {
	var b strings.Builder
	for _, name := range reservedNames {
		fmt.Fprintf(&b, "pipeline %s(%s: [n]i32, y: [n]i32) {\n\treturn out: scan(add, %s / y)\n}\n\n", name, name, name)
	}
	return b.String()
}

// TestReservedNames emits all such pipelines together: no file replaces another
// on any system, and names that C reserves are changed.
func TestReservedNames(t *testing.T) {
	for _, emitter := range emitters {
		folder, paths := writeReservedNames(t, emitter)
		if compiler, err := exec.LookPath("gcc"); err != nil {
			t.Log("no gcc to read the headers")
		} else {
			compiles(t, compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", filepath.Join(folder, "host.c"))
		}
		if !everything {
			t.Log("kernels are compiled with KGEN_TEST_ALL=1")
			continue
		}
		if emitter.Backend == "cuda" {
			compilesCUDA(t, paths)
			continue
		}
		if compiler, err := exec.LookPath("clang"); err != nil {
			t.Log("no clang to read the kernels")
		} else {
			compiles(t, compiler, append(strings.Fields("-cl-std=CL1.2 -target spir64 -Wall -Wextra -Werror -fsyntax-only -x cl"), paths...)...)
		}
	}
}

// writeReservedNames writes what such pipelines are emitted as, and a program
// that includes all headers, host.c. It returns the paths of the kernels.
func writeReservedNames(t *testing.T, emitter kernels.Emitter) (folder string, paths []string) {
	t.Helper()
	files := emitted(t, emitter, "names.kg", reservedPipelines(), fuse.LevelOnePass)
	portable := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,120}(\.fallback)?\.(cl|cu|h|plan\.json)$`)
	device := regexp.MustCompile(`^(?i:con|prn|aux|nul|com\d|lpt\d)\.`)
	folder = t.TempDir()
	seen := map[string]bool{}
	var host strings.Builder
	for _, f := range files {
		if !portable.MatchString(f.Name) || device.MatchString(f.Name) {
			t.Errorf("a file is called %s", f.Name)
		}
		if seen[strings.ToLower(f.Name)] {
			t.Errorf("a second file is called %s, but for its case", f.Name)
		}
		seen[strings.ToLower(f.Name)] = true
		path := filepath.Join(folder, f.Name)
		if err := os.WriteFile(path, f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(f.Name) {
		case ".json":
			p, err := plan.Decode(f.Text)
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			for ; p != nil; p = p.Fallback {
				for _, k := range p.Kernels {
					v := k.Variants[0]
					text, err := os.ReadFile(filepath.Join(folder, v.File))
					if err != nil || !bytes.Contains(text, []byte(" "+v.Entry+"(\n")) {
						t.Errorf("%s: kernel %s is not in %s: %v", f.Name, v.Entry, v.File, err)
					}
				}
			}
		case ".h":
			if !regexp.MustCompile(`(?m)^//   \w+: len\(n\) of \w+ \(input\)$`).Match(f.Text) {
				t.Errorf("%s has no length of an input:\n%s", f.Name, f.Text)
			}
			fmt.Fprintf(&host, "#include %q\n#include %q\n", f.Name, f.Name)
		default:
			paths = append(paths, path)
		}
	}
	host.WriteString("int main(void) { return Q_KERNEL1_ARGS > 0 && Q_KERNEL1_2_ROWS > 0 ? 0 : 1; }\n")
	if err := os.WriteFile(filepath.Join(folder, "host.c"), []byte(host.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder, paths
}

// compilesCUDA compiles kernels with the compilers of this machine.
func compilesCUDA(t *testing.T, paths []string) {
	t.Helper()
	found, missing := cudacompile.Available()
	for _, reason := range missing {
		t.Log(reason)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			if err := c.Check(text, "compute_60"); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func compiles(t *testing.T, compiler string, arguments ...string) {
	t.Helper()
	if out, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", compiler, err, out)
	}
}
