package gocpu

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// If rows read their neighbours, a partial keeps the rows at its ends. A row
// whose neighbours are in other shards cannot be aggregated before those shards
// are known. Add leaves such rows out; join aggregates those at the seam of two
// shards, and Result those at both ends.

// rowsType declares a type that holds columns of rows.
func (w *partialWriter) rowsType() jen.Code {
	var fields []jen.Code
	for _, c := range w.columns {
		fields = append(fields, jen.Id(c.field).Index().Add(goTypeOf(c.kind)))
	}
	return jen.Commentf("%s holds rows that have not been aggregated.", w.rowsName).Line().Type().Id(w.rowsName).Struct(fields...)
}

// kept returns the number of rows that a partial keeps at each end.
func (w *partialWriter) kept() int64 { return w.Halo.Back + w.Halo.Ahead }

// noRows returns the literal of a partial of no rows with the parameters of p.
func (w *partialWriter) noRows(prefix string, fields ...string) string {
	if len(w.scalars) > 0 {
		fields = append([]string{"scalars: p.scalars"}, fields...)
	}
	return prefix + w.name + "{" + strings.Join(fields, ", ") + "}"
}

// none returns the field of checks that have not failed, if there are checks.
func (w *partialWriter) none() []string {
	if w.sites == 0 {
		return nil
	}
	return []string{"checks: p.noChecks()"}
}

// compute returns a call that computes the state of rows[from:to].
func (w *partialWriter) compute(dst, checks, rows, from, to, options string) string {
	if w.sites == 0 {
		checks = ""
	} else {
		checks += ", "
	}
	return fmt.Sprintf("p.compute(%s, %s%s, %s, %s, %s...)", dst, checks, rows, from, to, options)
}

func (w *partialWriter) addWithHalo(s *source) {
	var fields []string
	for _, c := range w.columns {
		fields = append(fields, c.field+": "+c.name)
	}
	s.line("rows := %s{%s}", w.rowsName, strings.Join(fields, ", "))
	s.line("later := %s", w.noRows("", append(w.none(), fmt.Sprintf("begun: true, n: int64(len(%s))", w.columns[0].name))...))
	s.line("var from, to int64 // the rows whose neighbours are all in this shard")
	end := "later.n"
	if w.Halo.Ahead > 0 {
		end += fmt.Sprintf("-%d", w.Halo.Ahead)
	}
	s.line("if later.n > %d {\nfrom, to = %d, %s\n}", w.kept(), w.Halo.Back, end)
	s.line("if err := %s; err != nil {\nreturn err\n}", w.compute("&p.shard", "&later.checks", "&rows", "from", "to", "options"))
	s.line("later.state = p.shard")
	s.line("later.head, later.tail = rows.cut(0, min(later.n, %d)), rows.cut(max(later.n-%[1]d, 0), later.n)", w.kept())
	s.line("return p.join(&later, options...)\n}\n")
}

// join writes the method that adds later rows, and the methods that it calls.
func (w *partialWriter) join(s *source) {
	state := w.shard.entry.Result
	var passed, params string
	if w.sites > 0 {
		params = fmt.Sprintf("checks *[%d]int64, ", w.sites)
	}
	if len(w.shard.checks) > 0 {
		passed = "checks, "
	}
	var arguments []string
	columns := map[string]string{}
	for _, c := range w.columns {
		columns[c.name] = "rows." + c.field
	}
	for _, a := range w.arguments {
		if column, ok := columns[a]; ok {
			a = column
		}
		arguments = append(arguments, a)
	}
	s.line("// compute stores in dst the state of rows[from:to]; the other rows are neighbours of these.")
	s.line("func (p *%s) compute(dst *%s, %srows *%s, from, to int64, options ...Option) error {", w.name, state, params, w.rowsName)
	s.line("return %s(dst, %s%s, options...)\n}\n", w.shard.entry.Into, passed, strings.Join(arguments, ", "))

	s.line("// join adds the rows of later: first those at the seam, then the others.")
	s.line("func (p *%s) join(later *%s, options ...Option) error {", w.name, w.name)
	s.line("if !p.begun {")
	s.line("p.n, p.head, p.tail = later.n, later.head.with(nil), later.tail.with(nil)")
	s.line("return p.follow(&later.state%s)\n}", w.pass("&later.checks"))
	w.sameBins(s, "p.state", "later.state")
	s.line("window := p.tail.with(&later.head)")
	s.line("if from, to := kgenSeam(p.n, later.n, %d, %d); from < to {", w.Halo.Back, w.Halo.Ahead)
	s.line("var seam %s", state)
	if w.sites > 0 {
		s.line("checks := p.noChecks()")
	}
	s.line("if err := %s; err != nil {\nreturn err\n}", w.compute("&seam", "&checks", "&window", "from", "to", "options"))
	s.line("if err := p.follow(&seam%s); err != nil {\nreturn err\n}\n}", w.pass("&checks"))
	s.line("if err := p.follow(&later.state%s); err != nil {\nreturn err\n}", w.pass("&later.checks"))
	first := w.columns[0].field
	s.line("head, tail := p.head.with(&later.head), p.tail.with(&later.tail)")
	s.line("rows := int64(len(tail.%s))", first)
	s.line("p.head, p.tail = head.cut(0, min(int64(len(head.%s)), %d)), tail.cut(max(rows-%[2]d, 0), rows)", first, w.kept())
	s.line("p.n += later.n\nreturn nil\n}\n")

	s.line("// cut returns rows[from:to].")
	s.line("func (r *%[1]s) cut(from, to int64) %[1]s {\nreturn %[1]s{", w.rowsName)
	for _, c := range w.columns {
		s.line("r.%s[from:to],", c.field)
	}
	s.line("}\n}\n")
	s.line("// with returns a copy of the rows, followed by the later ones.")
	s.line("func (r *%[1]s) with(later *%[1]s) %[1]s {\nif later == nil {\nlater = &%[1]s{}\n}\nreturn %[1]s{", w.rowsName)
	for _, c := range w.columns {
		s.line("append(append([]%s(nil), r.%[2]s...), later.%[2]s...),", typeText(c.kind), c.field)
	}
	s.line("}\n}\n")
}

// resultWithHalo writes the text that makes p a partial whose state includes the
// rows at both ends.
func (w *partialWriter) resultWithHalo(s *source) {
	s.line("whole := %s", w.noRows("", w.none()...))
	part := func(rows, from, to string) {
		s.line("{\nvar ends %s", w.shard.entry.Result)
		if w.sites > 0 {
			s.line("checks := p.noChecks()")
		}
		s.line("if err := %s; err != nil {\nreturn result, err\n}", w.compute("&ends", "&checks", rows, from, to, "options"))
		s.line("if err := whole.follow(&ends%s); err != nil {\nreturn result, err\n}\n}", w.pass("&checks"))
	}
	s.line("if p.n <= %d {", w.kept())
	part("&p.head", "0", "p.n")
	s.line("} else {")
	if w.Halo.Back > 0 {
		part("&p.head", "0", fmt.Sprint(w.Halo.Back))
	}
	s.line("if err := whole.follow(&p.state%s); err != nil {\nreturn result, err\n}", w.pass("&p.checks"))
	if w.Halo.Ahead > 0 {
		part("&p.tail", fmt.Sprint(w.Halo.Back), fmt.Sprint(w.kept()))
	}
	s.line("}\np = &whole")
}
