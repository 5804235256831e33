package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// typeChecker tells whether a file with a bug compiles. To build every mutant would take
// minutes.
type typeChecker struct {
	root     string
	files    *token.FileSet
	imports  types.Importer
	declared map[string][]*ast.File // by folder: its files without the bodies of functions
}

// newTypeChecker finds what the packages in some folders import.
func newTypeChecker(root string, folders []string) (*typeChecker, error) {
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, folders...)...)
	command.Dir = root
	var said bytes.Buffer
	command.Stderr = &said
	list, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, said.String())
	}
	exported := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exported[path] = file
	}
	c := &typeChecker{root: root, files: token.NewFileSet(), declared: map[string][]*ast.File{}}
	c.imports = importer.ForCompiler(c.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) })
	return c, nil
}

// check reports the first fault of the file with the bug.
func (c *typeChecker) check(m Mutant, text string) error {
	mutated, err := parser.ParseFile(c.files, filepath.Join(c.root, m.File), text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	others, err := c.declarations(filepath.Dir(m.File))
	if err != nil {
		return err
	}
	name := c.files.Position(mutated.Pos()).Filename
	files := []*ast.File{mutated}
	for _, file := range others {
		if c.files.Position(file.Pos()).Filename != name {
			files = append(files, file)
		}
	}
	var faults []error
	config := types.Config{Importer: c.imports, Error: func(err error) {
		var fault types.Error // others lack bodies, so that they seem to import too much
		if errors.As(err, &fault) && c.files.Position(fault.Pos).Filename == name {
			faults = append(faults, err)
		}
	}}
	config.Check(mutated.Name.Name, c.files, files, nil)
	if len(faults) > 0 {
		return faults[0]
	}
	return nil
}

// declarations parses the files of a folder.
func (c *typeChecker) declarations(folder string) ([]*ast.File, error) {
	if c.declared[folder] != nil {
		return c.declared[folder], nil
	}
	names, err := filepath.Glob(filepath.Join(c.root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
		c.declared[folder] = append(c.declared[folder], file)
	}
	return c.declared[folder], nil
}
