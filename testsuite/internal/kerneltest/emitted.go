package kerneltest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// emitKernels returns what the pipeline of a file is emitted as, by the names of
// files; nil if a level does not support it, or if its kernels cannot be persistent.
// The source says that it lies at path.
func emitKernels(t *testing.T, emitter kernels.Emitter, path string, source []byte, c Choice) map[string][]byte {
	t.Helper()
	pipelines, errs := ir.Load(path, source)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: c.Level, Variant: c.Schedule.Variant, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	out, err := makeBy(c.Schedule, func(s plan.Schedule) (*backends.Output, error) {
		return emitter.Emit([]*backends.Program{program}, backends.Options{Schedule: s})
	})
	if RefusesPersistent(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range out.Files {
		files[f.Name] = f.Text
	}
	return files
}

// emittedChoices are the schedules that texts of an entry are made for: every
// scheme, tiles that are numbered by groups, and for an entry that aggregates
// groups another variant at each level, every other one publishing.
func emittedChoices(i int, entry testsuite.Entry, emitter kernels.Emitter, levels []string) (choices []Choice) {
	schedules := []plan.Schedule{{Scheme: simt.SchemeLookback}, {Scheme: simt.SchemeLookback, IDs: plan.Static}, {Scheme: simt.SchemePublished}}
	if emitter.Dialect.BulkCopies {
		schedules = append(schedules, plan.Schedule{Scheme: simt.SchemePersistent})
	}
	tables := plan.Variants[:len(plan.Variants)-1]
	for j, level := range levels {
		for _, s := range schedules {
			choices = append(choices, Choice{level, s})
		}
		if len(VariantsOf(entry.Pipeline, plan.Variants...)) == 1 {
			continue
		}
		s := plan.Schedule{Variant: tables[(i+j)%len(tables)]}
		if (i+j)/len(tables)%2 == 0 {
			s.Scheme, s.Chunk, s.Offsets = simt.SchemePublished, 2, plan.Broadcast
		}
		choices = append(choices, Choice{level, s})
	}
	return choices
}

// emission is what an entry is emitted as by one of its choices.
type emission struct {
	entry  testsuite.Entry
	source []byte
	number int // of the choice
	choice Choice
	files  map[string][]byte
}

// EmittedTexts returns the kernels that the corpus in a folder is emitted as, at some
// levels and by many schedules, each text once; a sample has one level of each entry,
// in turn, and so have entries that sort. Emitting again must give the same texts,
// wherever the source lies and however many threads there are.
func EmittedTexts(t *testing.T, folder string, emitter kernels.Emitter, levels []string) map[string][]byte {
	t.Helper()
	entries, err := testsuite.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	var made []emission
	for i, entry := range entries {
		if !sample.Takes(i) {
			continue
		}
		levels := levels
		if first := i / sample.Step % len(levels); !sample.Everything() || Sorts(entry.Pipeline) { // such texts are long
			levels = levels[first : first+1]
		}
		source, err := os.ReadFile(entry.Path)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range emittedChoices(i, entry, emitter, levels) {
			if sample.Everything() && !sample.TakesSetting(i, j, 4) {
				continue
			}
			made = append(made, emission{entry, source, j, c, emitKernels(t, emitter, entry.Path, source, c)})
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // once: it stops every thread
	texts, seen := map[string][]byte{}, map[string]bool{}
	for _, m := range made {
		elsewhere := filepath.Join(string(filepath.Separator), "else where", "..", filepath.Base(m.entry.Path))
		if again := emitKernels(t, emitter, elsewhere, m.source, m.choice); !maps.EqualFunc(m.files, again, bytes.Equal) {
			t.Errorf("%s, %+v: emitted again, the text differs", m.entry.Name, m.choice)
		}
		for name, text := range m.files {
			if filepath.Ext(name) == emitter.Extension && !seen[string(text)] {
				seen[string(text)] = true
				texts[fmt.Sprintf("%s-%s-%d-%s", m.entry.Name, m.choice.Level, m.number, name)] = text
			}
		}
	}
	if _, isPart := sample.Part(); len(texts) < len(entries) && !isPart || len(texts) == 0 {
		t.Fatalf("only %d texts", len(texts))
	}
	return texts
}
