package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// relation is a table of a database, and the domain that pipelines have for it.
type relation struct {
	name, domain string
	generator    generate.Generator
}

// openTables writes relations to files, by domain, and opens a database that has them as views or tables.
func openTables(t testing.TB, relations []relation, kind string) (database driver.Conn, files map[string]string) {
	t.Helper()
	folder := t.TempDir()
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connector.Close() })
	if database, err = connector.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	files = map[string]string{}
	for _, r := range relations {
		path := filepath.Join(folder, r.name+".parquet")
		writeRelation(t, path, r.generator)
		execute(t, database, fmt.Sprintf(`CREATE %s "%s" AS SELECT * FROM read_parquet('%s')`, kind, r.name, path))
		files[r.domain] = path
	}
	return database, files
}

func execute(t testing.TB, database driver.Conn, text string) {
	t.Helper()
	if _, err := database.(driver.ExecerContext).ExecContext(t.Context(), text, nil); err != nil {
		t.Fatal(err)
	}
}

// agreeOverTables requires that emitted Go gives for the pipelines of a file what DuckDB gives for SQL of the same names. kgen
// writes the tables, with texts as they are, and each reads them with its own reader. Scalars are those of the set.
func agreeOverTables(t *testing.T, source, queries string, relations []relation, set ...string) {
	database, files := openTables(t, relations, "VIEW")
	pipelines, err := ir.LoadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	emitted, err := buildGo(pipelines)
	if err != nil {
		t.Fatal(err)
	}
	defer emitted.close()
	for _, p := range pipelines {
		t.Run(p.Name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(queries, p.Name+".sql"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := sqlRows(t.Context(), database, string(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 1 && !testing.Short() {
				t.Error("no rows to compare")
			}
			in := readTables(t, p, files, set)
			for _, device := range devices(p, emitted)[1:] { // the interpreter is slow, and TestPapers has it
				results, err := device.run(in)
				if err != nil {
					t.Fatal(err)
				}
				ir.ShareTexts(results, in)
				if got := textRows(p, results); !sameRows(got, want) {
					t.Errorf("%s gives %d rows, DuckDB %d\n%s\n%s", device.name, len(got), len(want), firstDifference(got, want), firstDifference(want, got))
				}
			}
		})
	}
	paths, err := filepath.Glob(filepath.Join(queries, "*.sql"))
	if err != nil || len(paths) != len(pipelines) {
		t.Errorf("%d queries for %d pipelines; %v", len(paths), len(pipelines), err)
	}
}

// readTables reads the columns of a pipeline. Set has scalars as PIPELINE.NAME=VALUE.
func readTables(t testing.TB, p *ir.Pipeline, files map[string]string, set []string) []ir.Column {
	t.Helper()
	var flags table.Flags
	given := map[string]bool{}
	for _, v := range p.Params {
		if v.Type.IsScalar() {
			continue
		}
		if domain := v.Type.Domain.String(); !given[domain] {
			given[domain] = true
			flags.In = append(flags.In, domain+"="+files[domain])
		}
	}
	for _, text := range set {
		if value, ok := strings.CutPrefix(text, p.Name+"."); ok {
			flags.Set = append(flags.Set, value)
		}
	}
	binding, err := table.Bind(p, flags)
	if err != nil {
		t.Fatal(err)
	}
	in, err := binding.Read(table.NewSource(context.Background(), nil))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// sqlRows returns the cells of a query as text, behind the names of its columns.
func sqlRows(ctx context.Context, database driver.Conn, query string) ([][]string, error) {
	rows, err := database.(driver.QueryerContext).QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := [][]string{rows.Columns()}
	cells := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(cells); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		var texts []string
		for _, cell := range cells {
			switch c := cell.(type) {
			case time.Time:
				cell = c.Format(time.DateOnly)
			case duckdb.Decimal:
				cell = ir.Int(ir.DecimalOf(int(c.Scale)), c.Value.Int64())
			}
			texts = append(texts, fmt.Sprint(cell))
		}
		list = append(list, texts)
	}
}

// textRows does the same with the results of a pipeline.
func textRows(p *ir.Pipeline, results []ir.Column) [][]string {
	var labels []string
	for _, r := range p.Results {
		labels = append(labels, r.Label)
	}
	list := [][]string{labels}
	for row := range results[0].Len() {
		var texts []string
		for _, c := range results {
			switch v := c.At(row); {
			case c.Kind == ir.Text:
				texts = append(texts, c.Texts[v.Int64()])
			case c.Kind == ir.Date:
				texts = append(texts, time.Unix(v.Int64()*daySeconds, 0).UTC().Format(time.DateOnly))
			case c.Kind.IsFloat():
				texts = append(texts, fmt.Sprint(v.Float64()))
			case c.Kind.IsInteger():
				texts = append(texts, fmt.Sprint(v.Int64()))
			default: // a decimal
				texts = append(texts, fmt.Sprint(v))
			}
		}
		list = append(list, texts)
	}
	return list
}

// sameRows compares cells as text, and floats, which have a point in both, to a billionth.
func sameRows(got, want [][]string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !sameRow(got[i], want[i]) {
			return false
		}
	}
	return true
}

func sameRow(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		x, errX := strconv.ParseFloat(got[i], 64)
		y, errY := strconv.ParseFloat(want[i], 64)
		isFloat := len(got[i]) > 16 || len(want[i]) > 16 // the others are decimals, which are exact
		if got[i] != want[i] && !(errX == nil && errY == nil && isFloat && math.Abs(x-y) <= 1e-9*math.Abs(y)) {
			return false
		}
	}
	return true
}

// firstDifference returns the first row that the other list does not have in its place.
func firstDifference(list, other [][]string) string {
	for i, row := range list {
		if i >= len(other) || !sameRow(other[i], row) {
			return fmt.Sprintf("row %d: %s", i, strings.Join(row, ","))
		}
	}
	return "its first rows are the same"
}
