package docs

import (
	"regexp"
	"strings"
)

// Command is a shell command of a document, with what it should print.
type Command struct {
	Line   int // of the document
	Text   string
	Output string // "" where the document shows none
	Shown  bool
}

// Fence is a block of code in a document.
type Fence struct {
	Language string
	Line     int // of the document, of the first line of text
	Text     string
}

// Fences returns the blocks of code of a document in Markdown.
func Fences(document string) (all []Fence) {
	open := false
	for i, line := range strings.Split(document, "\n") {
		language, mark := strings.CutPrefix(line, "```")
		switch {
		case mark && !open:
			all = append(all, Fence{Language: language, Line: i + 2})
			open = true
		case mark:
			open = false
		case open:
			all[len(all)-1].Text += line + "\n"
		}
	}
	return all
}

// Commands returns the commands of a document: the lines of code fences
// marked sh, and the lines that begin with "$ " of those marked console, which
// show their output too.
func Commands(document string) (commands []Command) {
	for _, f := range Fences(document) {
		line := f.Line - 1
		for text := range strings.Lines(f.Text) {
			line++
			command, prompt := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "$ ")
			switch {
			case f.Language == "sh" && command != "" && !strings.HasPrefix(command, "#"):
				commands = append(commands, Command{Line: line, Text: command})
			case f.Language == "console" && prompt:
				commands = append(commands, Command{Line: line, Text: command, Shown: true})
			case f.Language == "console" && len(commands) > 0:
				commands[len(commands)-1].Output += text
			}
		}
	}
	return commands
}

// OutputPattern returns the expression that matches what a document shows: a
// line of three dots stands for any lines, three dots in a line for any text.
func OutputPattern(shown string) *regexp.Regexp {
	var p strings.Builder
	p.WriteString("^")
	for line := range strings.Lines(shown) {
		if line == "...\n" {
			p.WriteString(`(?:.*\n)*`)
			continue
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "...")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		p.WriteString(strings.Join(parts, ".*") + `\n`)
	}
	return regexp.MustCompile(p.String() + "$")
}
