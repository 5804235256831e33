package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// query is a pipeline in SQL.
type query struct {
	name   string
	folds  []fold
	rows   int // at most; 0 for any number
	views  []section
	fails  string // a query for whether a check fails, beside NULL in a result
	tables []section
}

// section is a named SELECT.
type section struct{ name, text string }

// fold limits random data of a parameter: to a range, to some values, or to
// offsets into the rows of another parameter's domain.
type fold struct {
	param     string
	low, high int64
	values    []string
	of        string
}

// loadQuery reads a query file, whose form the package comment describes.
func loadQuery(path string) (*query, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	q := &query{name: strings.TrimSuffix(filepath.Base(path), ".sql")}
	var open *string
	line := 0
	for text := range strings.Lines(string(text)) {
		line++
		if comment, ok := strings.CutPrefix(text, "-- "); ok {
			next, err := q.directive(strings.Fields(comment))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, err)
			}
			if next != nil {
				open = next
			}
			continue
		}
		if open != nil {
			*open += text
		} else if strings.TrimSpace(text) != "" {
			return nil, fmt.Errorf("%s:%d: SQL before any line \"-- table NAME\"", path, line)
		}
	}
	return q, nil
}

// directive reads a comment line. It returns the destination of the SQL below
// it, or nil if the line begins no section.
func (q *query) directive(words []string) (*string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	args := words[1:]
	switch {
	case words[0] == "range" && len(args) == 3:
		low, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return nil, err
		}
		high, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return nil, err
		}
		q.folds = append(q.folds, fold{param: args[0], low: low, high: high})
	case words[0] == "choose" && len(args) > 1:
		q.folds = append(q.folds, fold{param: args[0], values: args[1:]})
	case words[0] == "offsets" && len(args) == 2:
		q.folds = append(q.folds, fold{param: args[0], of: args[1]})
	case words[0] == "rows" && len(args) == 1:
		rows, err := strconv.Atoi(args[0])
		if err != nil {
			return nil, err
		}
		q.rows = rows
	case words[0] == "fails" && len(args) == 0:
		return &q.fails, nil
	case words[0] == "view" && len(args) == 1:
		q.views = append(q.views, section{name: args[0]})
		return &q.views[len(q.views)-1].text, nil
	case words[0] == "table" && len(args) == 1:
		q.tables = append(q.tables, section{name: args[0]})
		return &q.tables[len(q.tables)-1].text, nil
	}
	return nil, nil
}

// apply limits the columns of p as the query requires, in place.
func (q *query) apply(p *ir.Pipeline, columns []ir.Column) error {
	position := map[string]int{}
	for i, v := range p.Params {
		position[v.Name] = i
	}
	for _, f := range q.folds {
		i, found := position[f.param]
		of, ofFound := position[f.of]
		if !found || f.of != "" && !ofFound {
			return fmt.Errorf("queries/%s.sql: the pipeline has no parameter %s %s", q.name, f.param, f.of)
		}
		var err error
		switch {
		case f.of != "":
			offsets(columns[i], columns[of].Len())
		case f.values != nil:
			err = choose(columns[i], f.values)
		default:
			wrap(columns[i], f.low, f.high)
		}
		if err != nil {
			return fmt.Errorf("queries/%s.sql: parameter %s: %w", q.name, f.param, err)
		}
	}
	return nil
}

// wrap folds the integers of c into low to high.
func wrap(c ir.Column, low, high int64) {
	size := high - low + 1
	for row := range c.Len() {
		c.Set(row, ir.Int(c.Kind, low+(c.At(row).Int64()%size+size)%size))
	}
}

// choose replaces the elements of c by some of the values, equal ones by equal
// ones.
func choose(c ir.Column, values []string) error {
	scalars := make([]ir.Scalar, len(values))
	for i, text := range values {
		v, err := table.ParseScalar(c.Kind, text)
		if err != nil {
			return err
		}
		scalars[i] = v
	}
	const golden = 0x9e3779b97f4a7c15 // Fibonacci hashing
	for row := range c.Len() {
		c.Set(row, scalars[c.At(row).Bits*golden>>32%uint64(len(scalars))])
	}
	return nil
}

// offsets makes c ascend from 0 to rows.
func offsets(c ir.Column, rows int) {
	wrap(c, 0, int64(rows))
	places := make([]int64, c.Len())
	for row := range places {
		places[row] = c.At(row).Int64()
	}
	slices.Sort(places)
	for row, place := range places {
		switch row {
		case len(places) - 1:
			place = int64(rows)
		case 0:
			place = 0
		}
		c.Set(row, ir.Int(c.Kind, place))
	}
}
