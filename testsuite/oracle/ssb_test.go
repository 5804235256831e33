package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// The 13 queries of the Star Schema Benchmark give in emitted Go what DuckDB gives for the benchmark's SQL. kgen writes the
// files, with texts as they are, and each reads them with its own reader.
func TestStarSchema(t *testing.T) {
	scale := 0.5 // every query has rows
	if testing.Short() {
		scale = 0.02
	}
	star, err := generate.NewSSB(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connector.Close()
	database, err := connector.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	files := map[string]string{}
	for name, relation := range map[string]generate.Generator{
		"lineorder": star.LineOrder, "date": star.Date, "customer": star.Customer, "supplier": star.Supplier, "part": star.Part,
	} {
		path := filepath.Join(folder, name+".parquet")
		writeRelation(t, path, relation)
		view := fmt.Sprintf(`CREATE VIEW "%s" AS SELECT * FROM read_parquet('%s')`, name, path)
		if _, err := database.(driver.ExecerContext).ExecContext(t.Context(), view, nil); err != nil {
			t.Fatal(err)
		}
		files[name[:1]] = path // the domains of the pipelines
	}
	pipelines, err := ir.LoadFile("../../examples/papers/ssb/ssb.kg")
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
			text, err := os.ReadFile(filepath.Join("queries/ssb", p.Name+".sql"))
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
			in := readStar(t, p, files)
			for _, device := range devices(p, emitted)[1:] { // TestPapers has the interpreter
				results, err := device.run(in)
				if err != nil {
					t.Fatal(err)
				}
				ir.ShareTexts(results, in)
				if got := textRows(p, results); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%s gives %d rows, DuckDB %d\n%s\n%s", device.name, len(got), len(want), firstDifference(got, want), firstDifference(want, got))
				}
			}
		})
	}
	queries, err := filepath.Glob("queries/ssb/*.sql")
	if err != nil || len(queries) != 13 || len(pipelines) != 13 {
		t.Errorf("%d queries and %d pipelines, not 13; %v", len(queries), len(pipelines), err)
	}
}

// readStar reads the columns of a pipeline, whose domains are the first letters of the tables.
func readStar(t *testing.T, p *ir.Pipeline, files map[string]string) []ir.Column {
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

// sqlRows returns the rows of a query as text, behind the names of its columns.
func sqlRows(ctx context.Context, database driver.Conn, query string) ([]string, error) {
	rows, err := database.(driver.QueryerContext).QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []string{strings.Join(rows.Columns(), ",")}
	cells := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(cells); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, joined(cells))
	}
}

// textRows does the same with the results of a pipeline.
func textRows(p *ir.Pipeline, results []ir.Column) []string {
	var labels []string
	for _, r := range p.Results {
		labels = append(labels, r.Label)
	}
	list := []string{strings.Join(labels, ",")}
	for row := range results[0].Len() {
		cells := make([]driver.Value, len(results))
		for i, c := range results {
			cells[i] = c.At(row).Int64()
			if c.Kind == ir.Text {
				cells[i] = c.Texts[c.At(row).Int64()]
			}
		}
		list = append(list, joined(cells))
	}
	return list
}

func joined(cells []driver.Value) string {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
	}
	return strings.Join(texts, ",")
}

// firstDifference returns the first row that the other list does not have in its place.
func firstDifference(list, other []string) string {
	for i, row := range list {
		if i >= len(other) || other[i] != row {
			return fmt.Sprintf("row %d: %s", i, row)
		}
	}
	return "its first rows are the same"
}
