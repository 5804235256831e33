package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/difftest"
)

// record is the stored result of a cell.
type record struct {
	Device   string           `json:"device"` // what it was
	Command  string           `json:"command"`
	Seconds  float64          `json:"seconds"`
	Report   *difftest.Report `json:"report"`
	Findings []string         `json:"findings,omitempty"` // of a tool
}

// open creates the folder of results and locks it, and refuses a folder of
// another build.
func (s *suite) open() (closed func(), err error) {
	if err := os.MkdirAll(filepath.Join(s.out, "cells"), 0o777); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(s.out, "lock"))
	free, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !free {
		return nil, fmt.Errorf("another suite writes into %s", s.out)
	}
	defer func() {
		if err != nil {
			lock.Unlock()
		}
	}()
	left, _ := filepath.Glob(filepath.Join(s.out, "running-*")) // by one that was killed
	for _, folder := range left {
		os.RemoveAll(folder)
	}
	built, err := s.fingerprint()
	if err != nil {
		return nil, err
	}
	name := filepath.Join(s.out, "build")
	before, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		before, err = []byte(built), writeWhole(name, []byte(built))
	}
	if err == nil && string(before) != built {
		err = fmt.Errorf("%s has the results of another build: choose another folder, or remove it", s.out)
	}
	return func() { lock.Unlock() }, err
}

// fingerprint distinguishes builds.
func (s *suite) fingerprint() (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(s.folder, path)
		switch {
		case err != nil:
			return err
		case path == s.out, path == filepath.Join(s.folder, "gocpu"): // a hash names what is in there
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(text))
		return err
	})
	return fmt.Sprintf("%x\n", h.Sum(nil)), err
}

// warningsAreErrors makes the worker for CUDA refuse text that NVRTC warns about.
const warningsAreErrors = "KGEN_CUDA_WARNINGS_ARE_ERRORS=1"

// kgen is a command of the kgen in the folder. An interrupt and the end of the
// time limit ask it to end.
func (s *suite) kgen(ctx context.Context, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.folder, "kgen"), arguments...)
	c.Dir = s.folder
	c.Env = append(os.Environ(), warningsAreErrors)
	if os.Getenv("POCL_MAX_PTHREAD_COUNT") == "" {
		c.Env = append(c.Env, "POCL_MAX_PTHREAD_COUNT=2") // several workers run side by side
	}
	c.Cancel = func() error {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			return c.Process.Kill()
		}
		return nil
	}
	c.WaitDelay = 20 * time.Second
	return c
}

// stderrOf returns the standard error of a failed command, on its own line.
func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return "\n" + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}

// difftest is the command of a cell.
func (c *cell) difftest() []string {
	arguments := []string{"difftest", "corpus", "--devices", c.row.device, "--levels", c.level, "--inputs", c.inputs,
		"--seed", fmt.Sprint(c.seed), "--batch", fmt.Sprint(c.batch)}
	if c.schedule != "" {
		arguments = append(arguments, "--schedule", c.schedule)
	}
	if c.row.name == "gocpu" {
		arguments = append(arguments, "--gocpu-programs", "gocpu")
	}
	return arguments
}

// runAll runs the unfinished cells.
func (s *suite) runAll(ctx context.Context, rows []*row) {
	eachCell(rows, max(s.jobs, 1), func(c *cell) {
		if !s.load(c) && ctx.Err() == nil {
			s.say(c, s.runCell(ctx, c), ctx.Err() != nil)
		}
	})
}

// eachCell runs devices in parallel, and jobs cells of each, because most of
// their time goes into compilers. Then it runs the cells with many rows one by
// one: such a cell takes most of the memory of a GPU, which two devices may
// share.
func eachCell(rows []*row, jobs int, do func(*cell)) {
	var running sync.WaitGroup
	var long []*cell
	for _, r := range rows {
		cells := make(chan *cell, len(r.cells))
		for _, c := range r.cells {
			if c.long {
				long = append(long, c)
			} else {
				cells <- c
			}
		}
		close(cells)
		for range jobs {
			running.Go(func() {
				for c := range cells {
					do(c)
				}
			})
		}
	}
	running.Wait()
	for _, c := range long {
		do(c)
	}
}

// say prints how a finished cell ended.
func (s *suite) say(c *cell, err error, isCutOff bool) {
	s.saying.Lock()
	defer s.saying.Unlock()
	switch {
	case err == nil:
		fmt.Fprintf(s.stderr, "%s: %d runs, %d differ, %.0f s\n", c, c.record.Report.Executions, c.record.differ(), c.record.Seconds)
	case !isCutOff:
		c.failure = err.Error()
		fmt.Fprintf(s.stderr, "%s: failed: %v\n", c, err)
	}
}

func (s *suite) path(c *cell) string { return filepath.Join(s.out, "cells", c.file()+".json") }

// load reads the stored result of a cell, if it is from this device.
func (s *suite) load(c *cell) bool {
	text, err := os.ReadFile(s.path(c))
	if err != nil {
		return false
	}
	r := new(record)
	if err := json.Unmarshal(text, r); err != nil || r.Report == nil || r.Device != c.row.identity {
		return false
	}
	c.record = r
	return true
}

// runCell runs a cell and stores its result.
func (s *suite) runCell(ctx context.Context, c *cell) (err error) {
	begin := time.Now()
	r := &record{Device: c.row.identity}
	if c.long {
		r.Command = c.repeat()
		r.Report, err = s.runLong(ctx, c)
	} else {
		err = s.runDifftest(ctx, c, r)
	}
	if err != nil {
		return err
	}
	r.Seconds = time.Since(begin).Seconds()
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	c.record = r
	return writeWhole(s.path(c), text)
}

// runDifftest runs the command of a cell.
func (s *suite) runDifftest(ctx context.Context, c *cell, r *record) error {
	folder, err := os.MkdirTemp(s.out, "running-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	reported := filepath.Join(folder, "report.json")
	arguments := c.difftest()
	r.Command = "kgen " + strings.Join(arguments, " ")
	command := s.kgen(ctx, append(arguments, "--report", reported)...)
	if c.tool != "" {
		command.Env = append(command.Env, worker.CUDA.Variable+"="+s.wrapped(), logFolder+"="+folder)
	}
	var said bytes.Buffer
	command.Stdout, command.Stderr = io.Discard, &said
	ended := command.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text, err := os.ReadFile(reported)
	if err != nil {
		return fmt.Errorf("%v: %s", cmp.Or(ended, err), strings.TrimSpace(said.String()))
	}
	r.Report = new(difftest.Report)
	if err := json.Unmarshal(text, r.Report); err != nil {
		return err
	}
	if r.Report.Interrupted || ended != nil && r.Report.Executions > 0 && r.Report.CountMismatches() == 0 {
		return fmt.Errorf("%v: %s", ended, strings.TrimSpace(said.String()))
	}
	for _, part := range r.Report.Cells {
		for reason := range part.Absent {
			if strings.HasPrefix(reason, difftest.ErrNotOpen.Error()) { // it was there when the suite began
				return errors.New(reason)
			}
		}
	}
	if c.tool != "" {
		r.Findings, err = findings(folder)
	}
	return err
}

// repeat is the command of a cell with many rows, which no command of kgen runs.
func (c *cell) repeat() string {
	return "device-suite -out NEW -devices " + c.row.name + " -only '" + c.String() + "'"
}

// differ counts the differences.
func (r *record) differ() int { return r.Report.CountMismatches() + len(r.Findings) }

// writeWhole writes a file completely or not at all.
func writeWhole(path string, text []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "running-")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// buildGo builds the executables that device gocpu needs on a machine without
// Go, by running the cells of that device.
func (s *suite) buildGo(ctx context.Context) error {
	levels, err := s.chosenLevels()
	if err != nil {
		return err
	}
	for _, level := range levels {
		c := &cell{row: &row{name: "gocpu", device: "gocpu"}, level: level, inputs: "own", batch: 200, seed: 1}
		command := s.kgen(ctx, c.difftest()...)
		if text, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, text)
		}
	}
	return nil
}
