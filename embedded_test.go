package kgen

import (
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

const embeddedText = `pipeline spent(user: [n]i32, cents: [n]i64, least: i64 = 2) {
	g = runs(user)
	return user: first(user, by: g), cents: sum(cents, by: g), each: 100 / min(cents, else: least)
}
`

// embed returns what kgen emit --backend cuda --go embeds.
func embed(t *testing.T, text, name string) fstest.MapFS {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	source := &build.Source{Text: []byte(text), Pipelines: pipelines}
	short, _, err := build.Compile(source, pipelines[0], "cuda", "", plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	long, _, err := build.Compile(source, pipelines[0], "cuda", "", plan.Schedule{Part: plan.PartRows})
	if err != nil {
		t.Fatal(err)
	}
	files, err := cuda.Emitter().Embed(name, short, long, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	made := fstest.MapFS{}
	for _, f := range files {
		made[f.Name] = &fstest.MapFile{Data: f.Text}
	}
	return made
}

func openEmulator(t *testing.T) *Device {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the emulation needs g++")
	}
	d, err := Open(t.Context(), "cudaemu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// What is embedded is what a device would compile, plans, texts and options alike.
func TestEmbeddedIsCompiled(t *testing.T) {
	files := embed(t, embeddedText, "spent")
	compiled, err := Compile(embeddedText, "")
	if err != nil {
		t.Fatal(err)
	}
	program, err := Embedded(embeddedText, files, "spent")
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{1, plan.MaxRows + 1} {
		var made []*kernels.Program
		for _, s := range []settings{{schedule: cuda.Emitter().ForDrivers(plan.Schedule{})}, {embedded: program.embedded}} {
			k, err := newKernelRunner(nil, compiled, s, cuda.Emitter(), nil)
			if err != nil {
				t.Fatal(err)
			}
			code, err := k.forRows(map[string]int64{"n": rows})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, code.Program)
		}
		if !slices.Equal(made[0].Options, made[1].Options) || len(made[0].Files) != len(made[1].Files) {
			t.Errorf("%d rows: options %q and %q, %d and %d texts", rows, made[0].Options, made[1].Options, len(made[0].Files), len(made[1].Files))
		}
		lines := func(text []byte) string { // without those that quote the source
			return strings.Join(slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//") }), "\n")
		}
		for i, f := range made[0].Files {
			if lines(f.Text) != lines(made[1].Files[i].Text) {
				t.Errorf("%d rows: %s differs", rows, made[1].Files[i].Name)
			}
		}
	}
}

// Embedded kernels run, those for long columns too; settings and other devices compile the
// text instead.
func TestEmbedded(t *testing.T) {
	files := embed(t, embeddedText, "spent")
	broken := maps.Clone(files)
	for name := range broken {
		if strings.HasSuffix(name, ".cu") {
			broken[name] = &fstest.MapFile{Data: []byte("#error these kernels run\n")}
		}
	}
	emulator := openEmulator(t)
	interp, err := Open(t.Context(), "interp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { interp.Close() })
	for _, c := range []struct {
		name     string
		device   *Device
		files    fstest.MapFS
		settings []Setting
		long     bool
		fails    bool
	}{
		{name: "embedded", device: emulator, files: files},
		{name: "for long columns", device: emulator, files: files, long: true},
		{name: "broken", device: emulator, files: broken, fails: true},
		{name: "level", device: emulator, files: broken, settings: []Setting{Level("none")}},
		{name: "schedule", device: emulator, files: broken, settings: []Setting{Schedule("workgroup=64")}},
		{name: "other device", device: interp, files: broken},
		{name: "none", device: emulator, files: fstest.MapFS{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := Embedded(embeddedText, c.files, "spent")
			if err != nil {
				t.Fatal(err)
			}
			e, err := program.On(t.Context(), c.device, c.settings...)
			if err != nil {
				t.Fatal(err)
			}
			if c.long {
				k := e.runner.(*kernelRunner)
				if k.short, err = k.forRows(map[string]int64{"n": plan.MaxRows + 1}); err != nil {
					t.Fatal(err)
				}
			}
			out, err := e.Run(t.Context(), Args{"user": []int32{1, 1, 3}, "cents": []int64{5, 6, 7}})
			if c.fails {
				if err == nil || !strings.Contains(err.Error(), "these kernels run") {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			cents, err := Read[int64](t.Context(), out.Column("cents"))
			if each, err2 := Scalar[int64](out, "each"); err != nil || err2 != nil || !slices.Equal(cents, []int64{11, 7}) || each != 20 {
				t.Errorf("cents %v, each %v, errors %v, %v", cents, each, err, err2)
			}
			_, err = e.Run(t.Context(), Args{"user": []int32{1}, "cents": []int64{0}})
			var check *CheckError
			if !errors.As(err, &check) || check.Site.Number != 0 {
				t.Errorf("division by zero is %v", err)
			}
		})
	}
}

// Kernels of another pipeline, of an old version, or without their files are refused.
func TestEmbeddedRefuses(t *testing.T) {
	files := embed(t, embeddedText, "spent")
	const path = kernels.Folder + "/cuda/spent.plan.json"
	old := maps.Clone(files)
	old[path] = &fstest.MapFile{Data: []byte(`{"version": 0}`)}
	partial := maps.Clone(files)
	delete(partial, kernels.Folder+"/cuda/spent.cu")
	for _, c := range []struct {
		text  string
		files fstest.MapFS
		want  string
	}{
		{strings.Replace(embeddedText, "user: [n]i32", "user: [n]u32", 1), files, "their plan is of another pipeline; go generate makes them anew"},
		{embeddedText, old, path + ": plan: version 0 cannot be read"},
		{embeddedText, partial, "spent.cu: file does not exist"},
	} {
		program, err := Embedded(c.text, c.files, "spent")
		if err != nil {
			t.Fatal(err)
		}
		_, err = newKernelRunner(nil, program, settings{embedded: program.embedded}, cuda.Emitter(), nil)
		if err == nil || !strings.Contains(err.Error(), "the embedded kernels of pipeline spent: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
	if _, err := Embedded("pipeline", nil, "p"); err == nil {
		t.Error("a text that is wrong is a program")
	}
}

// Places in the caller's dictionary are passed as they are, and constants are parameters.
func TestCoded(t *testing.T) {
	d, err := Open(t.Context(), "interp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	program, err := Compile("pipeline others(page: [n]text, than: text) {\n\treturn page[page != \"home\" && page > than]\n}\n", "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := program.On(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	home := program.Pipeline().Params[2].Name
	out, err := e.Run(t.Context(), Args{"page": []int32{4, 2, 7, 3}, home: int32(4), "than": int32(2)}, Coded())
	if err != nil {
		t.Fatal(err)
	}
	if codes, err := Read[int32](t.Context(), out.Column("page")); err != nil || !slices.Equal(codes, []int32{7, 3}) {
		t.Errorf("%v, %v", codes, err)
	}
	for want, args := range map[string]Args{
		"a scalar of text is missing":                 {"page": []int32{4}, "than": int32(2)},
		"a []string is given; a column of text takes": {"page": []string{"home"}, home: int32(4), "than": int32(2)},
		"home (string) is given":                      {"page": []int32{4}, home: "home", "than": int32(2)},
	} {
		var wrong *ArgumentError
		if _, err := e.Run(t.Context(), args, Coded()); !errors.As(err, &wrong) || !strings.Contains(wrong.Problem, want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
