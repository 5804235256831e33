// Package oclgrind runs the worker for OpenCL devices under Oclgrind, a
// simulator of such devices that reports data races, accesses out of bounds, and
// barriers that only some work-items of a work-group reach, and reads its reports.
package oclgrind

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Wrap writes into folder a script that is the worker at a path, under the
// simulator, and returns where it is. It fails where there is no simulator.
func Wrap(folder, worker string) (script string, err error) {
	simulator, err := exec.LookPath("oclgrind")
	if err != nil {
		return "", fmt.Errorf("%w (Debian, Ubuntu: apt-get install oclgrind)", err)
	}
	script = filepath.Join(folder, "kgen-opencl")
	text := fmt.Sprintf("#!/bin/sh\nexec %q %q \"$@\"\n", simulator, worker)
	return script, os.WriteFile(script, []byte(text), 0o700)
}

// Environment is that of a worker which writes its reports into log. Without a
// log nothing is searched for: kgen's probe of a device takes minutes otherwise.
func Environment(log string) []string {
	environment := []string{
		"OCLGRIND_BUILD_OPTIONS=-cl-opt-disable", // optimized texts have intrinsics that it does not know
		// It takes local memory of kernel10 and kernel123 for kernel1's too, by the
		// beginning of the name. No text of the corpus declares 1 MiB in all.
		"OCLGRIND_LOCAL_MEM_SIZE=4194304",
	}
	if log == "" {
		return environment
	}
	// Its search for uninitialized values is left out: the plug-in (21.10)
	// crashes now and then, and knows nothing of atomics. The limit counts pairs of
	// atomics too, of which a look-back over 256 counters makes thousands.
	return append(environment, "OCLGRIND_DATA_RACES=1", "OCLGRIND_MAX_ERRORS=1000000", "OCLGRIND_LOG="+log)
}

// Reports splits a log; a report begins with the only line that is not
// indented. Pairs of atomics are left out. If the log broke off at the limit of
// errors, that is a report: nobody knows what was left out.
func Reports(log string) (list []string) {
	var all []string
	for line := range strings.Lines(log) {
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] != '\t' || len(all) == 0:
			all = append(all, line)
		default:
			all[len(all)-1] += line
		}
	}
	for _, report := range all {
		if !isAtomicPair(report) {
			list = append(list, report)
		}
	}
	return list
}

// isAtomicPair reports whether a report is about a volatile load of a word that
// others change by an atomic: tiles that wait for each other, and updates that
// try again. A word holds all that belongs together, so any order of the two
// will do; the simulator takes every load that is no atomic for a race.
func isAtomicPair(report string) bool {
	return strings.HasPrefix(report, "Read-write data race at ") &&
		len(volatileLoad.FindAllString(report, -1)) == 1 && len(atomicCall.FindAllString(report, -1)) == 1
}

var (
	volatileLoad = regexp.MustCompile(` = load volatile i(32|64), `)
	atomicCall   = regexp.MustCompile(` call spir_func i(32|64) @_Z\d+atom(ic)?_\w+PU3AS[13]V`)
)
