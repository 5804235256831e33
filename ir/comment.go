package ir

import (
	"slices"
	"sort"
	"strings"
)

// document gives the parameters and results of p the comments beside them.
func (f *File) document(decl *PipelineDecl, p *Pipeline) {
	params := make([]Pos, len(decl.Params))
	for i, d := range decl.Params {
		params[i] = d.Pos
	}
	for i, text := range f.beside(decl.Pos, params) {
		p.Params[i].Doc = text
	}
	results := make([]Pos, len(decl.Return.Results))
	for i, r := range decl.Return.Results {
		results[i] = r.LabelPos
		if r.Label == "" {
			results[i] = r.X.Position()
		}
	}
	for i, text := range f.beside(decl.Return.Pos, results) {
		p.Results[i].Doc = text
	}
}

// beside returns the comments of the elements of a list that follows a keyword:
// the one behind an element that has its line to itself, or those on the lines
// right above it.
func (f *File) beside(keyword Pos, elements []Pos) []string {
	texts := make([]string, len(elements))
	for i, pos := range elements {
		alone := pos.Line != keyword.Line && (i == 0 || elements[i-1].Line != pos.Line) && (i+1 == len(elements) || elements[i+1].Line != pos.Line)
		if !alone {
			continue
		}
		before := keyword
		if i > 0 {
			before = elements[i-1]
		}
		texts[i] = f.behind(pos)
		if texts[i] == "" {
			texts[i] = f.above(before, pos)
		}
	}
	return texts
}

// behind returns the comment at the end of pos's line.
func (f *File) behind(pos Pos) string {
	if i := f.commentAfter(pos); i < len(f.Comments) && f.Comments[i].Pos.Line == pos.Line {
		return commentText(f.Comments[i].Text)
	}
	return ""
}

// above returns the comments on the lines right above pos, but behind before.
func (f *File) above(before, pos Pos) string {
	var texts []string
	line := pos.Line
	for _, c := range slices.Backward(f.Comments[:f.commentAfter(pos)]) {
		if !c.Own || c.Pos.before(before) || c.Pos.Line+strings.Count(c.Text, "\n") != line-1 {
			break
		}
		line = c.Pos.Line
		texts = append(texts, commentText(c.Text))
	}
	slices.Reverse(texts)
	return strings.Trim(strings.Join(texts, "\n"), "\n")
}

// commentAfter returns the number of the first comment behind pos; what has
// been read of the file by looking ahead is behind.
func (f *File) commentAfter(pos Pos) int {
	return sort.Search(len(f.Comments), func(i int) bool { return pos.before(f.Comments[i].Pos) })
}
