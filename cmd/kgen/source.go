package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

// sourceExtension is the extension of pipeline files.
const sourceExtension = ".kg"

// source is a loaded file, or one pipeline of it.
type source = build.Source

// loadAll loads FILE.kg, or the one pipeline of FILE.kg#NAME, and prints warnings.
func loadAll(argument string, stderr io.Writer) (*source, error) {
	path, name := argument, ""
	if i := strings.LastIndexByte(argument, '#'); i >= 0 {
		if _, err := os.Stat(argument); err != nil { // else the file's name has a #
			path, name = argument[:i], argument[i+1:]
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pipelines, errs := ir.Load(path, text)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if name != "" {
		i := slices.IndexFunc(pipelines, func(p *ir.Pipeline) bool { return p.Name == name })
		if i < 0 {
			return nil, usageErrorf("%s has no pipeline %s; it has %s", path, name, pipelineNames(pipelines))
		}
		pipelines = pipelines[i : i+1]
	}
	if len(pipelines) == 0 {
		return nil, fmt.Errorf("%s: the file has no pipeline", path)
	}
	for _, p := range pipelines {
		build.PrintWarnings(stderr, p)
	}
	return &source{Text: text, Pipelines: pipelines}, nil
}

// loadOne loads FILE.kg#NAME; the name may be left out where there is one pipeline.
func loadOne(argument string, stderr io.Writer) (*source, *ir.Pipeline, error) {
	s, err := loadAll(argument, stderr)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Pipelines) > 1 {
		return nil, nil, usageErrorf("%s has the pipelines %s: choose one, as in %s#%s",
			argument, pipelineNames(s.Pipelines), argument, s.Pipelines[0].Name)
	}
	return s, s.Pipelines[0], nil
}

func pipelineNames(pipelines []*ir.Pipeline) string {
	var names []string
	for _, p := range pipelines {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// checkError renders a failed check.
func checkError(s *source, e *ir.CheckError) error {
	message := e.Site.Message
	if e.Site.Domain != nil {
		message += fmt.Sprintf(", row %d of domain %s", e.Row, e.Site.Domain)
	}
	return s.ErrorAt(e.Site.Pos, message, "")
}

// sourceFiles returns the pipeline files among paths, which are files and
// folders. Within folders, testdata and names that begin with . or _ are left
// out: broken inputs of tests live there.
func sourceFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found := len(files)
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			base := entry.Name()
			if name != path && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				if entry.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			if !entry.IsDir() && filepath.Ext(name) == sourceExtension {
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == found {
			return nil, fmt.Errorf("%s: no %s files", path, sourceExtension)
		}
	}
	return files, nil
}
