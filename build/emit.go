package build

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/gotest"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/plan"
)

// Emitters is the table of all backends, the default first. A new backend is a
// new entry.
var Emitters = []backends.Emitter{gocpu.Emitter{}, opencl.Emitter(), opencl.PTXEmitter(), cuda.Emitter()}

// BackendOf returns the name of the backend that devices of a kind, as gocpu, opencl, cuda and cudaemu, run
// if they are such a machine; "" if they run no text.
func BackendOf(kind string, m plan.Machine) string {
	switch {
	case kind == opencl.Emitter().Name():
		return opencl.Emitter().On(m).Name()
	case kind == "cudaemu":
		return cuda.Emitter().Name()
	case slices.Contains(EmitterNames(), kind):
		return kind
	}
	return ""
}

// plain is the backend of Go that runs on the CPU.
var plain = gocpu.Emitter{}

// Flags holds the values of the flags of kgen emit.
type Flags struct {
	backend, pkg, folder, level, after, schedule string
	tests, partials, unexported, device, check   bool
	simd                                         bool

	Machine plan.Machine // by whose rates level auto chooses; the zero value is the declared one
}

// HelpWidth is the width of help texts, in columns.
const HelpWidth = 80

// Bind declares the flags in a set.
func (f *Flags) Bind(set *pflag.FlagSet) {
	set.StringVar(&f.backend, "backend", Emitters[0].Name(), "the `BACKEND`: "+emitterNames())
	set.StringVar(&f.pkg, "package", "", "the `NAME` of the Go package (default that of the file with the go:generate line, or of the folder)")
	set.StringVarP(&f.folder, "output", "o", "", "the `FOLDER` to write to (default the current one if --package or go generate names the package)")
	set.StringVar(&f.level, "fuse", "", LevelUsage)
	set.StringVar(&f.schedule, "schedule", "", ScheduleUsage)
	set.BoolVar(&f.device, "go", false, "emit Go that runs on devices of the backend, with its kernels embedded, beside the Go of gocpu")
	set.BoolVar(&f.tests, "tests", false, "emit tests of the functions too (Go)")
	set.BoolVar(&f.partials, "partials", false, "also emit a type for computing the pipeline in shards (Go)")
	set.BoolVar(&f.unexported, "unexported", false, "emit unexported functions and types (Go)")
	set.BoolVar(&f.simd, "simd", false, "also emit bodies with AVX-512 for Go 1.26 with GOEXPERIMENT=simd; all others run the plain ones (Go)")
	set.BoolVar(&f.check, "check", false, "write nothing; print what would change as a diff, and fail if anything would")
	set.StringVar(&f.after, "after", "", "print the program as it is after a `PASS`, and write nothing")
}

// EmitterNames returns the names of all backends.
func EmitterNames() (names []string) {
	for _, e := range Emitters {
		names = append(names, e.Name())
	}
	return names
}

func emitterNames() string { return strings.Join(EmitterNames(), ", ") }

// Emit emits the pipelines that load returns. It writes files to the output
// folder and their names to out. With --check it prints to out how the files that
// are there differ, and with --after the program after that pass. Errors of the
// flags are [UsageError] and are found before load is called.
func (f *Flags) Emit(ctx context.Context, load func() (*Source, error), out io.Writer) error {
	i := slices.IndexFunc(Emitters, func(e backends.Emitter) bool { return e.Name() == f.backend })
	if i < 0 {
		return usagef("unknown backend %s; there are %s", f.backend, emitterNames())
	}
	if f.after != "" && !slices.Contains(compile.Passes(), f.after) {
		return usagef("there is no pass %s; there are %s", f.after, strings.Join(compile.Passes(), ", "))
	}
	if f.after != "" && f.check {
		return usagef("--check compares files, and --after writes none: leave out one of them")
	}
	pkg, folder := f.target()
	if f.after == "" && (folder == "" || folder == "-") {
		return usagef("name the folder to write to: -o FOLDER")
	}
	emitsGo := f.device || f.backend == plain.Name()
	for _, flag := range []struct {
		name  string
		asked bool
	}{{"--package", f.pkg != ""}, {"--tests", f.tests}, {"--partials", f.partials}, {"--unexported", f.unexported}, {"--simd", f.simd}} {
		if flag.asked && !emitsGo {
			return usagef("%s: backend %s emits no Go; gocpu does, and %[2]s with --go", flag.name, f.backend)
		}
	}
	embeds, _ := Emitters[i].(embedder)
	if f.device && embeds == nil {
		return usagef("--go: backend %s has no kernels to embed: leave it out, or name the backend of the devices", f.backend)
	}
	if f.device && embeds.Embeds() != f.backend {
		return usagef("--go: devices take embedded kernels of backend %s, not of %s", embeds.Embeds(), f.backend)
	}
	schedule, err := ParseSchedule(f.schedule)
	if err != nil {
		return err
	}
	if f.backend == plain.Name() && f.after == "" {
		if err := RefuseSchedule("backend "+f.backend, schedule); err != nil {
			return err
		}
	}
	if f.device && schedule.Part > 0 {
		return usagef("--go embeds kernels for columns of any length: leave out part of --schedule")
	}
	source, err := load()
	if err != nil {
		return err
	}
	if f.after != "" {
		return f.printAfter(source, schedule, Emitters[i], out)
	}
	options := backends.Options{Package: pkg, Schedule: schedule, Unexported: f.unexported, SIMD: f.simd}
	if options.Package == "" {
		options.Package = packageOf(folder)
	} else if !isPackageName(pkg) && !(pkg == "main" && f.unexported) {
		return usagef("--package %s: a Go package to import is named by letters and digits, and not main; in main add --unexported", pkg)
	}
	var output *backends.Output
	if emitsGo {
		output, err = f.emitGo(source, options, embeds)
	} else {
		output, err = f.emitAll(source, Emitters[i], f.level, options)
	}
	if err != nil {
		return err
	}
	if emitsGo {
		if err := refuseClashes(folder, options.Package, output.Files); err != nil {
			return err
		}
	}
	if err := refuseForeign(folder, output); err != nil {
		return err
	}
	if f.check {
		return checkOutput(folder, output, out)
	}
	return writeOutput(ctx, folder, output, out)
}

// emitAll emits the pipelines of a source by one backend.
func (f *Flags) emitAll(source *Source, emitter backends.Emitter, level string, options backends.Options) (*backends.Output, error) {
	var programs []*backends.Program
	for _, p := range source.Pipelines {
		program, _, err := CompileFor(source, p, f.Machine, emitter.Name(), level, options.Schedule)
		if err != nil {
			return nil, err
		}
		if f.partials {
			if program.Partial, err = compilePartial(source, p, f.Machine, level); err != nil {
				return nil, err
			}
		}
		programs = append(programs, program)
	}
	return emitter.Emit(programs, options)
}

// embedder is a backend whose kernels emitted Go can embed.
type embedder interface {
	backends.Emitter
	Embeds() string // the backend of embedded kernels on its devices
	Embed(base string, short, long *backends.Program, s plan.Schedule) ([]backends.File, error)
}

// emitGo emits Go and, if asked, its tests, its form on devices and the kernels of that.
func (f *Flags) emitGo(source *Source, options backends.Options, embeds embedder) (*backends.Output, error) {
	schedule, level := options.Schedule, f.level
	options.Schedule = plan.Schedule{Probe: schedule.Probe}
	if f.device {
		options.Kernels = kernels.Folder
		if level != "" && !slices.Contains(fuse.Levels, level) { // a plan by hand is of the stages of one backend
			level = ""
		}
	}
	output, err := f.emitAll(source, plain, level, options)
	if err != nil {
		return nil, err
	}
	if f.tests {
		tests, err := gotest.Emit(source.Pipelines, output, options)
		if err != nil {
			return nil, err
		}
		output.Files = append(output.Files, tests...)
	}
	if !f.device {
		return output, nil
	}
	for i, p := range source.Pipelines {
		short, _, err := CompileFor(source, p, f.Machine, f.backend, f.level, schedule)
		if err != nil {
			return nil, err
		}
		parts := schedule
		parts.Part = plan.PartRows
		long, _, err := CompileFor(source, p, f.Machine, f.backend, f.level, parts)
		if err != nil {
			return nil, err
		}
		files, err := embeds.Embed(output.Entries[i].Base, short, long, schedule)
		if err != nil {
			return nil, err
		}
		output.Files = append(output.Files, files...)
	}
	return output, nil
}

// target returns the package and the folder of the flags or, by default, of the
// file whose go:generate line is being run.
func (f *Flags) target() (pkg, folder string) {
	pkg, folder = f.pkg, f.folder
	generate := os.Getenv("GOPACKAGE")
	if folder == "" && (pkg != "" || generate != "") {
		folder = "."
		if pkg == "" {
			pkg = generate
		}
	}
	return pkg, folder
}

func (f *Flags) printAfter(s *Source, schedule plan.Schedule, backend backends.Emitter, out io.Writer) error {
	pipelines := s.Pipelines
	if f.partials {
		pipelines = nil
		for _, p := range s.Pipelines {
			split, err := partial.New(p, partial.Options{})
			if err != nil {
				return s.partialError(f.level, err)
			}
			pipelines = append(pipelines, split.Shard, split.Finish)
		}
	}
	for _, p := range pipelines {
		options := s.options(f.backend, f.level, schedule)
		options.Machine = f.Machine
		options.Backend, options.Emit = backend, backends.Options{Schedule: schedule, SIMD: f.simd}
		text, err := compile.After(f.after, p, options)
		if err != nil {
			return s.compileError(f.level, err)
		}
		fmt.Fprintf(out, "%s\n", strings.TrimRight(text, "\n"))
	}
	return nil
}

// packageOf names the package of a folder after it, if Go allows the name.
func packageOf(folder string) string {
	if absolute, err := filepath.Abs(folder); err == nil {
		if name := filepath.Base(absolute); isPackageName(name) {
			return name
		}
	}
	return "pipelines"
}

func isPackageName(name string) bool {
	return token.IsIdentifier(name) && name != "_" && name != "main"
}
