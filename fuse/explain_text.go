package fuse

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// textWidth is the width that lines of an explanation keep to where they can. What is
// broken between words has leastWidth at least.
const textWidth, leastWidth = 100, 20

// widestLabel is how wide the columns of a table before the last one may be beside it.
const widestLabel = textWidth + 5

// Text returns the explanation for people: tables of kernels, stages and pairs.
func (e *Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pipeline %s %s: %s, %s, %s predicted\n", e.Pipeline, e.levelName(), plural(e.Total.Kernels, "kernel"),
		size(e.Total.Bytes), duration(e.Total.Predicted))
	if e.Level != LevelNone {
		fmt.Fprintf(&b, "at level none: %s, %s, %s\n", plural(e.None.Kernels, "kernel"), size(e.None.Bytes), duration(e.None.Predicted))
	}
	b.WriteByte('\n')
	wrapped(&b, "plan      ", e.Plan)
	wrapped(&b, "machine   ", e.Machine)
	if e.Searched != "" {
		wrapped(&b, "searched  ", e.Searched)
	}
	var lengths []string
	for _, a := range e.Assumed {
		lengths = append(lengths, fmt.Sprintf("%s = %d (%s)", a.Domain, a.Rows, a.Because))
	}
	if len(lengths) > 0 {
		wrapped(&b, "rows      ", strings.Join(lengths, ", "))
	}
	e.wayLines(&b)
	e.statementTable(&b)
	e.kernelTable(&b)
	e.stageTable(&b)
	e.pairTables(&b)
	return b.String()
}

// levelName says how the plan was chosen.
func (e *Explanation) levelName() string {
	if slices.Contains(Levels, e.Level) {
		return "at level " + e.Level
	}
	return "by hand"
}

// table writes aligned rows; the last column is broken between words.
func table(b *strings.Builder, rows [][]string) {
	last := len(rows[0]) - 1
	widths := make([]int, last)
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		var label strings.Builder
		for i, width := range widths {
			fmt.Fprintf(&label, "%-*s  ", width, row[i])
		}
		before := label.String()
		if utf8.RuneCountInString(before) > widestLabel { // the last column has lines of its own
			b.WriteString(strings.TrimRight(before, " ") + "\n")
			before = "    "
		}
		wrapped(b, before, row[last])
	}
}

// wayLines tells the ways of which one is taken.
func (e *Explanation) wayLines(b *strings.Builder) {
	label := "ways      "
	for _, w := range e.Ways {
		text := fmt.Sprintf("%s: %s, %s, %s", w.Name, plural(w.Kernels, "kernel"), size(w.Bytes), duration(w.Predicted))
		if w.Chosen {
			text += " (taken here; the data decides when it runs)"
		}
		wrapped(b, label, text)
		label = strings.Repeat(" ", len(label))
	}
}

// statementTable tells what the user wrote, with the kernels and stages that compute it.
func (e *Explanation) statementTable(b *strings.Builder) {
	number := e.numbers()
	type entry struct {
		Statement
		kernels, stages []string
	}
	var list []entry
	for _, s := range e.Stages {
		for _, statement := range s.Statements {
			at := slices.IndexFunc(list, func(x entry) bool { return x.Statement == statement })
			if at < 0 {
				at = len(list)
				list = append(list, entry{Statement: statement})
			}
			x := &list[at]
			if k := cmp.Or(number[s.Kernel], "not run"); !slices.Contains(x.kernels, k) {
				x.kernels = append(x.kernels, k)
			}
			x.stages = append(x.stages, s.Name)
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(x, y entry) int { return cmp.Or(x.Line-y.Line, x.Column-y.Column) })
	rows := [][]string{{"line", "what is computed", "kernels", "stages"}}
	for _, x := range list {
		rows = append(rows, []string{strconv.Itoa(x.Line), shortened(x.Text), listed(x.kernels), listed(x.stages)})
	}
	b.WriteByte('\n')
	table(b, rows)
}

// The most that a table shows of an expression, and of a list of kernels or stages: the
// tables of kernels and stages have all.
const shortText, shortList = 40, 8

// shortened cuts an expression.
func shortened(text string) string {
	if utf8.RuneCountInString(text) <= shortText {
		return text
	}
	return string([]rune(text)[:shortText-3]) + "..."
}

// listed joins a list and cuts a long one.
func listed(list []string) string {
	if len(list) > shortList {
		return fmt.Sprintf("%s ... %s (%d)", strings.Join(list[:shortList-3], " "), list[len(list)-1], len(list))
	}
	return strings.Join(list, " ")
}

// numbers numbers the kernels, by name.
func (e *Explanation) numbers() map[string]string {
	number := map[string]string{}
	for i, k := range e.Kernels {
		number[k.Name] = strconv.Itoa(i + 1)
	}
	return number
}

func (e *Explanation) kernelTable(b *strings.Builder) {
	rows := [][]string{{"kernel", "rows of", "moves", "predicted", "grid-wide prefixes", "bytes by domain"}}
	if len(e.Ways) > 0 {
		rows[0] = slices.Insert(rows[0], 1, "way")
	}
	for _, k := range e.Kernels {
		row := []string{k.Name, k.Domain, size(k.Bytes), duration(k.Predicted), cutsText(k.Cuts), k.Formula}
		if len(e.Ways) > 0 {
			way := cmp.Or(k.Way, "always")
			if k.Idle {
				way += ", idle"
			}
			row = slices.Insert(row, 1, way)
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	table(b, rows)
	for _, d := range e.Dropped {
		wrapped(b, "not run:  ", strings.Join(d.Stages, " ")+": "+d.Why)
	}
}

func cutsText(cuts []Cut) string {
	if len(cuts) == 0 {
		return "none"
	}
	var parts []string
	for _, c := range cuts {
		parts = append(parts, fmt.Sprintf("%s, %s", c.Monoid, plural(c.Words, "word")))
	}
	return strings.Join(parts, "; ")
}

func (e *Explanation) stageTable(b *strings.Builder) {
	number := e.numbers()
	rows := [][]string{{"stage", "kernel", "line", "rows of", "writes"}}
	for _, s := range e.Stages {
		kernel := "not run"
		if s.Kernel != "" {
			kernel = number[s.Kernel]
		}
		over := s.Domain
		if s.Makes != "" {
			over += ", makes " + s.Makes
		}
		rows = append(rows, []string{s.Name, kernel, s.line(), over, strings.Join(s.Writes, " ")})
	}
	b.WriteByte('\n')
	table(b, rows)
}

// pairTables writes the merged pairs, then the others by reason.
func (e *Explanation) pairTables(b *strings.Builder) {
	merged := [][]string{{"merged", "saves", "not stored and loaded again"}}
	var reasons []string
	apart := map[string][][]string{}
	for _, p := range e.Pairs {
		if p.Merged {
			merged = append(merged, []string{p.From + " + " + p.To, size(p.Saved), p.valuesText()})
			continue
		}
		if apart[p.Why] == nil {
			reasons = append(reasons, p.Why)
		}
		apart[p.Why] = append(apart[p.Why], []string{"  " + p.From + " | " + p.To, p.valuesText()})
	}
	if len(merged) > 1 {
		b.WriteByte('\n')
		table(b, merged)
	}
	for _, why := range reasons {
		b.WriteByte('\n')
		wrapped(b, "apart: ", why)
		table(b, apart[why])
	}
}

// valuesText lists the values that make a pair.
func (p *Pair) valuesText() string {
	var passed, shared []string
	for _, v := range p.Values {
		if v.Shared {
			shared = append(shared, v.Name)
		} else {
			passed = append(passed, v.Name)
		}
	}
	text := strings.Join(passed, ", ")
	if len(shared) > 0 {
		if text != "" {
			text += "; "
		}
		text += "both read " + strings.Join(shared, ", ")
	}
	return text
}

// wrapped writes text behind a label, broken between words, further lines
// indented as far as the label is long.
func wrapped(b *strings.Builder, label, text string) {
	indent := utf8.RuneCountInString(label)
	line := label
	at := indent
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+width > max(textWidth, indent+leastWidth):
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent)
			at = indent
		default:
			line += " "
			at++
		}
		line += word
		at += width
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// size writes a number of bytes.
func size(bytes int64) string {
	switch x := float64(bytes); {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", x/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", x/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", x/(1<<10))
	}
	return fmt.Sprintf("%d B", bytes)
}

// duration writes a number of nanoseconds.
func duration(nanoseconds float64) string {
	switch {
	case nanoseconds >= 1e9:
		return fmt.Sprintf("%.2f s", nanoseconds/1e9)
	case nanoseconds >= 1e6:
		return fmt.Sprintf("%.2f ms", nanoseconds/1e6)
	}
	return fmt.Sprintf("%.1f µs", nanoseconds/1e3)
}
