package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// answer is the result of SQL for a pipeline.
type answer struct {
	columns []ir.Column // one per result, in order
	fails   bool        // whether a check fails; the columns are of no use then
}

// session is a database in memory with the tables of one pipeline.
type session struct {
	pipeline  *ir.Pipeline
	query     *query
	connector *duckdb.Connector
	conn      driver.Conn
	inputs    []input
}

// input is a table of parameters.
type input struct {
	name   string
	params []int
}

// openSession makes a database with empty tables of p's domains.
func openSession(p *ir.Pipeline, q *query) (s *session, err error) {
	s = &session{pipeline: p, query: q, inputs: inputs(p)}
	if s.connector, err = duckdb.NewConnector("", nil); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.conn, err = s.connector.Connect(context.Background()); err != nil {
		return nil, err
	}
	return s, errors.Join(s.exec("SET threads TO 1"), s.createTables())
}

// prepare makes the views of the query, and checks the names of its tables.
func (s *session) prepare() error {
	for _, v := range s.query.views {
		if err := s.exec("CREATE TEMP VIEW " + quote(v.name) + " AS " + v.text); err != nil {
			return fmt.Errorf("view %s: %w", v.name, err)
		}
	}
	names := func(sections []section) (list []string) {
		for _, s := range sections {
			list = append(list, s.name)
		}
		return list
	}
	want, _ := table.ResultNames(s.pipeline)
	if got := names(s.query.tables); !slices.Equal(got, want) {
		return fmt.Errorf("its tables are %v, those of the pipeline %v", got, want)
	}
	return nil
}

func (s *session) close() {
	if s.conn != nil {
		s.conn.Close()
	}
	s.connector.Close()
}

// inputs returns the tables of p's parameters: one per domain, then scalars.
func inputs(p *ir.Pipeline) (list []input) {
	var scalars input
	position := map[*ir.Domain]int{}
	for i, v := range p.Params {
		if v.Type.IsScalar() {
			scalars = input{table.ScalarsName, append(scalars.params, i)}
			continue
		}
		at, known := position[v.Type.Domain]
		if !known {
			at = len(list)
			position[v.Type.Domain] = at
			list = append(list, input{name: v.Type.Domain.String()})
		}
		list[at].params = append(list[at].params, i)
	}
	if scalars.params != nil {
		list = append(list, scalars)
	}
	return list
}

func emptyResults(p *ir.Pipeline) []ir.Column {
	columns := make([]ir.Column, len(p.Results))
	for i, r := range p.Results {
		columns[i] = ir.NewColumn(r.Value.Type.Kind, 0)
	}
	return columns
}

var sqlTypes = map[ir.Kind]string{
	ir.Bool: "BOOLEAN", ir.I8: "TINYINT", ir.I16: "SMALLINT", ir.I32: "INTEGER", ir.I64: "BIGINT",
	ir.U8: "UTINYINT", ir.U16: "USMALLINT", ir.U32: "UINTEGER", ir.U64: "UBIGINT",
	ir.F32: "FLOAT", ir.F64: "DOUBLE", ir.Date: "DATE", ir.Timestamp: "TIMESTAMP", ir.Text: "INTEGER", ir.Char8: "BLOB",
}

// sqlType returns the type of columns of kind k. That of decimals has as many digits as
// there are, so that sums and products do not overflow.
func sqlType(k ir.Kind) string {
	if k.IsDecimal() {
		return fmt.Sprintf("DECIMAL(%d, %d)", maxPrecision, k.Scale())
	}
	return sqlTypes[k]
}

const maxPrecision = 38

func (s *session) createTables() error {
	for _, in := range s.inputs {
		var columns strings.Builder
		for _, i := range in.params {
			v := s.pipeline.Params[i]
			fmt.Fprintf(&columns, "%s %s, ", quote(v.Name), sqlType(v.Type.Kind))
		}
		if err := s.exec("CREATE TABLE " + quote(in.name) + " (" + columns.String() + "row BIGINT)"); err != nil {
			return err
		}
	}
	return nil
}

// load replaces the rows of all tables, or of the scalars only.
func (s *session) load(columns []ir.Column, domains bool) error {
	for _, in := range s.inputs {
		if !domains && in.name != table.ScalarsName {
			continue
		}
		if err := s.exec("TRUNCATE " + quote(in.name)); err != nil {
			return err
		}
		appender, err := duckdb.NewAppender(s.conn, "", "", in.name)
		if err != nil {
			return err
		}
		part := make([]ir.Column, len(in.params))
		for at, i := range in.params {
			part[at] = given(s.pipeline.Params[i], columns[i])
		}
		cells := make([]driver.Value, len(part)+1)
		for row := range part[0].Len() {
			for at, c := range part {
				cells[at] = toSQL(c.At(row))
			}
			cells[len(part)] = int64(row)
			if err := appender.AppendRow(cells...); err != nil {
				return errors.Join(err, appender.Close())
			}
		}
		if err := appender.Close(); err != nil {
			return err
		}
	}
	return nil
}

// given returns c, or the default of v if c has no data.
func given(v *ir.Value, c ir.Column) ir.Column {
	if c.Slice == nil {
		c = ir.NewColumn(v.Type.Kind, 1)
		c.Set(0, v.Const)
	}
	return c
}

// run runs the queries over the current tables. Each query is planned again:
// plans rely on the smallest and largest value of a column, and a prepared
// statement keeps the values from the time it was made.
func (s *session) run() (a answer, err error) {
	if s.query.fails != "" {
		fails := ir.NewColumn(ir.Bool, 0)
		null, err := s.fetch(s.query.fails, []*ir.Column{&fails}, nil)
		if err != nil {
			return a, fmt.Errorf("whether it fails: %w", err)
		}
		if null || fails.Len() != 1 {
			return a, errors.New("whether it fails is neither true nor false")
		}
		a.fails = fails.At(0).IsTrue()
	}
	a.columns = emptyResults(s.pipeline)
	_, member := table.ResultNames(s.pipeline)
	for t, section := range s.query.tables {
		var columns []*ir.Column
		var labels []string
		for i, at := range member {
			if at == t {
				columns = append(columns, &a.columns[i])
				labels = append(labels, s.pipeline.Results[i].Label)
			}
		}
		null, err := s.fetch(section.text, columns, labels)
		if err != nil {
			return a, fmt.Errorf("table %s: %w", section.name, err)
		}
		a.fails = a.fails || null
	}
	return a, nil
}

func (s *session) exec(text string) error {
	_, err := s.conn.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return err
}

// fetch appends the rows of a query to columns, NULL as zero, and reports
// whether there was a NULL. The labels, where given, must be the query's.
func (s *session) fetch(text string, columns []*ir.Column, labels []string) (null bool, err error) {
	rows, err := s.conn.(driver.QueryerContext).QueryContext(context.Background(), text, nil)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if got := rows.Columns(); len(got) != len(columns) || labels != nil && !slices.Equal(got, labels) {
		return false, fmt.Errorf("its columns are %v, those of the pipeline %v", got, labels)
	}
	cells := make([]driver.Value, len(columns))
	data := make([][]ir.Scalar, len(columns))
	for {
		err := rows.Next(cells)
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
		for i, cell := range cells {
			v, err := fromSQL(columns[i].Kind, cell)
			if err != nil {
				return false, fmt.Errorf("column %s: %w", rows.Columns()[i], err)
			}
			null = null || cell == nil
			data[i] = append(data[i], v)
		}
	}
	for i, scalars := range data {
		*columns[i] = ir.NewColumn(columns[i].Kind, len(scalars))
		for row, v := range scalars {
			columns[i].Set(row, v)
		}
	}
	return null, nil
}

const daySeconds = 24 * 60 * 60

// toSQL returns v as the driver takes it.
func toSQL(v ir.Scalar) driver.Value {
	switch v.Kind {
	case ir.Bool:
		return v.IsTrue()
	case ir.U8, ir.U16, ir.U32, ir.U64:
		return v.Bits
	case ir.F32:
		return float32(v.Float64())
	case ir.F64:
		return v.Float64()
	case ir.Date:
		return time.Unix(v.Int64()*daySeconds, 0).UTC()
	case ir.Timestamp:
		return time.UnixMicro(v.Int64()).UTC()
	case ir.Char8:
		b := v.Bytes()
		return []byte(strings.TrimRight(string(b[:]), "\x00"))
	}
	if v.Kind.IsDecimal() {
		return duckdb.Decimal{Width: maxPrecision, Scale: uint8(v.Kind.Scale()), Value: big.NewInt(v.Int64())}
	}
	return v.Int64()
}

// fromSQL returns a cell as a scalar of kind k. Integers of any width give
// their low bits.
func fromSQL(k ir.Kind, cell driver.Value) (ir.Scalar, error) {
	switch c := cell.(type) {
	case nil:
		return ir.Scalar{Kind: k}, nil
	case bool:
		if k == ir.Bool {
			return ir.BoolScalar(c), nil
		}
	case int8:
		return integer(k, int64(c))
	case int16:
		return integer(k, int64(c))
	case int32:
		return integer(k, int64(c))
	case int64:
		return integer(k, c)
	case uint8:
		return integer(k, int64(c))
	case uint16:
		return integer(k, int64(c))
	case uint32:
		return integer(k, int64(c))
	case uint64:
		return integer(k, int64(c))
	case *big.Int:
		return integer(k, low64(c))
	case duckdb.Decimal:
		if k.IsDecimal() && int(c.Scale) == k.Scale() {
			return ir.Int(k, low64(c.Value)), nil
		}
	case float32:
		if k == ir.F32 {
			return ir.Float(k, float64(c)), nil
		}
	case float64:
		if k == ir.F64 {
			return ir.Float(k, c), nil
		}
	case time.Time:
		if k == ir.Date {
			return ir.Int(k, c.Unix()/daySeconds), nil
		}
		if k == ir.Timestamp {
			return ir.Int(k, c.UnixMicro()), nil
		}
	case []byte:
		return char8(k, string(c))
	case string:
		return char8(k, c)
	}
	return ir.Scalar{}, fmt.Errorf("DuckDB gives a %T where the pipeline has a %s", cell, k)
}

// low64 returns the low bits in two's complement.
func low64(i *big.Int) int64 {
	return int64(new(big.Int).And(i, new(big.Int).SetUint64(1<<64-1)).Uint64())
}

func integer(k ir.Kind, i int64) (ir.Scalar, error) {
	if !k.IsInteger() && k != ir.Text {
		return ir.Scalar{}, fmt.Errorf("DuckDB gives an integer where the pipeline has a %s", k)
	}
	return ir.Int(k, i), nil
}

func char8(k ir.Kind, s string) (ir.Scalar, error) {
	if k != ir.Char8 || len(s) > 8 {
		return ir.Scalar{}, fmt.Errorf("DuckDB gives the text %q where the pipeline has a %s", s, k)
	}
	return ir.Char8Scalar(s), nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
