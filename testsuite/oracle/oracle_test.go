package oracle

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

const corpus = "../corpus"

var (
	seedFlag     = flag.Uint64("seed", 1, "seed of random data")
	rowsFlag     = flag.Int("rows", -1, "only random data of this many rows")
	shapeFlag    = flag.String("shape", "", "only random data of this shape")
	carelessFlag = flag.Bool("careless", false, "only random data that may fail checks")
)

var loadCorpus = sync.OnceValues(func() ([]testsuite.Entry, error) { return testsuite.Load(corpus) })

func queryPath(name string) string { return filepath.Join("queries", name+".sql") }

// The interpreter and emitted Go agree with DuckDB, on the corpus's own data
// and on random data of every shape.
func TestCorpus(t *testing.T) {
	entries, err := loadCorpus()
	if err != nil {
		t.Fatal(err)
	}
	var pipelines []*ir.Pipeline
	for _, entry := range entries {
		pipelines = append(pipelines, entry.Pipeline)
	}
	emitted, err := buildGo(pipelines)
	if err != nil {
		t.Fatal(err)
	}
	defer emitted.close()
	var total tally
	for _, entry := range entries {
		q, err := loadQuery(queryPath(entry.Name))
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			c := comparison{t: t, name: entry.Name, pipeline: entry.Pipeline, query: q, devices: devices(entry.Pipeline, emitted)}
			c.run(entry.Columns)
			total.add(c.tally)
		})
	}
	t.Logf("%+v", total)
}

// tally counts data sets.
type tally struct {
	compared int // results
	failed   int // checks that fail on both sides
	overflow int // DuckDB refuses what kgen wraps
	large    int // more rows than the interpreter shall make
	runs     int // of a device
}

func (a *tally) add(b tally) {
	a.compared += b.compared
	a.failed += b.failed
	a.overflow += b.overflow
	a.large += b.large
	a.runs += b.runs
}

// comparison is of one pipeline.
type comparison struct {
	t        *testing.T
	name     string
	pipeline *ir.Pipeline
	query    *query
	session  *session
	devices  []device
	tally    tally
}

func (c *comparison) run(own []ir.Column) {
	c.t.Helper()
	var err error
	if c.session, err = openSession(c.pipeline, c.query); err != nil {
		c.t.Fatal(err)
	}
	defer c.session.close()
	if err := c.session.prepare(); err != nil {
		c.t.Fatalf("%s: %v", queryPath(c.name), err)
	}
	repeat := "repeat by go test -count=1 -run '^TestCorpus$/^" + c.name + "$' ."
	if !c.compare(own, "its own data; "+repeat, false) {
		return
	}
	for _, data := range randomData(c.pipeline, c.query) {
		in := data.Columns(c.pipeline)
		if !data.Careless {
			if err := c.query.apply(c.pipeline, in); err != nil {
				c.t.Fatal(err)
			}
		}
		what := fmt.Sprintf("random data; %s -shape=%s -rows=%d -seed=%d -careless=%t", repeat, data.Shape, data.Rows, data.Seed, data.Careless)
		if !c.compare(in, what, data.Shape == testsuite.Extreme || data.Shape == testsuite.Mixed) {
			return
		}
	}
	if all := *shapeFlag == "" && *rowsFlag < 0 && !*carelessFlag; all && c.tally.compared == 0 {
		c.t.Error("no data gave a result to compare")
	}
}

// randomData are the data sets to try, or the one that flags name.
func randomData(p *ir.Pipeline, q *query) (list []testsuite.RandomData) {
	add := func(data testsuite.RandomData) {
		data.Whole = inexact(p)
		switch {
		case q.rows > 0 && data.Rows > q.rows || data.Careless && len(p.Sites) == 0:
		case *shapeFlag != "" && *shapeFlag != data.Shape.String() || *rowsFlag >= 0 && *rowsFlag != data.Rows || *carelessFlag && !data.Careless:
		default:
			list = append(list, data)
		}
	}
	for _, shape := range testsuite.Shapes() {
		for _, rows := range []int{0, 1, 2, 100, 10_000} {
			add(testsuite.RandomData{Rows: rows, Shape: shape, Seed: *seedFlag})
		}
		add(testsuite.RandomData{Rows: 100, Shape: shape, Seed: *seedFlag, Careless: true})
	}
	// One wrong row says more about a check than a hundred.
	for seed := range uint64(20) {
		add(testsuite.RandomData{Rows: 1, Shape: testsuite.Small, Seed: *seedFlag + seed, Careless: true})
	}
	return list
}

func inexact(p *ir.Pipeline) bool {
	for _, r := range p.Results {
		if p.Inexact(r.Value) {
			return true
		}
	}
	return false
}

// compare runs one data set everywhere; false ends the test of this pipeline.
func (c *comparison) compare(in []ir.Column, what string, mayOverflow bool) bool {
	c.t.Helper()
	got, gotError := c.devices[0].run(in)
	var large *interp.ArgumentError
	if errors.As(gotError, &large) && large.TooManyRows {
		c.tally.large++
		return true
	}
	if err := c.session.load(in, true); err != nil {
		c.t.Errorf("%s: %v", what, err)
		return false
	}
	want, err := c.session.run()
	if mayOverflow && isOverflow(err) {
		c.tally.overflow++
		return true
	}
	if err != nil {
		c.t.Errorf("%s, on %s: %v", queryPath(c.name), what, err)
		return false
	}
	if want.fails {
		c.tally.failed++
	} else {
		c.tally.compared++
	}
	depth := 0
	for i, column := range in {
		depth = max(depth, given(c.pipeline.Params[i], column).Len())
	}
	for i, device := range c.devices {
		if i > 0 {
			got, gotError = device.run(in)
		}
		c.tally.runs++
		if difference := differ(c.pipeline, want, got, gotError, depth); difference != "" {
			c.t.Errorf("%s and DuckDB differ on %s:\n%s", device.name, what, difference)
		}
	}
	return !c.t.Failed()
}

// isOverflow reports whether DuckDB refused what kgen wraps.
func isOverflow(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == duckdb.ErrorTypeOutOfRange || e.Type == duckdb.ErrorTypeConversion)
}
