package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

// sourceExtension is the extension of pipeline files.
const sourceExtension = ".kg"

// source is a loaded file, or one pipeline of it.
type source = build.Source

// The flag -e has the text of pipelines, in place of a file.
const (
	inlineFlag = "expression"
	inlineName = "-e" // of the text, in messages
)

// takeInline declares -e for a command, in place of the arguments that name files.
func takeInline(c *cobra.Command) {
	c.Flags().StringP(inlineFlag, "e", "", "take pipelines from `TEXT` in place of a file")
	files := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if _, given := inlineText(c); !given {
			return files(c, args)
		}
		if len(args) > 0 {
			return fmt.Errorf("-e has the pipelines already: leave out -e or %s", strings.Join(args, " "))
		}
		return nil
	}
}

// inlineText returns the text of -e, if it was given.
func inlineText(c *cobra.Command) (text string, given bool) {
	f := c.Flags().Lookup(inlineFlag)
	return f.Value.String(), f.Changed
}

// The flag --reproducible makes return of return reproducible in all pipelines.
const reproducibleFlag = "reproducible"

func takeReproducible(c *cobra.Command) {
	c.Flags().Bool(reproducibleFlag, false, "float sums have the same bits on every device, as with return reproducible")
}

// isReproducible reports whether a command was given --reproducible.
func isReproducible(c *cobra.Command) bool {
	isSet, _ := c.Flags().GetBool(reproducibleFlag) // without the flag, an error
	return isSet
}

// loadAll loads the pipelines of -e or those of the argument, FILE.kg or
// FILE.kg#NAME, and prints warnings.
func loadAll(c *cobra.Command, args []string) (*source, error) {
	if text, given := inlineText(c); given {
		return loadText(inlineName, "", []byte(text), isReproducible(c), c.ErrOrStderr())
	}
	return loadFile(args[0], isReproducible(c), c.ErrOrStderr())
}

// loadOne loads the only pipeline of -e or of the argument.
func loadOne(c *cobra.Command, args []string) (*source, *ir.Pipeline, error) {
	s, err := loadAll(c, args)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Pipelines) == 1 {
		return s, s.Pipelines[0], nil
	}
	names := pipelineNames(s.Pipelines)
	if len(args) == 0 {
		return nil, nil, usageErrorf("-e has the pipelines %s: write one of them", names)
	}
	return nil, nil, usageErrorf("%s has the pipelines %s: choose one, as in %s#%s", args[0], names, args[0], s.Pipelines[0].Name)
}

// loadFile loads FILE.kg, or the one pipeline of FILE.kg#NAME, and prints warnings.
func loadFile(argument string, reproducible bool, stderr io.Writer) (*source, error) {
	path, name := splitName(argument)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return loadText(path, name, text, reproducible, stderr)
}

// splitName splits FILE.kg#NAME; without a name it is "".
func splitName(argument string) (path, name string) {
	if i := strings.LastIndexByte(argument, '#'); i >= 0 {
		if _, err := os.Stat(argument); err != nil { // else the file's name has a #
			return argument[:i], argument[i+1:]
		}
	}
	return argument, ""
}

// loadText loads the pipelines of a text, or the one with a name, and prints warnings.
func loadText(path, name string, text []byte, reproducible bool, stderr io.Writer) (*source, error) {
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
		return nil, fmt.Errorf("%s: there is no pipeline in it", path)
	}
	for i, p := range pipelines {
		if reproducible {
			p = p.WithReproducible(true)
			pipelines[i] = p
		}
		build.PrintWarnings(stderr, p)
	}
	return &source{Text: text, Pipelines: pipelines}, nil
}

func pipelineNames(pipelines []*ir.Pipeline) string {
	var names []string
	for _, p := range pipelines {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
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
