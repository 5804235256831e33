package lsp

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/kgen-go/kgen/ir"
)

// A document is an open file as the editor has it. Nil stands for none.
type document struct {
	uri     string
	version int
	text    []byte
	lines   []int // offset of the first byte of each line

	known *analysis // nil until somebody asks
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version}
	d.setText([]byte(text))
	return d
}

func (d *document) setText(text []byte) {
	d.text, d.known = text, nil
	d.lines = append(d.lines[:0], 0)
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			d.lines = append(d.lines, i+1)
		}
	}
}

// analysis returns what is known of the text as it is now.
func (d *document) analysis() *analysis {
	if d.known == nil {
		d.known = analyze(d)
	}
	return d.known
}

// change replaces part of the text, or all of it.
func (d *document) change(c contentChange) {
	if c.Range == nil {
		d.setText([]byte(c.Text))
		return
	}
	from := d.offset(c.Range.Start)
	to := max(from, d.offset(c.Range.End))
	d.setText(bytes.Join([][]byte{d.text[:from], []byte(c.Text), d.text[to:]}, nil))
}

// offset returns the byte offset of a position. One behind a line is the end of the
// line, one within a character its beginning.
func (d *document) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	at, end := d.lines[p.Line], len(d.text)
	if p.Line+1 < len(d.lines) {
		end = d.lines[p.Line+1]
	}
	line := bytes.TrimRight(d.text[at:end], "\r\n")
	for units := 0; len(line) > 0; {
		r, size := utf8.DecodeRune(line)
		if units += utf16Length(r); units > p.Character {
			break
		}
		at, line = at+size, line[size:]
	}
	return at
}

// position returns the position of a byte offset.
func (d *document) position(offset int) position {
	offset = min(max(offset, 0), len(d.text))
	line := sort.SearchInts(d.lines, offset+1) - 1
	units := 0
	for _, r := range string(d.text[d.lines[line]:offset]) {
		units += utf16Length(r)
	}
	return position{Line: line, Character: units}
}

// utf16Length is how many UTF-16 code units r has; a byte that is no UTF-8 has one.
func utf16Length(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

const byteOrderMark = "\uFEFF"

// base is how many bytes the text has before that of the syntax tree.
func (d *document) base() int {
	if strings.HasPrefix(string(d.text[:min(len(d.text), len(byteOrderMark))]), byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// place returns the offset of a place that package ir names.
func (d *document) place(f *ir.File, p ir.Pos) int { return d.base() + f.Offset(p) }
