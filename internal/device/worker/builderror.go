package worker

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// BuildError is an emitted kernel that the driver's compiler refuses: a fault
// of kgen or of the driver, not of the user.
type BuildError struct {
	Kernel string `json:"kernel"`
	File   string `json:"file"`
	Driver string `json:"driver"`
	Log    string `json:"log"`
	Line   int    `json:"line,omitzero"`   // of File, where the log names one
	Text   string `json:"text,omitzero"`   // that line
	Source string `json:"source,omitzero"` // the comment of the emitter that stands before it: FILE.kg:LINE
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("kernel %q: %s refuses the emitted %s (please report it)", e.Kernel, e.Driver, e.File)
	if e.Line > 0 {
		text += fmt.Sprintf("\n%s:%d: %s", e.File, e.Line, e.Text)
	}
	if e.Source != "" {
		text += "\nwhich comes from " + e.Source
	}
	return text + "\nThe driver says:\n" + e.Log
}

var (
	logPosition    = regexp.MustCompile(`:(\d+):\d+\b|\((\d+)\): `) // of clang, of NVRTC
	sourcePosition = regexp.MustCompile(`\S+\.kg:\d+(:\d+)?`)
)

// NewBuildError describes the refusal of text, which stands in file; the first
// error that log names by its line is looked up.
func NewBuildError(kernel, file, driver, log, text string) *BuildError {
	e := &BuildError{Kernel: kernel, File: file, Driver: driver, Log: strings.TrimSpace(log)}
	if e.Log == "" {
		e.Log = "(nothing)"
	}
	lines := strings.Split(text, "\n")
	for line := range strings.Lines(e.Log) {
		m := logPosition.FindStringSubmatch(line)
		if m == nil || !strings.Contains(line, "error") {
			continue
		}
		at, err := strconv.Atoi(m[1] + m[2])
		if err != nil || at < 1 || at > len(lines) {
			continue
		}
		e.Line, e.Text = at, strings.TrimSpace(lines[at-1])
		for i := at - 1; i >= 0 && e.Source == ""; i-- {
			if _, comment, ok := strings.Cut(lines[i], "//"); ok {
				e.Source = sourcePosition.FindString(comment)
			}
		}
		break
	}
	return e
}
