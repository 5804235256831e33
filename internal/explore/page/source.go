package page

import (
	"slices"
	"strings"
)

// segment is a part of a source: a statement, a result of return, or what lies
// between them.
type segment struct {
	Text      string `json:"text"`
	Statement bool   `json:"statement,omitempty"`
	start     int
	line      int // of the start, from 1
	column    int // in bytes, from 1
}

// split cuts the text of pipelines into segments. The statements of a body end with
// their lines, unless brackets are open or an operator stands at the end; those of
// return end at commas, too.
func split(text string) (list []segment) {
	s := splitter{text: text}
	for s.at < len(text) {
		c := text[s.at]
		switch {
		case strings.HasPrefix(text[s.at:], "//"):
			s.endStatement()
			if i := strings.IndexByte(text[s.at:], '\n'); i >= 0 {
				s.at += i
			} else {
				s.at = len(text)
			}
			continue
		case c == '"':
			s.begin()
			s.skipString()
			continue
		case c == '{' && s.depth == 0:
			s.body, s.isReturn = true, false
			s.begun = -1
		case c == '}' && s.depth == 0:
			s.endStatement()
			s.body = false
		case c == '(' || c == '[':
			s.begin()
			s.depth++
		case c == ')' || c == ']':
			s.depth--
		case c == '\n' && s.depth <= 0 && !s.continues():
			s.endStatement()
			s.isReturn = false
		case c == ',' && s.depth == 0 && s.isReturn:
			s.endStatement()
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		default:
			if s.begun < 0 && s.body && s.depth == 0 && isWord(text, s.at, "return") {
				s.isReturn = true
				s.at += len("return")
				continue
			}
			s.begin()
		}
		s.at++
	}
	s.endStatement()
	s.cut(len(text), false)
	return s.list
}

type splitter struct {
	text     string
	at       int
	depth    int // of brackets
	body     bool
	isReturn bool
	begun    int // where a statement has begun, or below 0
	last     int // behind the last segment
	list     []segment
}

// begin begins a statement, unless one has begun.
func (s *splitter) begin() {
	if s.body && s.begun <= 0 {
		s.begun = s.at
	}
}

// endStatement ends the statement that has begun, if one has.
func (s *splitter) endStatement() {
	if s.begun > 0 {
		end := s.begun + len(strings.TrimRight(s.text[s.begun:s.at], " \t\r\n"))
		s.cut(s.begun, false)
		s.cut(end, true)
	}
	s.begun = -1
}

// cut adds a segment from the last one to an offset.
func (s *splitter) cut(end int, statement bool) {
	if end <= s.last {
		return
	}
	before := s.text[:s.last]
	s.list = append(s.list, segment{Text: s.text[s.last:end], Statement: statement, start: s.last,
		line: strings.Count(before, "\n") + 1, column: s.last - strings.LastIndexByte(before, '\n')})
	s.last = end
}

func (s *splitter) skipString() {
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"' && s.text[s.at] != '\n'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	if s.at < len(s.text) && s.text[s.at] == '"' {
		s.at++
	}
}

// continues reports whether the line that ends here goes on: an operator or a comma
// is its end.
func (s *splitter) continues() bool {
	line := strings.TrimRight(s.text[:s.at], " \t\r")
	return line != "" && strings.IndexByte("+-*/%&|^<>=!?:,", line[len(line)-1]) >= 0
}

func isWord(text string, at int, word string) bool {
	return strings.HasPrefix(text[at:], word) && (at+len(word) == len(text) || strings.IndexByte(" \t\r\n{", text[at+len(word)]) >= 0)
}

// find returns the segment that contains a position, or -1.
func find(segments []segment, line, column int) int {
	return slices.IndexFunc(segments, func(s segment) bool {
		if !s.Statement || line < s.line || line == s.line && column < s.column {
			return false
		}
		lines := strings.Count(s.Text, "\n")
		last := s.line + lines
		end := s.column + len(s.Text)
		if lines > 0 {
			end = len(s.Text) - strings.LastIndexByte(s.Text, '\n')
		}
		return line < last || line == last && column < end
	})
}
