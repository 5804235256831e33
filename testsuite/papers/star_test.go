package papers_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

const starScale = 0.01 // 60,000 lines

// starRow is a line of the Star Schema Benchmark with its day, customer, supplier and part.
type starRow struct {
	number map[string]int64
	text   map[string]string
}

// starQueries say which lines a query keeps, what it groups by, and what it adds up; byRevenue orders by year and revenue.
var starQueries = map[string]struct {
	keeps     func(r starRow) bool
	keys      string
	value     func(r starRow) int64
	results   string
	byRevenue bool
}{
	"q1_1": {func(r starRow) bool {
		return r.number["d_year"] == 1993 && r.discount(1, 3) && r.number["lo_quantity"] < 25
	}, "", discounted, "sum", false},
	"q1_2": {func(r starRow) bool {
		return r.number["d_yearmonthnum"] == 199401 && r.discount(4, 6) && r.between("lo_quantity", 26, 35)
	}, "", discounted, "sum", false},
	"q1_3": {func(r starRow) bool {
		return r.number["d_year"] == 1994 && r.number["d_weeknuminyear"] == 6 && r.discount(5, 7) && r.between("lo_quantity", 26, 35)
	}, "", discounted, "sum", false},
	"q2_1": {func(r starRow) bool { return r.is("p_category=MFGR#12", "s_region=AMERICA") }, "d_year p_brand1", revenue, "sum d_year p_brand1", false},
	"q2_2": {func(r starRow) bool {
		return len(r.text["p_brand1"]) == 9 && strings.Contains("12345678", r.text["p_brand1"][8:]) && strings.HasPrefix(r.text["p_brand1"], "MFGR#222") && r.is("s_region=ASIA")
	}, "d_year p_brand1", revenue, "sum d_year p_brand1", false},
	"q2_3": {func(r starRow) bool { return r.is("p_brand1=MFGR#2239", "s_region=EUROPE") }, "d_year p_brand1", revenue, "sum d_year p_brand1", false},
	"q3_1": {func(r starRow) bool { return r.number["d_year"] <= 1997 && r.is("c_region=ASIA", "s_region=ASIA") }, "c_nation s_nation d_year", revenue, "c_nation s_nation d_year sum", true},
	"q3_2": {func(r starRow) bool {
		return r.number["d_year"] <= 1997 && r.is("c_nation=UNITED STATES", "s_nation=UNITED STATES")
	}, "c_city s_city d_year", revenue, "c_city s_city d_year sum", true},
	"q3_3": {func(r starRow) bool { return r.number["d_year"] <= 1997 && r.inTwoCities() }, "c_city s_city d_year", revenue, "c_city s_city d_year sum", true},
	"q3_4": {func(r starRow) bool { return r.is("d_yearmonth=Dec1997") && r.inTwoCities() }, "c_city s_city d_year", revenue, "c_city s_city d_year sum", true},
	"q4_1": {func(r starRow) bool {
		return r.is("c_region=AMERICA", "s_region=AMERICA") && r.text["p_mfgr"] <= "MFGR#2"
	}, "d_year c_nation", profit, "d_year c_nation sum", false},
	"q4_2": {func(r starRow) bool {
		return r.number["d_year"] >= 1997 && r.is("c_region=AMERICA", "s_region=AMERICA") && r.text["p_mfgr"] <= "MFGR#2"
	}, "d_year s_nation p_category", profit, "d_year s_nation p_category sum", false},
	"q4_3": {func(r starRow) bool {
		return r.number["d_year"] >= 1997 && r.is("c_region=AMERICA", "s_nation=UNITED STATES", "p_category=MFGR#14")
	}, "d_year s_city p_brand1", profit, "d_year s_city p_brand1 sum", false},
}

func discounted(r starRow) int64 { return r.number["lo_extendedprice"] * r.number["lo_discount"] }
func revenue(r starRow) int64    { return r.number["lo_revenue"] }
func profit(r starRow) int64     { return r.number["lo_revenue"] - r.number["lo_supplycost"] }

func (r starRow) between(name string, low, high int64) bool {
	return low <= r.number[name] && r.number[name] <= high
}

func (r starRow) discount(low, high int64) bool { return r.between("lo_discount", low, high) }

// is reports whether columns have these values, each as NAME=VALUE.
func (r starRow) is(conditions ...string) bool {
	return !slices.ContainsFunc(conditions, func(c string) bool {
		name, value, _ := strings.Cut(c, "=")
		return r.text[name] != value
	})
}

func (r starRow) inTwoCities() bool {
	two := []string{"UNITED KI1", "UNITED KI5"}
	return slices.Contains(two, r.text["c_city"]) && slices.Contains(two, r.text["s_city"])
}

func init() {
	for name := range starQueries {
		publishedPrograms["ssb/"+name] = published{plain: func([]ir.Column) []any { return starAnswer(name) }, data: starData}
	}
}

func starTables() (map[string]generate.Generator, error) {
	s, err := generate.NewSSB(starScale, 1)
	if err != nil {
		return nil, err
	}
	return map[string]generate.Generator{"l": s.LineOrder, "d": s.Date, "c": s.Customer, "s": s.Supplier, "p": s.Part}, nil
}

// starData reads the tables from files, as kgen run does: texts then share a dictionary.
func starData(t *testing.T, p *ir.Pipeline) [][]ir.Column {
	tables, err := starTables()
	if err != nil {
		t.Fatal(err)
	}
	var flags table.Flags
	stage := table.NewStage(t.Context(), nil)
	defer stage.Abort()
	for domain, g := range tables {
		if !slices.ContainsFunc(p.Params, func(v *ir.Value) bool { return !v.Type.IsScalar() && v.Type.Domain.String() == domain }) {
			continue
		}
		path := filepath.Join(t.TempDir(), domain+".parquet")
		w, err := stage.NewWriter(path, generate.Fields(g))
		if err == nil {
			err = g.Stream(t.Context(), 1, w.Write)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		flags.In = append(flags.In, domain+"="+path)
	}
	if err := stage.Commit(); err != nil {
		t.Fatal(err)
	}
	binding, err := table.Bind(p, flags)
	if err != nil {
		t.Fatal(err)
	}
	in, err := binding.Read(table.NewSource(context.Background(), nil))
	if err != nil {
		t.Fatal(err)
	}
	return [][]ir.Column{in}
}

// starRows are the lines with all that belongs to them, joined once.
var starRows = sync.OnceValue(func() (rows []starRow) {
	tables, err := starTables()
	if err != nil {
		panic(err)
	}
	read := func(g generate.Generator, each func(starRow)) {
		err := g.Stream(context.Background(), 1, func(batch []ir.Column) error {
			for row := range batch[0].Len() {
				r := starRow{map[string]int64{}, map[string]string{}}
				for i, c := range g.Columns() {
					r.number[c.Name] = batch[i].At(row).Int64()
					if c.Kind == ir.Text {
						r.text[c.Name] = batch[i].Texts[r.number[c.Name]]
					}
				}
				each(r)
			}
			return nil
		})
		if err != nil {
			panic(err)
		}
	}
	index := func(table, key string) map[int64]starRow {
		rows := map[int64]starRow{}
		read(tables[table], func(r starRow) { rows[r.number[key]] = r })
		return rows
	}
	days, customers, suppliers, parts := index("d", "d_datekey"), index("c", "c_custkey"), index("s", "s_suppkey"), index("p", "p_partkey")
	read(tables["l"], func(r starRow) {
		for _, other := range []starRow{days[r.number["lo_orderdate"]], customers[r.number["lo_custkey"]], suppliers[r.number["lo_suppkey"]], parts[r.number["lo_partkey"]]} {
			maps.Copy(r.number, other.number)
			maps.Copy(r.text, other.text)
		}
		rows = append(rows, r)
	})
	return rows
})

// starAnswer runs a query over the joined lines.
func starAnswer(name string) (results []any) {
	q := starQueries[name]
	type group struct {
		row starRow
		sum int64
	}
	groups := map[string]*group{}
	if q.keys == "" {
		groups[""] = &group{}
	}
	for _, r := range starRows() {
		if !q.keeps(r) {
			continue
		}
		var key strings.Builder
		for _, k := range strings.Fields(q.keys) {
			fmt.Fprint(&key, r.number[k], r.text[k], "|")
		}
		if groups[key.String()] == nil {
			groups[key.String()] = &group{row: r}
		}
		groups[key.String()].sum += q.value(r)
	}
	list := slices.SortedFunc(maps.Values(groups), func(a, b *group) int {
		order := 0
		if q.byRevenue {
			order = cmp.Or(cmp.Compare(a.row.number["d_year"], b.row.number["d_year"]), cmp.Compare(b.sum, a.sum))
		}
		for _, k := range strings.Fields(q.keys) {
			of := cmp.Compare(a.row.text[k], b.row.text[k])
			if k == "d_year" {
				of = cmp.Compare(a.row.number[k], b.row.number[k])
			}
			order = cmp.Or(order, of)
		}
		return order
	})
	for _, column := range strings.Fields(q.results) {
		switch column {
		case "sum":
			results = append(results, mapped(list, func(g *group) int64 { return g.sum }))
		case "d_year":
			results = append(results, mapped(list, func(g *group) int32 { return int32(g.row.number[column]) }))
		default:
			results = append(results, mapped(list, func(g *group) string { return g.row.text[column] }))
		}
	}
	return results
}

func mapped[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}
