package table

import (
	"go/token"

	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
)

// Named is a column with its name.
type Named struct {
	Name string
	Data ir.Column
}

// Table is the results of one domain.
type Table struct {
	Name    string // of the domain; ScalarsName for the scalars
	Scalars bool   // the scalar results, as columns of one row
	Columns []Named
}

// ScalarsName is the name of the table of scalar results.
const ScalarsName = "scalars"

// Rows returns the number of rows.
func (t Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return t.Columns[0].Data.Len()
}

// Results groups the results of p into tables, one per domain in order of
// first use, the scalars last.
func Results(p *ir.Pipeline, values []ir.Column) []Table {
	names, member := ResultNames(p)
	tables := make([]Table, len(names))
	for i, name := range names {
		tables[i].Name = name
	}
	for i, r := range p.Results {
		t := &tables[member[i]]
		t.Scalars = r.Value.Type.IsScalar()
		t.Columns = append(t.Columns, Named{r.Label, values[i]})
	}
	return tables
}

// ResultNames returns the names of the tables that p returns, all different,
// and for each result the position of its table. A domain that no statement
// names is named after its first result.
func ResultNames(p *ir.Pipeline) (names []string, member []int) {
	var domains []*ir.Domain
	member = make([]int, len(p.Results))
	taken := naming.Taken{}
	place := func(d *ir.Domain, name string) int {
		for i, known := range domains {
			if known == d {
				return i
			}
		}
		domains, names = append(domains, d), append(names, taken.Fresh(name, ""))
		return len(names) - 1
	}
	for i, r := range p.Results {
		if d := r.Value.Type.Domain; d != nil {
			name := d.Name
			if !token.IsIdentifier(name) && !token.IsKeyword(name) {
				name = r.Label
			}
			member[i] = place(d, name)
		}
	}
	for i, r := range p.Results {
		if r.Value.Type.IsScalar() {
			member[i] = place(nil, ScalarsName)
		}
	}
	return names, member
}
