package device

import (
	"regexp"
	"slices"
	"strings"
)

// Text is an emitted text whose kernels can be compiled one by one. A plan for many rows has
// many kernels, of which a run launches those that its data need, and compilers take up to a
// second over each.
type Text struct {
	lines []string
	parts []textPart
	calls []string // names of helpers outside of the parts
}

// textPart is a function of a text.
type textPart struct {
	name     string
	kernel   bool
	from, to int      // lines, the last not included
	calls    []string // names of helpers
	launches []string // names of kernels
}

// Emitted text begins a function at the start of a line, and ends it with a brace there.
var (
	headOfKernel = regexp.MustCompile(`^(?:__kernel|extern "C" __global__) .*?(\w+)\([^()]*(?:\)(?: \{)?)?$`)
	headOfHelper = regexp.MustCompile(`^[A-Za-z_][\w *]*?\b(kgen_\w+)\([^()]*\) \{(?: //.*)?$`)
	nameOfChild  = regexp.MustCompile(`\b(\w+)<<<`)
	nameOfHelper = regexp.MustCompile(`\bkgen_\w+`)
)

// NewText finds the functions of a text. What it does not take for one stays with every kernel.
func NewText(source string) *Text {
	t := &Text{lines: strings.Split(source, "\n")}
	for from := 0; from < len(t.lines); from++ {
		part := textPart{from: from}
		if line := t.lines[from]; line == "" || line[0] == '\t' {
			continue
		}
		if m := headOfKernel.FindStringSubmatch(t.lines[from]); m != nil {
			part.name, part.kernel = m[1], true
		} else if m := headOfHelper.FindStringSubmatch(t.lines[from]); m != nil {
			part.name = m[1]
		} else {
			t.calls = append(t.calls, helpersIn(t.lines[from:from+1])...)
			continue
		}
		for part.to = from + 1; part.to < len(t.lines) && t.lines[part.to] != "}"; part.to++ {
		}
		if part.to == len(t.lines) {
			return &Text{lines: t.lines} // it is not as emitted text is
		}
		part.to++
		part.calls = helpersIn(t.lines[from+1 : part.to])
		part.launches = launchedIn(t.lines[from+1 : part.to])
		t.parts = append(t.parts, part)
		from = part.to - 1
	}
	return t
}

func helpersIn(lines []string) (names []string) {
	for _, line := range lines {
		if strings.Contains(line, "kgen_") {
			names = append(names, nameOfHelper.FindAllString(line, -1)...)
		}
	}
	return names
}

func launchedIn(lines []string) (names []string) {
	for _, line := range lines {
		if strings.Contains(line, "<<<") {
			for _, m := range nameOfChild.FindAllStringSubmatch(line, -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// LaunchesKernels reports whether kernels of a text launch kernels.
func LaunchesKernels(source string) bool {
	return strings.Contains(source, "<<<") && nameOfChild.MatchString(source)
}

// Alone returns the text without other kernels than entry and those that it launches, and without helpers that it does not
// need. Lines keep their numbers. It is the whole text if the kernel is not found.
func (t *Text) Alone(entry string) string {
	lines := slices.Clone(t.lines)
	kept := map[int]bool{}
	var keep func(name string, kernel bool)
	keep = func(name string, kernel bool) {
		for i, p := range t.parts {
			if p.name == name && p.kernel == kernel && !kept[i] {
				kept[i] = true
				for _, called := range p.calls {
					keep(called, false)
				}
				for _, launched := range p.launches {
					keep(launched, true)
				}
			}
		}
	}
	keep(entry, true)
	if len(kept) == 0 {
		return strings.Join(lines, "\n")
	}
	for _, called := range t.calls {
		keep(called, false)
	}
	for i, p := range t.parts {
		if !kept[i] {
			clear(lines[p.from:p.to])
		}
	}
	return strings.Join(lines, "\n")
}
