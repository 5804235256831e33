package gocpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/templates"
)

func TestFileName(t *testing.T) {
	for pipeline, want := range map[string]string{
		"orders": "orders.go", "windows": "windows.go", "test": "test.go", "latest": "latest.go", "a_b": "a_b.go",
		"a_test": "a_test_pipeline.go", "a_windows": "a_windows_pipeline.go", "a_linux_arm64": "a_linux_arm64_pipeline.go",
		"q_wasm": "q_wasm_pipeline.go", "kgen_support": "kgen_support_pipeline.go", "kgen_partial": "kgen_partial_pipeline.go", "kgen_trace": "kgen_trace_pipeline.go", "kgen_texts": "kgen_texts_pipeline.go", "a_device": "a_device_pipeline.go", "kgen_device": "kgen_device_pipeline.go", "device": "device.go", "_hidden": "pipeline_hidden.go", "_test": "pipeline_test_pipeline.go",
	} {
		if got := (backends.FileNames{}).Base(pipeline, isSpecialName) + ".go"; got != want {
			t.Errorf("%s: %s, want %s", pipeline, got, want)
		}
	}
}

// TestSupportNames holds the list of reserved names against the files.
func TestSupportNames(t *testing.T) {
	var declarations []ast.Decl
	for name, text := range map[string][]byte{SupportName: Support("p"), traceName: SupportFile("p", templates.GoTrace), textsName: SupportFile("p", templates.GoTexts)} {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		declarations = append(declarations, file.Decls...)
	}
	var exported []string
	for _, decl := range declarations {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				exported = append(exported, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
					exported = append(exported, t.Name.Name)
				}
			}
		}
	}
	slices.Sort(exported)
	if want := slices.Sorted(slices.Values(supportNames)); !slices.Equal(exported, want) {
		t.Errorf("the support files export %v, the list has %v", exported, want)
	}
}
