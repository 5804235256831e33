package shrink

import (
	"github.com/kgen-go/kgen/ir"
)

// Columns returns the columns of p for a program with fewer parameters.
func Columns(from *ir.Pipeline, in []ir.Column, to *ir.Pipeline) []ir.Column {
	var out []ir.Column
	for _, v := range to.Params {
		for i, w := range from.Params {
			if w.Name == v.Name {
				out = append(out, in[i])
			}
		}
	}
	return out
}

// Data returns the simplest data for p that still fails: no row can be omitted,
// and no further value can be zero. It tests at most limit times.
func Data(p *ir.Pipeline, in []ir.Column, limit int, fails func([]ir.Column) bool) []ir.Column {
	d := &data{p: p, in: in, left: limit, fails: fails}
	for before := -1; d.left > 0 && before != d.weight(); {
		before = d.weight()
		for _, domain := range d.domains() {
			d.rows(domain)
		}
		d.values()
	}
	return d.in
}

// data is data that is being simplified.
type data struct {
	p     *ir.Pipeline
	in    []ir.Column
	left  int
	fails func([]ir.Column) bool
}

// weight decreases with each step.
func (d *data) weight() (n int) {
	for _, c := range d.in {
		n += 2 * c.Len()
		for row := range c.Len() {
			if c.At(row).Bits != 0 {
				n++
			}
		}
	}
	return n
}

// domains lists the domains of parameters.
func (d *data) domains() (list []*ir.Domain) {
	seen := map[*ir.Domain]bool{nil: true}
	for _, v := range d.p.Params {
		if !seen[v.Type.Domain] {
			seen[v.Type.Domain] = true
			list = append(list, v.Type.Domain)
		}
	}
	return list
}

// try keeps data that still fails.
func (d *data) try(in []ir.Column) bool {
	if d.left <= 0 {
		return false
	}
	d.left--
	if !d.fails(in) {
		return false
	}
	d.in = in
	return true
}

// rows omits rows of a domain: halves, then quarters, down to single ones.
func (d *data) rows(domain *ir.Domain) {
	length := func() int {
		for i, v := range d.p.Params {
			if v.Type.Domain == domain {
				return d.in[i].Len()
			}
		}
		return 0
	}
	for size := max(length(), 1); size >= 1; size /= 2 {
		for end := length(); end > 0; end -= size {
			begin := max(end-size, 0)
			in := append([]ir.Column(nil), d.in...)
			for i, v := range d.p.Params {
				if v.Type.Domain == domain {
					in[i] = without(in[i], begin, end)
				}
			}
			d.try(in)
			end = min(end, length()+size)
		}
	}
}

// without returns a column without some rows.
func without(c ir.Column, begin, end int) ir.Column {
	out := ir.NewColumn(c.Kind, c.Len()-(end-begin))
	for row := range out.Len() {
		from := row
		if row >= begin {
			from += end - begin
		}
		out.Set(row, c.At(from))
	}
	return out
}

// manyRows is the number of rows from which values change a column at a time.
const manyRows = 64

// values makes values zero: all of a column, then one by one.
func (d *data) values() {
	for i, c := range d.in {
		if isZero(c) {
			continue
		}
		zero := ir.NewColumn(c.Kind, c.Len())
		if d.try(d.with(i, zero)) || c.Len() > manyRows {
			continue
		}
		for row := range c.Len() {
			if d.in[i].At(row).Bits == 0 {
				continue
			}
			changed := without(d.in[i], 0, 0)
			changed.Set(row, ir.Scalar{Kind: c.Kind})
			if d.try(d.with(i, changed)) {
				continue
			}
			if one := (ir.Scalar{Kind: c.Kind, Bits: 1}); !c.Kind.IsFloat() && d.in[i].At(row) != one && c.Kind != ir.Char8 {
				changed = without(d.in[i], 0, 0)
				changed.Set(row, one)
				d.try(d.with(i, changed))
			}
		}
	}
}

func (d *data) with(i int, c ir.Column) []ir.Column {
	in := append([]ir.Column(nil), d.in...)
	in[i] = c
	return in
}

func isZero(c ir.Column) bool {
	for row := range c.Len() {
		if c.At(row).Bits != 0 {
			return false
		}
	}
	return true
}
