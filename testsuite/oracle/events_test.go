package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// onEvents is the SQL for the pipelines of examples/events/shop.kg. DuckDB reads the file
// itself.
var onEvents = map[string]string{
	"sessions": `WITH e AS (SELECT *, row_number() OVER () AS row FROM shop),
		h AS (SELECT *, coalesce(epoch_us(time) - epoch_us(lag(time) OVER w) > 1800000000, true) AS head FROM e WINDOW w AS (PARTITION BY visitor ORDER BY time, row)),
		s AS (SELECT *, sum(head::INTEGER) OVER (PARTITION BY visitor ORDER BY time, row) AS session FROM h)
		SELECT visitor, replace(strftime(min(time), '%Y-%m-%dT%H:%M:%S.%g'), '.000', '') || 'Z',
			(epoch_us(max(time)) - epoch_us(min(time))) // 1000000, count(*), coalesce(sum(amount), 0)::BIGINT
		FROM s GROUP BY visitor, session ORDER BY visitor, min(time)`,
	"products": `SELECT product, coalesce(sum(amount), 0)::BIGINT AS revenue, count(amount), count(*) - count(amount)
		FROM shop GROUP BY product ORDER BY revenue DESC, product LIMIT 10`,
	"months": `SELECT strftime(date_trunc('month', time), '%Y-%m-%d') AS month, coalesce(sum(amount), 0)::BIGINT FROM shop GROUP BY month ORDER BY month`,
}

// The questions of docs/events.md have the answers of DuckDB.
func TestEvents(t *testing.T) {
	const file = "../../examples/events/shop.csv"
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE shop AS SELECT time::TIMESTAMP AS time, visitor, product, amount FROM read_csv('" + file + "')"); err != nil {
		t.Fatal(err)
	}
	pipelines, err := ir.LoadFile("../../examples/events/shop.kg")
	if err != nil {
		t.Fatal(err)
	}
	emitted, err := buildGo(pipelines)
	if err != nil {
		t.Fatal(err)
	}
	defer emitted.close()
	for _, p := range pipelines {
		binding, err := table.Bind(p, table.Flags{In: []string{file}})
		if err != nil {
			t.Fatal(err)
		}
		in, err := binding.Read(table.NewSource(context.Background(), nil))
		if err != nil {
			t.Fatal(err)
		}
		want := queryRows(t, db, onEvents[p.Name])
		for _, device := range devices(p, emitted) {
			got, err := device.run(in)
			if err != nil {
				t.Fatal(err)
			}
			ir.ShareTexts(got, in)
			var rows []string
			for row := range got[0].Len() {
				var cells []string
				for _, c := range got {
					cells = append(cells, string(table.AppendRow(nil, c, row)))
				}
				rows = append(rows, strings.Join(cells, "|"))
			}
			if d := cmp.Diff(want, rows); d != "" || len(want) == 0 {
				t.Errorf("%s on %s: %d rows; -DuckDB +kgen: %s", p.Name, device.name, len(want), d)
			}
		}
	}
}

// DuckDB reads the log that kgen data makes, with what its rows lack, and counts alike.
func TestGeneratedEvents(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = 200_000
	events, err := generate.Events(rows, 900, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, extension := range []string{"parquet", "csv"} {
		path := filepath.Join(t.TempDir(), "events."+extension)
		if n := writeRelation(t, path, events); n != rows {
			t.Fatalf("%d rows are written", n)
		}
		binding, err := table.Bind(generatedEvents(t), table.Flags{In: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		in, err := binding.Read(table.NewSource(context.Background(), nil))
		if err != nil {
			t.Fatal(err)
		}
		paid, amounts := 0, int64(0)
		for row := range rows {
			if in[1].At(row) == ir.BoolScalar(true) {
				paid++
				amounts += in[0].At(row).Int64()
			}
		}
		got := queryRows(t, db, fmt.Sprintf("SELECT count(*), count(amount), sum(amount)::BIGINT, count(*) FILTER (page = 'pay') FROM '%s'", path))
		if d := cmp.Diff([]string{fmt.Sprintf("%d|%d|%d|%[2]d", rows, paid, amounts)}, got); d != "" || paid == 0 || paid == rows {
			t.Errorf("%s: -kgen +DuckDB: %s", extension, d)
		}
	}
}

func generatedEvents(t *testing.T) *ir.Pipeline {
	t.Helper()
	p, err := ir.Load("events.kg", []byte("pipeline events(amount: [n]i64 missing 0, paid: [n]bool present amount) { return amount, paid }"))
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

// queryRows returns the rows of a query, as text.
func queryRows(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	cells, places := make([]string, len(names)), make([]any, len(names))
	for i := range cells {
		places[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.Join(cells, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
