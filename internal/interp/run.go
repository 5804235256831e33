package interp

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/kgen-go/kgen/ir"
)

// Option is an option of Run.
type Option func(*options)

type options struct {
	rowLimit int
	shuffle  bool
	seed     uint64
}

// DefaultRowLimit is the default limit of the rows that bins, repeat and join
// may make: a column of that length takes 1 GiB here.
const DefaultRowLimit = 1 << 27

// RowLimit sets the limit, at least 0, of the rows that bins, repeat and join
// may make. Exceeding it is an ArgumentError instead of exhausted memory.
func RowLimit(rows int) Option { return func(o *options) { o.rowLimit = rows } }

// ShuffleUnordered permutes the rows of each result domain of a pipeline that
// returns unordered, as a device may. It shows whether a comparison sorts.
func ShuffleUnordered(seed uint64) Option {
	return func(o *options) { o.shuffle, o.seed = true, seed }
}

// Run evaluates p over in, one column per parameter in order: a scalar is a
// column of one row, and a Column with nil Slice takes the default. It returns
// one column per result in order, a scalar as one row.
//
// The error is an *ir.CheckError if data fails a check of p, and an
// *ArgumentError if p cannot take the input at all.
func Run(p *ir.Pipeline, in []ir.Column, opts ...Option) ([]ir.Column, error) {
	o := options{rowLimit: DefaultRowLimit}
	for _, option := range opts {
		option(&o)
	}
	m := &machine{
		pipeline: p,
		checks:   newChecks(p),
		rowLimit: o.rowLimit,
		columns:  make(map[*ir.Value]column, len(p.Values)),
		lengths:  make(map[*ir.Domain]int, len(p.Domains)),
	}
	if err := m.bind(p, in); err != nil {
		return nil, err
	}
	if err := m.evaluate(p); err != nil {
		return nil, err
	}
	if err := m.checks.err(); err != nil {
		return nil, err
	}
	orders := make(map[*ir.Domain][]int)
	out := make([]ir.Column, len(p.Results))
	for i, result := range p.Results {
		d := result.Value.Type.Domain
		if p.Unordered && o.shuffle && d != nil && orders[d] == nil {
			orders[d] = rand.New(rand.NewPCG(o.seed, uint64(d.ID))).Perm(m.length(d))
		}
		out[i] = m.columns[result.Value].toData(orders[d])
	}
	ir.ShareTexts(out, in)
	return out, nil
}

// bind checks the arguments and makes them the values of the parameters.
func (m *machine) bind(p *ir.Pipeline, in []ir.Column) error {
	if len(in) != len(p.Params) {
		return argumentError(p.Pos, "pipeline %s takes %d parameters, not %d", p.Name, len(p.Params), len(in))
	}
	first := make(map[*ir.Domain]*ir.Value) // the parameter that set a domain's length
	for i, v := range p.Params {
		data, d := in[i], v.Type.Domain
		if data.Slice == nil {
			if v.Const.Kind == ir.Invalid {
				return argumentError(v.Pos, "%s %s has no data", describe(v), v.Name)
			}
			m.columns[v] = scalarColumn(v.Const)
			continue
		}
		want := reflect.TypeOf(ir.NewColumn(v.Type.Kind, 0).Slice)
		if got := reflect.TypeOf(data.Slice); data.Kind != v.Type.Kind || got != want {
			return argumentError(v.Pos, "%s %s is %v, as %v; its data is %v, as %v", describe(v), v.Name, v.Type.Kind, want, data.Kind, got)
		}
		rows := data.Len()
		if d == nil && rows != 1 {
			return argumentError(v.Pos, "scalar %s takes 1 row, not %d", v.Name, rows)
		}
		if d != nil {
			if other := first[d]; other != nil && m.length(d) != rows {
				return argumentError(v.Pos, "column %s has %d rows and column %s, of the same domain %s, has %d",
					v.Name, rows, other.Name, d, m.length(d))
			}
			first[d] = v
			m.setLength(d, rows)
		}
		m.columns[v] = fromData(data, d == nil)
	}
	return nil
}

func describe(v *ir.Value) string {
	if v.Type.IsScalar() {
		return "scalar"
	}
	return "column"
}

// evaluate computes the values in order and drops each after its last use.
func (m *machine) evaluate(p *ir.Pipeline) error {
	last := make(map[*ir.Value]*ir.Value) // the value that uses it last
	for _, v := range p.Values {
		for _, operand := range v.Operands() {
			last[operand] = v
		}
	}
	for _, r := range p.Results {
		delete(last, r.Value)
	}
	for _, v := range p.Values {
		if v.Op != ir.OpParam {
			c, err := m.eval(v)
			if err != nil {
				if m.checks.failed != nil { // the size may come from a failed row
					return m.checks.failed
				}
				return err
			}
			m.columns[v] = c
			if v.Type.Domain != nil {
				m.setLength(v.Type.Domain, len(c.bits))
			}
		}
		for _, operand := range v.Operands() {
			if last[operand] == v {
				delete(m.columns, operand)
			}
		}
	}
	return nil
}

// machine holds the state of one run.
type machine struct {
	pipeline *ir.Pipeline
	checks   checks
	rowLimit int
	columns  map[*ir.Value]column
	lengths  map[*ir.Domain]int
}

// arg returns positional operand i of v.
func (m *machine) arg(v *ir.Value, i int) column { return m.columns[v.Args[i]] }

// length returns the number of rows of a domain, 1 for that of a scalar.
func (m *machine) length(d *ir.Domain) int {
	if d == nil {
		return 1
	}
	n, ok := m.lengths[d]
	if !ok {
		panic(fmt.Sprintf("interp: domain %s is used before it is made", d))
	}
	return n
}

func (m *machine) setLength(d *ir.Domain, n int) {
	if old, ok := m.lengths[d]; ok && old != n {
		panic(fmt.Sprintf("interp: domain %s has %d rows, not %d", d, old, n))
	}
	m.lengths[d] = n
}

// tooManyRows is the error of an operator whose result would exceed the limit.
func (m *machine) tooManyRows(v *ir.Value, operator string) error {
	err := argumentError(v.Pos, "%s would make more than %d rows, which is more than the interpreter takes", operator, m.rowLimit)
	err.TooManyRows = true
	return err
}
