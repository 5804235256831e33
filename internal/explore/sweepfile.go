package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SweepFileName is the name of the sweep file of a folder.
const SweepFileName = "explore.sweep"

// The keys of a sweep file that are not settings of schedules.
const (
	KeyPipeline = "pipeline"
	KeyDevice   = "device"
	KeyLevel    = "level"
	KeyRows     = "rows"
	KeyDist     = "dist"
	KeySchedule = "schedule"
	KeySet      = "set"
	KeyIn       = "in"
)

// quickPrefix begins keys that replace others of the file when only a quick
// exploration is asked for.
const quickPrefix = "quick."

// lists of some keys are separated by semicolons: their values have commas.
var withCommas = []string{KeySchedule}

// SweepFile is what a sweep file says: values by key, in its order.
type SweepFile struct {
	Keys   []string
	Values map[string][]string
	lines  map[string]int
	path   string
}

// ParseSweepFile reads lines KEY = A, B, C. A # begins a comment. Values of the key
// schedule are separated by semicolons. With quick, quick.KEY = ... stands for KEY.
func ParseSweepFile(path string, text []byte, quick bool) (*SweepFile, error) {
	f := &SweepFile{Values: map[string][]string{}, lines: map[string]int{}, path: path}
	replaced := map[string][]string{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		content := strings.TrimRight(line, "\r\n")
		if i := strings.IndexByte(content, '#'); i >= 0 && (i == 0 || strings.ContainsAny(content[i-1:i], " \t")) {
			content = content[:i]
		}
		if strings.TrimSpace(content) == "" {
			continue
		}
		wrong := func(message string) error {
			return fmt.Errorf("%s:%d:1: %s\n%s\n^", path, number, message, strings.TrimRight(line, "\r\n"))
		}
		key, rest, ok := strings.Cut(content, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return nil, wrong("write KEY = A, B, C")
		}
		separator := ","
		base, isQuick := strings.CutPrefix(key, quickPrefix)
		if slices.Contains(withCommas, base) {
			separator = ";"
		}
		var values []string
		for value := range strings.SplitSeq(rest, separator) {
			if value = strings.TrimSpace(value); value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		if len(values) == 0 {
			return nil, wrong("no value is given for " + key)
		}
		if _, twice := f.lines[key]; twice {
			return nil, wrong(fmt.Sprintf("%s is given in line %d already", key, f.lines[key]))
		}
		f.lines[key] = number
		if isQuick {
			replaced[base] = values
			continue
		}
		f.Keys = append(f.Keys, key)
		f.Values[key] = values
	}
	if quick {
		for _, key := range slices.Sorted(maps.Keys(replaced)) {
			if f.Values[key] == nil {
				f.Keys = append(f.Keys, key)
			}
			f.Values[key] = replaced[key]
		}
	}
	return f, nil
}

// Sweeps returns the settings of schedules, those for which known holds. Another key
// is an error.
func (f *SweepFile) Sweeps(known func(key string) bool) (list []Sweep, err error) {
	others := []string{KeyPipeline, KeyDevice, KeyLevel, KeyRows, KeyDist, KeySchedule, KeySet, KeyIn}
	for _, key := range f.Keys {
		switch {
		case slices.Contains(others, key):
		case known(key):
			list = append(list, Sweep{key, f.Values[key]})
		default:
			return nil, fmt.Errorf("%s:%d:1: there is no key %s; there are %s, and the settings of --schedule", f.path, f.lines[key], key, strings.Join(others, ", "))
		}
	}
	return list, nil
}
