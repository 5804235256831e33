package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// The functions here may return more than begins with the word so far: the shell
// filters. What is wrong offers nothing; the command reports it when it runs.

// completeFlags declares the completions of flags by name.
func completeFlags(c *cobra.Command, flags map[string]cobra.CompletionFunc) {
	for name, complete := range flags {
		if err := c.RegisterFlagCompletionFunc(name, complete); err != nil {
			panic(err) // the command has no such flag
		}
	}
}

// words completes to one of a few words.
func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

var (
	completeLevel    = words(fuse.Levels...)
	completeSchedule = func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return unfinished(build.CompleteSchedule(word))
	}
)

// described adds a description to a word, if there is any.
func described(word, text string) cobra.Completion {
	if text == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, text)
}

// unfinished offers words after which there is no space if one ends in =.
func unfinished(list []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, text := range list {
		if word, _, _ := strings.Cut(text, "\t"); strings.HasSuffix(word, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return list, directive
}

// completeSources completes any number of pipeline files and folders.
func completeSources(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if f := c.Flags().Lookup(inlineFlag); f != nil && f.Changed {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{strings.TrimPrefix(sourceExtension, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// completePipeline completes FILE.kg and, behind a #, the name of a pipeline.
func completePipeline(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	path, _ := splitName(word)
	if path == word {
		return completeSources(c, args, word)
	}
	var names []cobra.Completion
	pipelines, _ := ir.LoadFile(path)
	for _, p := range pipelines {
		comment, _, _ := strings.Cut(p.Doc, "\n")
		names = append(names, described(path+"#"+p.Name, comment))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// pipelineOf returns the pipeline of a command line, nil if there is none yet.
func pipelineOf(c *cobra.Command, args []string) *ir.Pipeline {
	var pipelines []*ir.Pipeline
	text, inline := inlineText(c)
	switch {
	case inline:
		pipelines, _ = ir.Load(inlineName, []byte(text))
	case len(args) == 1:
		path, name := splitName(args[0])
		pipelines, _ = ir.LoadFile(path)
		if name != "" {
			pipelines = slices.DeleteFunc(pipelines, func(p *ir.Pipeline) bool { return p.Name != name })
		}
	}
	if len(pipelines) != 1 {
		return nil
	}
	return pipelines[0]
}

// completeParams offers each parameter that a flag takes and does not have yet, as
// NAME= where a value follows.
func completeParams(c *cobra.Command, args []string, flag, end string, takes func(ir.Type) bool) ([]cobra.Completion, cobra.ShellCompDirective) {
	p := pipelineOf(c, args)
	if p == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	given, _ := c.Flags().GetStringArray(flag)
	var names []cobra.Completion
	for _, param := range p.Declared() {
		has := func(text string) bool { return text == param.Name+end || strings.HasPrefix(text, param.Name+"=") }
		if takes(param.Type) && !slices.ContainsFunc(given, has) {
			names = append(names, described(param.Name+end, param.Type.String()))
		}
	}
	if end == "" {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return unfinished(names)
}

// completeSet completes NAME=VALUE of a scalar parameter up to the value.
func completeSet(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.Contains(word, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(c, args, "set", "=", ir.Type.IsScalar)
}

// completeFormat completes NAME=PATTERN of a column of times up to the pattern.
func completeFormat(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.Contains(word, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(c, args, "format", "=", table.TakesFormat)
}

func completeRound(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeParams(c, args, "round", "", table.TakesRounding)
}

// completeBind completes NAME=COLUMN; the columns are those of the parameter's file.
func completeBind(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _, named := strings.Cut(word, "=")
	if !named {
		return completeParams(c, args, "bind", "=", func(t ir.Type) bool { return !t.IsScalar() })
	}
	var columns []cobra.Completion
	if p := pipelineOf(c, args); p != nil {
		inputs, _ := c.Flags().GetStringArray("in")
		for _, column := range columnsOf(c, p, name, inputs) {
			columns = append(columns, name+"="+column)
		}
	}
	return columns, cobra.ShellCompDirectiveNoFileComp
}

// columnsOf returns the columns of the file of a parameter. It reads files alone:
// what comes through a pipe is there only once.
func columnsOf(c *cobra.Command, p *ir.Pipeline, param string, inputs []string) []string {
	path := table.FileOf(p, param, inputs)
	if info, err := os.Stat(path); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	names, _ := table.NewSource(c.Context(), nil).Columns(path)
	return names
}

// completeIn completes [DOMAIN=]FILE. The shell completes files, but not behind
// a domain.
func completeIn(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	extensions := table.ReadExtensions()
	domain, file, named := strings.Cut(word, "=")
	if !named {
		if p := pipelineOf(c, args); p != nil && len(table.Domains(p)) > 1 {
			var names []cobra.Completion
			for _, d := range table.Domains(p) {
				names = append(names, d.Name+"=")
			}
			return unfinished(names)
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
	found, _ := filepath.Glob(file + "*")
	var files []cobra.Completion
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			files = append(files, fmt.Sprintf("%s=%s%c", domain, path, filepath.Separator))
		} else if slices.Contains(extensions, strings.TrimPrefix(filepath.Ext(path), ".")) {
			files = append(files, domain+"="+path)
		}
	}
	return files, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeFolder lets the shell complete folders.
func completeFolder(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeDevice offers the devices that kgen can name without probing any.
func completeDevice(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return append(kgen.DeviceNames(), "cudaemu:check"), cobra.ShellCompDirectiveNoFileComp
}
