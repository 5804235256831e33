package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// sanitizer is the program of NVIDIA's toolkit.
const sanitizer = "compute-sanitizer"

// findSanitizer also looks in the toolkit's folder.
func findSanitizer() (string, error) {
	if path, err := exec.LookPath(sanitizer); err == nil {
		return path, nil
	}
	for _, pattern := range []string{"/usr/local/cuda*/bin/" + sanitizer, "/usr/local/cuda*/compute-sanitizer/" + sanitizer} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", fmt.Errorf("there is no %s on PATH or in /usr/local/cuda*: it is part of NVIDIA's toolkit", sanitizer)
}

// wrapWorker writes a script that runs kgen-cuda under a tool, which writes a
// log for each process into the folder that the variable logFolder names. The
// worker neither rounds up nor shares buffers, so that every access beyond the
// end of a column is noticed. The script runs until the tool has written its
// summary, which takes longer than kgen waits.
//
// All cells share one script, which is written before the first of them starts:
// a process that is started while a script is being written holds it open for a
// moment, and a script that is open for writing does not run ("text file busy").
func (s *suite) wrapWorker() error {
	path, err := findSanitizer()
	if err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\nKGEN_CUDA_EXACT_BUFFERS=1 %s --tool %s --target-processes all --report-api-errors no --error-exitcode 9 --log-file \"$%s/%%p.log\" %s \"$@\"\n",
		quote(path), s.tool, logFolder, quote(filepath.Join(s.folder, worker.CUDA.Name)))
	return os.WriteFile(s.wrapped(), []byte(script), 0o755)
}

// wrapped is the script that runs kgen-cuda under the tool.
func (s *suite) wrapped() string { return filepath.Join(s.out, worker.CUDA.Name) }

// logFolder is the variable with the folder of a cell's logs.
const logFolder = "DEVICESUITE_LOGS"

// quote is a word of a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// summary is the last line of a log: memcheck counts errors, racecheck hazards.
var summary = regexp.MustCompile(`(?m)^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+) `)

// findings reads the logs of a tool. A log without a summary is a finding, too.
func findings(folder string) (list []string, err error) {
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return nil, err
	}
	if len(logs) == 0 {
		return nil, errors.New("the tool has written no log")
	}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m := summary.FindSubmatch(text)
		switch {
		case m == nil:
			list = append(list, "a log without a summary:\n"+excerpt(text))
		case string(m[1]) != "0":
			list = append(list, excerpt(text))
		}
	}
	return list, nil
}

// excerpt returns the beginning of a log, and its end with the summary.
func excerpt(text []byte) string {
	const lines = 40
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(list) > lines {
		list = slices.Concat(list[:lines-2], []string{"..."}, list[len(list)-1:])
	}
	return strings.Join(list, "\n")
}

// planted are bugs that a tool has to report, as changes of an emitted text.
var planted = map[string]struct {
	what    string
	pattern *regexp.Regexp
	with    string
}{
	"memcheck":  {"a guard that is 64 rows too far", regexp.MustCompile(`< count\b`), "< count + 64"},
	"racecheck": {"no barriers", regexp.MustCompile(`__syncthreads\(\);`), ";"},
}

// checkTool plants a bug in a text and requires that the tool reports it, and
// that it reports nothing without the bug.
func (s *suite) checkTool(ctx context.Context) error {
	bug, ok := planted[s.tool]
	if !ok {
		return nil
	}
	for _, with := range []string{"", bug.with} {
		found, err := s.runPlanted(ctx, bug.pattern, with)
		switch {
		case err != nil:
			return fmt.Errorf("%s of a planted bug: %w", s.tool, err)
		case with == "" && len(found) > 0:
			return fmt.Errorf("%s reports what is right:\n%s", s.tool, strings.Join(found, "\n"))
		case with != "" && len(found) == 0:
			return fmt.Errorf("%s does not report a planted bug: %s", s.tool, bug.what)
		case with != "":
			fmt.Fprintf(s.stderr, "%s reports a planted bug, %s:\n%s\n", s.tool, bug.what, strings.Join(found, "\n"))
		}
	}
	return nil
}

// runPlanted runs a pipeline with a changed text and returns the findings of
// the tool; "" changes nothing.
func (s *suite) runPlanted(ctx context.Context, pattern *regexp.Regexp, with string) ([]string, error) {
	folder, err := os.MkdirTemp(s.out, "running-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	entry, err := testsuite.LoadEntry(filepath.Join(s.folder, "corpus", "prefix_scans.kg"))
	if err != nil {
		return nil, err
	}
	program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true}})
	if err != nil {
		return nil, err
	}
	made, err := cuda.Emitter().Make(program, plan.Schedule{Workgroup: 64, Items: 2, Scheme: simt.SchemePublished})
	if err != nil {
		return nil, err
	}
	texts := made.Texts()
	for name, text := range texts {
		if with == "" {
			break
		}
		if texts[name] = pattern.ReplaceAllString(text, with); texts[name] == text {
			return nil, fmt.Errorf("no text has %s", pattern)
		}
	}
	space := memory.NewSpace(0)
	defer space.Close()
	client, err := worker.Open(ctx, worker.Options{Program: worker.CUDA, Path: s.wrapped(), Space: space, Limit: time.Minute, Environment: []string{logFolder + "=" + folder}})
	if err != nil {
		return nil, err
	}
	in := testsuite.RandomData{Rows: 2*128 + 7, Seed: 1, Whole: true}.Columns(entry.Pipeline)
	_, ran := testsuite.RunPlan(entry.Pipeline, made.Plan, func(in planexec.Inputs) (*planexec.Result, error) {
		result, err := client.Run(ctx, worker.Request{Code: worker.Code{Plan: made.Plan, Texts: texts, Build: made.Options}, Inputs: in})
		if err != nil {
			return nil, err
		}
		return &result.Result, nil
	}, in)
	client.Close() // waits for the tool
	if ran != nil && with == "" {
		return nil, ran
	}
	return findings(folder)
}
