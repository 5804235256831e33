package columns

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// databases are the kinds that have several tables. The rows that are asked for are those
// of the first one, and decide how many the others have.
var databases = []string{"tpch", "ssb", "cube"}

// relations are the kinds that have one table.
func relations() []string {
	return []string{"lineitem", "orders", "students", "wisconsin", "events"}
}

// variant is a form of a relation, with names and types of its own.
type variant struct {
	kind, option string // the size of wisconsin, the shape of a cube, "decimals"
}

// variants are in the order in which they are tried for a pipeline that names none.
var variants = []variant{
	{"tpch", ""}, {"ssb", ""}, {"cube", generate.Biker}, {"cube", generate.Machines}, {"lineitem", ""}, {"lineitem", "decimals"}, {"orders", ""},
	{"orders", "decimals"}, {"students", ""}, {"wisconsin", generate.Standard}, {"wisconsin", generate.Large}, {"events", ""},
}

func isRelation(kind string) bool {
	return slices.ContainsFunc(variants, func(v variant) bool { return v.kind == kind })
}

// is reports whether the variant is what a part asks for.
func (v variant) is(p *part) bool {
	return v.kind == p.kind && (p.size == "" || p.size == v.option || p.size == generate.Small && v.option == generate.Standard) && (p.shape == "" || p.shape == v.option)
}

// tables returns the tables of a variant, of which the first has at least so many rows.
func (v variant) tables(p *part, rows int64, seed uint64) (list []generate.Generator, err error) {
	one := func(g generate.Generator, err error) ([]generate.Generator, error) {
		if err == nil && v.option == "decimals" {
			g = generate.WithDecimals(g)
		}
		return []generate.Generator{g}, err
	}
	switch v.kind {
	case "lineitem":
		return one(generate.Lineitem(scaleOf(rows), seed))
	case "orders":
		return one(generate.Orders(max(float64(rows)/1.5e6, 0.0001), seed))
	case "students":
		return one(generate.Students(rows, min(max(p.meanRun, 1), rows), seed))
	case "wisconsin":
		return one(generate.Wisconsin(rows, v.option, seed))
	case "events":
		return one(generate.Events(rows, max(p.users, rows/100, 1), seed))
	case "tpch":
		t, err := generate.NewTPCH(scaleOf(rows), seed)
		if err != nil {
			return nil, err
		}
		return []generate.Generator{t.Lineitem, t.Orders, t.Customer, t.Part, t.PartSupp, t.Supplier, t.Nation, t.Region}, nil
	case "ssb":
		s, err := generate.NewSSB(scaleOf(rows), seed)
		if err != nil {
			return nil, err
		}
		return []generate.Generator{s.LineOrder, s.Date, s.Customer, s.Supplier, s.Part}, nil
	case "cube":
		facts, err := generate.CubeFacts(v.option, rows, seed)
		if err != nil {
			return nil, err
		}
		ancestors, err := generate.CubeAncestors(v.option, seed)
		if err != nil {
			return nil, err
		}
		targets, err := generate.CubeTargets(v.option, max(p.targets, 1), seed)
		return []generate.Generator{facts, ancestors, targets}, err
	}
	panic("columns: " + v.kind)
}

// scaleOf returns a scale of TPC-H with at least so many lines: an order has 1 to 7 of
// them, so their number is random, and its deviation falls with the root.
func scaleOf(lines int64) float64 {
	orders := max(float64(lines)/4, 1)
	return max(orders*(1+4/math.Sqrt(orders))/1.5e6, 0.0001)
}

// tableColumns has the columns of each variant's tables: to make them takes a while.
var tableColumns = sync.OnceValue(func() map[variant][][]generate.Column {
	known := map[variant][][]generate.Column{}
	for _, v := range variants {
		tables, err := v.tables(&part{}, 1, 1)
		if err != nil {
			panic("columns: " + err.Error())
		}
		for _, g := range tables {
			known[v] = append(known[v], g.Columns())
		}
	}
	return known
})

// source is the table that a domain's columns come from.
type source struct {
	table      generate.Generator
	into, from []int // parameters, and the columns that they take
}

// sources returns the tables of domains that a relation has, and gives the domains their
// number of rows.
func (m *maker) sources() (map[*ir.Domain]*source, error) {
	byDomain := map[*ir.Domain][]int{}
	var domains []*ir.Domain
	for i, v := range m.Pipeline.Params {
		if d := v.Type.Domain; d != nil {
			if byDomain[d] == nil {
				domains = append(domains, d)
				m.rows[d] = m.Rows(d)
			}
			byDomain[d] = append(byDomain[d], i)
			if p := m.of(v); p != nil && p.share < 1 {
				m.rows[d] = max(int64(math.Round(p.share*float64(m.Rows(d)))), 1)
			}
		}
	}
	found := map[*ir.Domain]*source{}
	for _, d := range domains {
		s, err := m.source(d, byDomain[d])
		if err != nil {
			return nil, err
		}
		if s != nil {
			found[d] = s
		}
	}
	if len(found) == 0 && m.spec.all != nil && isRelation(m.spec.all.kind) {
		return nil, fmt.Errorf("%s has no column of %s by name and type", m.spec, m.Pipeline.Name)
	}
	return found, nil
}

// source returns the table for the columns of a domain: of the relation that is named, or
// of one that has all of them; nil if there is none.
func (m *maker) source(d *ir.Domain, params []int) (*source, error) {
	var asked *part
	for _, i := range params {
		v := m.Pipeline.Params[i]
		switch p := m.of(v); {
		case p == nil:
		case isRelation(p.kind):
			asked = p
		case m.spec.all != nil && m.spec.params[v.Name].part == nil:
			return nil, nil // a distribution of all columns
		}
	}
	best, at := variant{}, -1
	most, mostInAll := 0, 0
	for _, v := range variants {
		if asked != nil && !v.is(asked) {
			continue
		}
		inAll := m.inAll(v)
		for i, columns := range tableColumns()[v] {
			n := m.matches(columns, params)
			if n > 0 && (asked != nil || n == len(params)) && (n > most || n == most && inAll > mostInAll) {
				best, at, most, mostInAll = v, i, n, inAll
			}
		}
	}
	if at < 0 {
		return nil, nil
	}
	if asked == nil {
		asked = &part{meanRun: 100}
	}
	tables, err := best.tables(asked, max(m.rows[d], 1), m.Seed)
	if err != nil {
		return nil, err
	}
	s := &source{table: tables[at]}
	if at > 0 {
		m.rows[d] = tables[at].Rows()
	}
	for _, i := range params {
		v := m.Pipeline.Params[i]
		column := columnOf(tables[at].Columns(), v)
		if p := m.of(v); column >= 0 && (p == nil || isRelation(p.kind)) {
			s.into, s.from = append(s.into, i), append(s.from, column)
		}
	}
	return s, nil
}

// inAll counts the parameters of all domains that the tables of a variant have: domains of
// one pipeline are to be of one database.
func (m *maker) inAll(v variant) (n int) {
	for i := range m.Pipeline.Params {
		if slices.ContainsFunc(tableColumns()[v], func(columns []generate.Column) bool { return m.matches(columns, []int{i}) > 0 }) {
			n++
		}
	}
	return n
}

// matches counts the parameters of which there is a column of the name and the type.
func (m *maker) matches(columns []generate.Column, params []int) (n int) {
	for _, i := range params {
		if columnOf(columns, m.Pipeline.Params[i]) >= 0 {
			n++
		}
	}
	return n
}

func columnOf(columns []generate.Column, v *ir.Value) int {
	kind := v.Type.Kind
	if v.Like != nil {
		kind = ir.Text
	}
	return slices.IndexFunc(columns, func(c generate.Column) bool { return c.Name == v.Name && c.Kind == kind })
}

// errFull ends a table that has rows enough.
var errFull = errors.New("full")

// stream copies the first rows of a table.
func (m *maker) stream(ctx context.Context, s *source, rows int64, columns []ir.Column) error {
	at := int64(0)
	codes, likes := make([]recoded, len(s.into)), make([]matched, len(s.into))
	err := s.table.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		n := min(int64(batch[0].Len()), rows-at)
		for k, i := range s.into {
			from := batch[s.from[k]]
			if pattern := m.Pipeline.Params[i].Like; pattern != nil {
				likes[k].copy(*pattern, columns[i].Slice.([]bool)[at:at+n], from)
				continue
			}
			if from.Kind == ir.Text {
				if err := codes[k].copy(m.texts, columns[i].Slice.([]int32)[at:at+n], from); err != nil {
					return err
				}
				continue
			}
			size := int64(from.Kind.Size())
			copy(raw.Bytes(columns[i])[at*size:], raw.Bytes(from)[:n*size])
		}
		at += n
		m.tell(n * int64(len(s.into)))
		if at >= rows {
			return errFull
		}
		return nil
	})
	if errors.Is(err, errFull) || err == nil && at >= rows {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("the relation has %d rows, %d are needed", at, rows)
	}
	return err
}

// recoded are the codes of a dictionary's texts in that of the call.
type recoded struct {
	texts *string // the dictionary
	codes []int32 // -1 where it was not asked for yet
}

// copy stores the codes of a batch's texts, of which most relations have one dictionary.
func (r *recoded) copy(texts interface{ Code(string) (int32, error) }, into []int32, batch ir.Column) error {
	if first := unsafe.SliceData(batch.Texts); r.texts != first || len(r.codes) != len(batch.Texts) {
		r.texts, r.codes = first, make([]int32, len(batch.Texts))
		for i := range r.codes {
			r.codes[i] = -1
		}
	}
	for i, place := range batch.Slice.([]int32)[:len(into)] {
		if r.codes[place] < 0 {
			code, err := texts.Code(batch.Texts[place])
			if err != nil {
				return err
			}
			r.codes[place] = code
		}
		into[i] = r.codes[place]
	}
	return nil
}

// matched are the texts of a dictionary that are like a pattern.
type matched struct {
	texts *string // the dictionary
	like  []bool
}

// copy stores which of a batch's texts are like a pattern.
func (m *matched) copy(pattern ir.Pattern, into []bool, batch ir.Column) {
	if first := unsafe.SliceData(batch.Texts); m.texts != first || len(m.like) != len(batch.Texts) {
		m.texts, m.like = first, make([]bool, len(batch.Texts))
		for i, text := range batch.Texts {
			m.like[i] = pattern.Matches(text)
		}
	}
	for i, place := range batch.Slice.([]int32)[:len(into)] {
		into[i] = m.like[place]
	}
}
