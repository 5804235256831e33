package explore

import (
	"fmt"
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
	KeyMeasure  = "measure"
)

// quickPrefix begins keys that replace others of the file when only a quick
// exploration is asked for.
const quickPrefix = "quick."

// lists of some keys are separated by semicolons: their values have commas.
var withCommas = []string{KeySchedule}

// common are the keys that hold for all experiments of a file.
var common = []string{KeySet, KeyIn, KeyMeasure}

// Experiment is what a sweep file says of one experiment: values by key, in order.
type Experiment struct {
	Title  string // "" in a file without sections
	Keys   []string
	Values map[string][]string
	lines  map[string]int
	path   string
}

// section is a part of a sweep file: what it says, and what stands for it in a
// quick exploration.
type section struct {
	title        string
	usual, quick map[string][]string
	lines        map[string]int
}

// ParseSweepFile reads lines KEY = A, B, C. A # begins a comment. A line [TITLE] begins
// an experiment, and what stands before the first one holds for all that do not say
// otherwise; a file without any is one experiment. Values of the key schedule are
// separated by semicolons. With quick, quick.KEY = ... stands for KEY.
func ParseSweepFile(path string, text []byte, quick bool) ([]*Experiment, error) {
	newSection := func(title string) *section {
		return &section{title: title, usual: map[string][]string{}, quick: map[string][]string{}, lines: map[string]int{}}
	}
	list := []*section{newSection("")}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		content := strings.TrimRight(line, "\r\n")
		if i := strings.IndexByte(content, '#'); i >= 0 && (i == 0 || strings.ContainsAny(content[i-1:i], " \t")) {
			content = content[:i]
		}
		content = strings.TrimSpace(content)
		if content == "" {
			continue
		}
		wrong := func(message string) error {
			return fmt.Errorf("%s:%d:1: %s\n%s\n^", path, number, message, strings.TrimRight(line, "\r\n"))
		}
		if title, ok := strings.CutPrefix(content, "["); ok {
			title, ok = strings.CutSuffix(title, "]")
			if title = strings.TrimSpace(title); !ok || title == "" {
				return nil, wrong("write [TITLE]")
			}
			if slices.ContainsFunc(list, func(s *section) bool { return s.title == title }) {
				return nil, wrong("there is an experiment of this title already")
			}
			list = append(list, newSection(title))
			continue
		}
		if message := list[len(list)-1].add(content, number, len(list) > 1); message != "" {
			return nil, wrong(message)
		}
	}
	all, rest := list[0], list[1:]
	if len(rest) == 0 {
		return []*Experiment{all.experiment(newSection(""), path, quick)}, nil
	}
	var experiments []*Experiment
	for _, s := range rest {
		experiments = append(experiments, s.experiment(all, path, quick))
	}
	return experiments, nil
}

// add reads a line, and says what is wrong with it.
func (s *section) add(content string, number int, titled bool) string {
	key, rest, ok := strings.Cut(content, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" || strings.ContainsAny(key, " \t") {
		return "write KEY = A, B, C, or [TITLE]"
	}
	separator := ","
	base, isQuick := strings.CutPrefix(key, quickPrefix)
	if slices.Contains(withCommas, base) {
		separator = ";"
	}
	if titled && slices.Contains(common, base) {
		return base + " is of the whole file: write it before the first [TITLE]"
	}
	var values []string
	for value := range strings.SplitSeq(rest, separator) {
		if value = strings.TrimSpace(value); value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return "no value is given for " + key
	}
	if _, twice := s.lines[key]; twice {
		return fmt.Sprintf("%s is given in line %d already", key, s.lines[key])
	}
	s.lines[key] = number
	if isQuick {
		s.quick[base] = values
		return ""
	}
	s.usual[key] = values
	return ""
}

// experiment returns what holds for a section, beside what holds for all.
func (s *section) experiment(all *section, path string, quick bool) *Experiment {
	e := &Experiment{Title: s.title, Values: map[string][]string{}, lines: map[string]int{}, path: path}
	take := func(from *section, values map[string][]string, prefix string) {
		for key, list := range values {
			if e.Values[key] == nil {
				e.Values[key], e.lines[key] = list, from.lines[prefix+key]
				e.Keys = append(e.Keys, key)
			}
		}
	}
	if quick {
		take(s, s.quick, quickPrefix)
		take(all, all.quick, quickPrefix)
	}
	take(s, s.usual, "")
	take(all, all.usual, "")
	slices.SortFunc(e.Keys, func(a, b string) int { return e.lines[a] - e.lines[b] })
	return e
}

// Sweeps returns the settings of schedules, those for which known holds. Another key
// is an error.
func (e *Experiment) Sweeps(known func(key string) bool) (list []Sweep, err error) {
	others := []string{KeyPipeline, KeyDevice, KeyLevel, KeyRows, KeyDist, KeySchedule, KeySet, KeyIn, KeyMeasure}
	for _, key := range e.Keys {
		switch {
		case slices.Contains(others, key):
		case known(key):
			list = append(list, Sweep{key, e.Values[key]})
		default:
			return nil, fmt.Errorf("%s:%d:1: there is no key %s; there are %s, and the settings of --schedule", e.path, e.lines[key], key, strings.Join(others, ", "))
		}
	}
	return list, nil
}
