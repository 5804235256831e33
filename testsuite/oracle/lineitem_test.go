package oracle

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// onLineitem are pipelines that make sense over TPC-H's lineitem, with the
// columns of parameters whose names differ.
var onLineitem = []struct {
	query, pipeline, bind, set string
	decimals                   bool // those of the file
}{
	{query: "examples/orders", pipeline: "../../examples/tpch/orders.kg"},
	{query: "examples/q6", pipeline: "../../examples/tpch/q6.kg"},
	{query: "examples/q6", pipeline: "../../examples/tpch/q6.kg", set: "from=1995-01-01 to=1996-01-01"},
	{query: "examples/q6", pipeline: "../../examples/tpch/q6.kg", decimals: true},
	{query: "examples/revenue", pipeline: "../../examples/tpch/revenue.kg", decimals: true},
	{query: "examples/revenue", pipeline: "../../examples/tpch/revenue.kg", decimals: true, set: "from=1995-01-01 to=1997-01-01 low=0.03 high=.08 most=40"},
	{query: "decimal_revenue", decimals: true},
	{query: "tpch_q1", bind: "flag=l_returnflag status=l_linestatus qty=l_quantity price=l_extendedprice disc=l_discount tax=l_tax ship=l_shipdate"},
	{query: "tpch_q6", bind: "shipdate=l_shipdate discount=l_discount quantity=l_quantity price=l_extendedprice"},
	{query: "aggregates_by_bins", bind: "month=l_linenumber sales=l_quantity"},
	{query: "date_arithmetic", bind: "ordered=l_commitdate shipped=l_receiptdate"},
	{query: "date_bins", bind: "day=l_shipdate"},
	{query: "distinct_pairs", bind: "a=l_suppkey b=l_quantity"},
	{query: "extremes_by_group", bind: "k=l_suppkey x=l_partkey name=l_linestatus"},
	{query: "gaps_and_islands", bind: "day=l_orderkey"},
	{query: "group_having", bind: "k=l_partkey v=l_quantity"},
	{query: "order_three_keys", bind: "x=l_extendedprice s=l_returnflag d=l_shipdate"},
	{query: "scan_by_runs", bind: "account=l_orderkey amount=l_quantity"},
	{query: "sessions_sorted", bind: "user=l_suppkey ts=l_orderkey"},
	{query: "string_filter", bind: "name=l_returnflag v=l_linenumber"},
	{query: "top_k", bind: "score=l_partkey id=l_orderkey", set: "k=1000"},
	{query: "unordered_groups", bind: "k=l_partkey x=l_quantity"},
}

// Pipelines over lineitem agree with DuckDB. kgen writes the file, and each
// reads it with its own reader.
func TestLineitem(t *testing.T) {
	scale := 0.1
	if testing.Short() {
		scale = 0.01
	}
	folder := t.TempDir()
	floats, decimals := filepath.Join(folder, "lineitem.parquet"), filepath.Join(folder, "decimals.parquet")
	rows := writeLineitem(t, floats, scale, func(g generate.Generator) generate.Generator { return g })
	writeLineitem(t, decimals, scale, generate.WithDecimals)
	for _, c := range onLineitem {
		name, path := c.query+" "+c.set, floats
		if c.decimals {
			name, path = name+" of decimals", decimals
		}
		t.Run(name, func(t *testing.T) {
			source := c.pipeline
			if source == "" {
				source = filepath.Join(corpus, c.query+".kg")
			}
			pipelines, err := ir.LoadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			p := pipelines[0]
			binding, err := table.Bind(p, table.Flags{In: []string{path}, Bind: strings.Fields(c.bind), Set: strings.Fields(c.set)})
			if err != nil {
				t.Fatal(err)
			}
			in, err := binding.Read(table.NewSource(context.Background(), nil))
			if err != nil {
				t.Fatal(err)
			}
			q, err := loadQuery(queryPath(c.query))
			if err != nil {
				t.Fatal(err)
			}
			s, err := openSession(p, q)
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			if err := s.loadFile(path, c.bind, in); err != nil {
				t.Fatal(err)
			}
			emitted, err := buildGo(pipelines)
			if err != nil {
				t.Fatal(err)
			}
			defer emitted.close()
			if err := s.prepare(); err != nil {
				t.Fatal(err)
			}
			want, err := s.run()
			if err != nil {
				t.Fatal(err)
			}
			for _, device := range devices(p, emitted) {
				got, err := device.run(in)
				if difference := differ(p, want, got, err, rows); difference != "" {
					t.Errorf("%s and DuckDB differ on %d rows of lineitem; repeat by go test -count=1 -run '^%s$' . -seed=%d:\n%s",
						device.name, rows, strings.ReplaceAll(t.Name(), "/", "$/^"), *seedFlag, difference)
				}
			}
		})
	}
}

// writeLineitem makes lineitem at a scale and returns its rows.
func writeLineitem(t *testing.T, path string, scale float64, with func(generate.Generator) generate.Generator) (rows int) {
	t.Helper()
	lineitem, err := generate.Lineitem(scale, *seedFlag)
	if err != nil {
		t.Fatal(err)
	}
	return writeRelation(t, path, with(lineitem))
}

// writeRelation writes a file and returns its rows.
func writeRelation(t testing.TB, path string, relation generate.Generator) (rows int) {
	t.Helper()
	ctx := context.Background()
	stage := table.NewStage(ctx, nil)
	defer stage.Abort()
	w, err := stage.NewWriter(path, generate.Fields(relation))
	if err != nil {
		t.Fatal(err)
	}
	err = relation.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		rows += batch[0].Len()
		return w.Write(batch)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := stage.Commit(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// loadFile lets DuckDB read the columns of the only domain from a Parquet file;
// scalars come from in.
func (s *session) loadFile(path, bind string, in []ir.Column) error {
	if err := s.load(in, false); err != nil {
		return err
	}
	var columns strings.Builder
	for _, i := range s.inputs[0].params {
		v := s.pipeline.Params[i]
		column := v.Name
		for _, b := range strings.Fields(bind) {
			if param, from, _ := strings.Cut(b, "="); param == v.Name {
				column = from
			}
		}
		fmt.Fprintf(&columns, "%s::%s AS %s, ", quote(column), sqlType(v.Type.Kind), quote(v.Name))
	}
	return s.exec(fmt.Sprintf("INSERT INTO %s SELECT %s file_row_number FROM read_parquet('%s', file_row_number = true)",
		quote(s.inputs[0].name), columns.String(), path))
}
