package gotest

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"github.com/kgen-go/kgen/backends"
)

// deviceFile prints the test of the form on a device; the test of the plain form has been
// printed, and its type draws the arguments and compares.
func (w *writer) deviceFile(pkg string) (backends.File, error) {
	w.Reset()
	name, title := "kgenOn"+exported(w.entry.Func), exported(w.entry.On)
	w.line("// %s is a call of %s on a device.", name, w.entry.Func)
	w.line("type %s struct {\n%s\non *%s\ndevice *kgen.Device\n}\n", name, w.typeName(), w.entry.OnDevice)
	var slices, columns, results []string
	for _, v := range w.pipeline.Params {
		argument := "k.in." + w.names[v]
		slices = append(slices, argument)
		if !v.Type.IsScalar() {
			argument = "kgenUpload(&c, " + argument + ")"
		}
		columns = append(columns, argument)
	}
	for i, f := range w.entry.Results {
		result := "out." + f.Name
		if !f.Scalar && w.entry.Free != "" {
			result = fmt.Sprintf("kgenRead[%s](&c, out.%s)", goTypeOf(w.pipeline.Results[i].Value.Type.Kind), f.Name)
		}
		results = append(results, f.Name+": "+result)
	}
	w.line("func (k *%s) name() string { return k.device.Name() }\n", name)
	w.line("func (k *%s) callOn(ctx context.Context) (err error) {", name)
	w.line("k.dst, err = k.on.Run(%s)\nreturn err\n}\n", strings.Join(append([]string{"ctx"}, slices...), ", "))
	w.line("func (k *%s) callInto(ctx context.Context) error {", name)
	w.line("return k.on.RunInto(%s)\n}\n", strings.Join(append([]string{"ctx", "&k.dst"}, slices...), ", "))
	w.line("func (k *%s) callColumns(ctx context.Context) error {", name)
	w.line("c := kgenColumns{ctx: ctx, device: k.device}\ndefer c.free()")
	w.line("out, err := k.on.RunColumns(%s)", strings.Join(append([]string{"ctx"}, columns...), ", "))
	w.line("if err = errors.Join(c.err, err); err != nil {\nreturn err\n}")
	if w.entry.Free != "" {
		w.line("defer out.%s()", w.entry.Free)
	}
	w.line("k.dst = %s{%s}\nreturn c.err\n}\n", w.entry.Result, strings.Join(results, ", "))
	w.line("func TestKgen%s(t *testing.T) {\ndevice := kgenOpenDevice(t, %s)", title, w.entry.Kernels)
	w.line("on, err := %s(t.Context(), device)\nif err != nil {\nt.Fatal(err)\n}", w.entry.On)
	w.line("kgenTestDevice(t, func() kgenSubject { return &%s{on: on, device: device} })\n}", name)
	var text bytes.Buffer
	fmt.Fprintf(&text, "// %s\n\npackage %s\n\nimport (\n\"context\"\n\"errors\"\n\"testing\"\n\n\"github.com/kgen-go/kgen\"\n)\n\n%s", backends.Generated(), pkg, w.String())
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		err = fmt.Errorf("pipeline %s: the printed test is malformed (a bug of kgen): %w", w.pipeline.Name, err)
	}
	return backends.File{Name: w.entry.Base + "_device_kgen_test.go", Text: formatted}, err
}
