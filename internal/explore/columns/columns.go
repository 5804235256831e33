// Package columns generates the columns of any pipeline: from a relation that has
// columns of these names, such as TPC-H's lineitem, by a distribution, or by how the
// pipeline uses them, so that its checks pass.
package columns

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// Automatic is the data of a pipeline of which nothing is said.
const Automatic = "auto"

// Spec says how the columns of a pipeline are generated.
type Spec struct {
	text   string
	all    *part            // of all columns of which nothing else is said; nil is Automatic
	params map[string]*part // by the name of the parameter
}

// part is a kind of data with its options, as in zipf:s=1.1:values=1000.
type part struct {
	kind                   string
	min, max               *big.Int
	values, meanRun, users int64
	s                      float64
	sorted                 bool
}

// relations are the kinds that are whole relations.
var relations = []string{"lineitem", "orders", "students", "wisconsin", "events"}

// Kinds lists the kinds of data, for messages.
func Kinds() []string {
	return append(append([]string{Automatic}, generate.Distributions()...), relations...)
}

// Help describes the form that Parse reads, in lines of a help text.
var Help = `[PARAMETER=]KIND[:OPTION=VALUE]..., several joined by +, as in unique,
repeated:mean-run=8, zipf:s=1.1:values=1000:sorted, or
key=unique+value=uniform:max=99. The kinds are
` + strings.Join(Kinds()[:5], ", ") + ",\n" + strings.Join(Kinds()[5:], ", ") + "."

// Parse reads a Spec; see [Help].
func Parse(text string) (*Spec, error) {
	s := &Spec{text: text, params: map[string]*part{}}
	for item := range strings.SplitSeq(text, "+") {
		name, rest, named := strings.Cut(item, "=")
		if named && strings.Contains(name, ":") { // it belongs to an option
			name, rest, named = "", item, false
		}
		if !named {
			rest = item
		}
		p, err := parsePart(rest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		switch {
		case named && s.params[name] != nil, !named && s.all != nil:
			return nil, fmt.Errorf("%s: two kinds for the same columns", text)
		case named:
			s.params[name] = p
		default:
			s.all = p
		}
	}
	return s, nil
}

// String returns the text that was parsed.
func (s *Spec) String() string { return s.text }

func parsePart(text string) (*part, error) {
	fields := strings.Split(text, ":")
	p := &part{kind: fields[0], meanRun: 8, s: 1}
	if !slices.Contains(Kinds(), p.kind) {
		return nil, fmt.Errorf("there is no kind of data %q; there are %s", p.kind, strings.Join(Kinds(), ", "))
	}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		allowed := map[string][]string{"sorted": {generate.Uniform, generate.Zipf, generate.Unique}, "min": generate.Distributions(), "max": {generate.Uniform, generate.Zipf},
			"values": {generate.Uniform, generate.Zipf}, "mean-run": {generate.Repeated, "students"}, "s": {generate.Zipf}, "users": {"events"}}
		kinds, known := allowed[key]
		if !known || !slices.Contains(kinds, p.kind) {
			return nil, fmt.Errorf("%s has no option %s", p.kind, key)
		}
		var err error
		ok := true
		switch key {
		case "sorted":
			p.sorted, ok = true, value == ""
		case "min":
			p.min, ok = new(big.Int).SetString(value, 10)
		case "max":
			p.max, ok = new(big.Int).SetString(value, 10)
		case "values":
			p.values, err = strconv.ParseInt(value, 10, 64)
		case "mean-run":
			p.meanRun, err = strconv.ParseInt(value, 10, 64)
		case "users":
			p.users, err = strconv.ParseInt(value, 10, 64)
		case "s":
			p.s, err = strconv.ParseFloat(value, 64)
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: a number is needed after %s=", field, key)
		}
	}
	return p, nil
}

// Request is what Make needs beside a Spec.
type Request struct {
	Pipeline *ir.Pipeline
	Rows     func(d *ir.Domain) int64             // of each domain of a parameter
	Scalar   func(v *ir.Value) (ir.Scalar, error) // the value of a scalar parameter
	New      func(bytes int64) ([]byte, error)    // memory for a column
	Seed     uint64
	Progress func(done, total int64) // values; may be nil
}

// Make returns a column for each parameter; a scalar is a column of one row.
// Equal requests give equal columns on every machine.
func (s *Spec) Make(ctx context.Context, r Request) ([]ir.Column, error) {
	m := maker{Request: r, spec: s}
	for name := range s.params {
		if !slices.ContainsFunc(r.Pipeline.Params, func(v *ir.Value) bool { return v.Name == name && v.Type.Domain != nil }) {
			return nil, fmt.Errorf("%s: pipeline %s has no column %s", s.text, r.Pipeline.Name, name)
		}
	}
	columns := make([]ir.Column, len(r.Pipeline.Params))
	taken, err := m.fromRelations(ctx, columns)
	if err != nil {
		return nil, err
	}
	for i, v := range r.Pipeline.Params {
		switch {
		case v.Type.Kind == ir.Text:
			return nil, fmt.Errorf("%s is a text, which is not generated: give a file by --in", v.Name)
		case v.Type.IsScalar():
			value, err := r.Scalar(v)
			if err != nil {
				return nil, err
			}
			columns[i] = ir.NewColumn(v.Type.Kind, 1)
			columns[i].Set(0, value)
		case !taken[i]:
			if columns[i], err = m.column(ctx, v); err != nil {
				return nil, fmt.Errorf("column %s: %w", v.Name, err)
			}
		}
	}
	return columns, nil
}

type maker struct {
	Request
	spec *Spec
	done int64
}

// of returns how a parameter is generated; nil is by its use.
func (m *maker) of(v *ir.Value) *part {
	p := m.spec.all
	if own := m.spec.params[v.Name]; own != nil {
		p = own
	}
	if p != nil && p.kind == Automatic {
		return nil
	}
	return p
}

// errFull ends a relation that has rows enough.
var errFull = errors.New("full")

// fromRelations fills the columns of domains that a relation has.
func (m *maker) fromRelations(ctx context.Context, columns []ir.Column) (taken []bool, err error) {
	taken = make([]bool, len(columns))
	byDomain := map[*ir.Domain][]int{}
	var domains []*ir.Domain
	for i, v := range m.Pipeline.Params {
		if d := v.Type.Domain; d != nil {
			if byDomain[d] == nil {
				domains = append(domains, d)
			}
			byDomain[d] = append(byDomain[d], i)
		}
	}
	for _, d := range domains {
		g, named, err := m.relation(d, byDomain[d])
		if err != nil {
			return nil, err
		}
		if g == nil {
			continue
		}
		have := g.Columns()
		var into, from []int
		for _, i := range byDomain[d] {
			v := m.Pipeline.Params[i]
			at := slices.IndexFunc(have, func(c generate.Column) bool { return c.Name == v.Name && c.Kind == v.Type.Kind })
			if p := m.of(v); at < 0 || p != nil && !slices.Contains(relations, p.kind) {
				continue
			}
			into, from = append(into, i), append(from, at)
		}
		if len(into) == 0 && named {
			return nil, fmt.Errorf("%s has no column of [%s] by name and type", m.spec, d.Name)
		}
		rows := m.Rows(d)
		for _, i := range into {
			if columns[i], err = m.room(m.Pipeline.Params[i].Type.Kind, rows); err != nil {
				return nil, err
			}
			taken[i] = true
		}
		if err := m.stream(ctx, g, rows, columns, into, from); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// relation returns the relation for the columns of a domain: the one that is named,
// or one that has all of them; nil if there is none.
func (m *maker) relation(d *ir.Domain, params []int) (g generate.Generator, named bool, err error) {
	kinds := relations
	for _, i := range params {
		if p := m.of(m.Pipeline.Params[i]); p != nil {
			if slices.Contains(relations, p.kind) {
				kinds, named = []string{p.kind}, true
			} else if m.spec.all != nil && m.spec.params[m.Pipeline.Params[i].Name] == nil {
				return nil, false, nil // a distribution of all columns
			}
		}
	}
	rows := max(m.Rows(d), 1)
	for _, kind := range kinds {
		p := m.spec.all
		if p == nil || p.kind != kind {
			p = &part{meanRun: 100}
		}
		for _, withDecimals := range []bool{false, true} {
			if !named && !m.hasAll(columnsOf(kind, withDecimals), params) || withDecimals && !hasDecimals(kind) {
				continue
			}
			g, err := p.relation(kind, rows, m.Seed)
			if err == nil && withDecimals {
				g = generate.WithDecimals(g)
			}
			return g, named, err
		}
	}
	return nil, named, nil
}

// relation returns a relation of at least so many rows.
func (p *part) relation(kind string, rows int64, seed uint64) (generate.Generator, error) {
	switch kind {
	case "lineitem": // a tenth more than enough, since the rows of an order are random
		return generate.Lineitem(max(1.1*float64(rows)/6e6, 0.0001), seed)
	case "orders":
		return generate.Orders(max(1.1*float64(rows)/1.5e6, 0.0001), seed)
	case "students":
		return generate.Students(rows, min(p.meanRun, rows), seed)
	case "wisconsin":
		return generate.Wisconsin(rows, generate.Standard, seed)
	}
	return generate.Events(rows, max(p.users, rows/100, 1), seed)
}

// columnsOf returns the columns of a relation, with the decimals of TPC-H or as floats.
func columnsOf(kind string, withDecimals bool) []generate.Column {
	known := relationColumns()
	if withDecimals && hasDecimals(kind) {
		kind += " with decimals"
	}
	return known[kind]
}

// hasDecimals reports whether a relation has decimals that could be floats.
func hasDecimals(kind string) bool { return kind == "lineitem" || kind == "orders" }

// relationColumns has the columns of each relation: to make one takes a while.
var relationColumns = sync.OnceValue(func() map[string][]generate.Column {
	columns := map[string][]generate.Column{}
	for _, kind := range relations {
		g, err := (&part{meanRun: 1}).relation(kind, 1, 1)
		if err != nil {
			panic("columns: " + err.Error())
		}
		columns[kind] = g.Columns()
		if hasDecimals(kind) {
			columns[kind+" with decimals"] = generate.WithDecimals(g).Columns()
		}
	}
	return columns
})

// hasAll reports whether there are columns of all names and types.
func (m *maker) hasAll(columns []generate.Column, params []int) bool {
	for _, i := range params {
		v := m.Pipeline.Params[i]
		if !slices.ContainsFunc(columns, func(c generate.Column) bool { return c.Name == v.Name && c.Kind == v.Type.Kind }) {
			return false
		}
	}
	return true
}

// stream copies the first rows of a relation.
func (m *maker) stream(ctx context.Context, g generate.Generator, rows int64, columns []ir.Column, into, from []int) error {
	at := int64(0)
	err := g.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		n := min(int64(batch[0].Len()), rows-at)
		for k, i := range into {
			size := int64(columns[i].Kind.Size())
			copy(raw.Bytes(columns[i])[at*size:], raw.Bytes(batch[from[k]])[:n*size])
		}
		at += n
		m.tell(n * int64(len(into)))
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

func (m *maker) tell(values int64) {
	m.done += values
	if m.Progress != nil {
		total := int64(0)
		for _, v := range m.Pipeline.Params {
			if v.Type.Domain != nil {
				total += m.Rows(v.Type.Domain)
			}
		}
		m.Progress(m.done, total)
	}
}

func (m *maker) room(k ir.Kind, rows int64) (ir.Column, error) {
	data, err := m.New(rows * int64(k.Size()))
	if err != nil {
		return ir.Column{}, err
	}
	return raw.FromBytes(k, data), nil
}

// column generates one column: whole numbers, of which values of its kind are made.
func (m *maker) column(ctx context.Context, v *ir.Value) (ir.Column, error) {
	rows := m.Rows(v.Type.Domain)
	column, err := m.room(v.Type.Kind, rows)
	if err != nil || rows == 0 {
		return column, err
	}
	p := m.of(v)
	if p == nil || slices.Contains(relations, p.kind) {
		p = m.byUse(v)
	}
	name := fnv.New64a()
	name.Write([]byte(v.Name))
	o := generate.IntsOptions{Rows: rows, Names: []string{"x"}, Kind: integerOf(v.Type.Kind), Distribution: p.kind, Min: p.min, Max: p.max,
		Values: p.values, S: p.s, Sorted: p.sorted, Seed: m.Seed ^ name.Sum64()}
	if p.kind == generate.Repeated {
		o.MeanRun = min(p.meanRun, rows)
	}
	if p.max == nil && p.values == 0 && (p.kind == generate.Uniform || p.kind == generate.Zipf) {
		o.Values = usualValues(v.Type.Kind)
	}
	g, err := generate.Ints(o)
	if err != nil {
		return column, err
	}
	at := int64(0)
	err = g.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		convert(column, at, batch[0])
		n := int64(batch[0].Len())
		at += n
		m.tell(n)
		return nil
	})
	return column, err
}

// usualValues is how many values a column has of which nothing is said.
func usualValues(k ir.Kind) int64 {
	switch {
	case k == ir.Bool:
		return 2
	case k == ir.Date:
		return 2557 // days of seven years
	case k == ir.Char8:
		return 26 * 26
	case k.Size() == 1:
		return 100
	case k.IsFloat(), k.IsDecimal():
		return 100_000
	}
	return 1000
}

// integerOf is the integer type whose numbers stand for values of a kind.
func integerOf(k ir.Kind) ir.Kind {
	switch {
	case k.IsInteger():
		return k
	case k == ir.Bool:
		return ir.U8
	case k == ir.Char8:
		return ir.U64
	case k.Size() == 4:
		return ir.I32
	}
	return ir.I64
}

// view returns the elements of a column.
func view[T any](c ir.Column) []T {
	data := raw.Bytes(c)
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(zero)))
}

// convert stores what a batch of whole numbers stands for, from row at on.
func convert(into ir.Column, at int64, batch ir.Column) {
	switch k := into.Kind; {
	case k == ir.F32:
		out := view[float32](into)[at:]
		for i, x := range view[int32](batch) {
			out[i] = float32(x) / 64 // sums of not too many are exact
		}
	case k == ir.F64:
		out := view[float64](into)[at:]
		for i, x := range view[int64](batch) {
			out[i] = float64(x) / 64
		}
	case k == ir.Bool:
		out := view[uint8](into)[at:]
		for i, x := range view[uint8](batch) {
			out[i] = x & 1
		}
	case k == ir.Date:
		const day1992 = 8035
		out := view[int32](into)[at:]
		for i, x := range view[int32](batch) {
			out[i] = x + day1992
		}
	case k == ir.Timestamp:
		const day2024, second = 19723 * 86400, 1_000_000
		out := view[int64](into)[at:]
		for i, x := range view[int64](batch) {
			out[i] = (day2024 + x) * second
		}
	case k == ir.Char8:
		for i, x := range view[uint64](batch) {
			var letters []byte
			for ; x > 0 || len(letters) == 0; x /= 26 {
				letters = append(letters, 'a'+byte(x%26))
			}
			slices.Reverse(letters)
			into.Set(int(at)+i, ir.Char8Scalar(string(letters[:min(len(letters), 8)])))
		}
	default:
		copy(raw.Bytes(into)[at*int64(k.Size()):], raw.Bytes(batch))
	}
}
