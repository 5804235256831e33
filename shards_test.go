package kgen_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/difftest/random"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

const visitsText = `pipeline visits(page: [n]i32, user: [n]i64, seconds: [n]f64, least: f64 = 1.0) {
	long = seconds >= least
	g = groups(page)
	new = user != prev(user, 1, -1)
	s = starts(new)
	return page: first(page, by: g), visits: count(by: g), long: count(by: g[long]), last: last(user, by: g),
		users: first(user, by: s), stays: max(seconds, by: s), total: sum(seconds), changes: count(new)
}
`

// TestShards: rows in pieces give the results of all, on each kind of device.
func TestShards(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			p, err := kgen.Compile(visitsText, "")
			if err != nil {
				t.Fatal(err)
			}
			s, err := p.Shards(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Result(t.Context()); err == nil || !strings.Contains(err.Error(), "no shard has been added") {
				t.Errorf("without a shard: %v", err)
			}
			add := func(page []int32, user []int64, seconds []float64, least float64) error {
				column, err := kgen.Upload(t.Context(), d, user)
				if err != nil {
					t.Fatal(err)
				}
				defer column.Free()
				return s.Add(t.Context(), kgen.Args{"page": page, "user": column, "seconds": seconds, "least": least})
			}
			if err := errors.Join(add([]int32{7, 3, 7}, []int64{1, 1, 2}, []float64{0.5, 2, 4}, 1), add(nil, nil, nil, 1), add([]int32{9}, []int64{2}, []float64{8}, 1)); err != nil {
				t.Fatal(err)
			}
			var argument *kgen.ArgumentError
			if err := add([]int32{1}, []int64{1}, []float64{1}, 2); !errors.As(err, &argument) || argument.Name != "least" {
				t.Errorf("another scalar: %v", err)
			}
			check := func(pages []int32, visits, long, last, users []int64, stays []float64, total float64, changes int64) {
				t.Helper()
				r, err := s.Result(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := read[int32](t, r, "page"); !slices.Equal(got, pages) {
					t.Errorf("pages %v", got)
				}
				for name, want := range map[string][]int64{"visits": visits, "long": long, "last": last, "users": users, "changes": {changes}} {
					if got := read[int64](t, r, name); !slices.Equal(got, want) {
						t.Errorf("%s %v, want %v", name, got, want)
					}
				}
				if got := read[float64](t, r, "stays"); !slices.Equal(got, stays) {
					t.Errorf("stays %v, want %v", got, stays)
				}
				if got := read[float64](t, r, "total"); got[0] != total {
					t.Errorf("total %v, want %v", got, total)
				}
			}
			check([]int32{3, 7, 9}, []int64{1, 2, 1}, []int64{1, 1, 1}, []int64{1, 2, 2}, []int64{1, 2}, []float64{2, 8}, 14.5, 2)
			if err := add([]int32{3, 4}, []int64{2, 5}, []float64{16, 0.25}, 1); err != nil {
				t.Fatal(err)
			}
			check([]int32{3, 4, 7, 9}, []int64{2, 1, 2, 1}, []int64{2, 0, 1, 1}, []int64{2, 5, 2, 2}, []int64{1, 2, 5}, []float64{2, 16, 0.25}, 30.75, 3)
		})
	}
}

func read[T kgen.Element](t *testing.T, r *kgen.Results, name string) []T {
	t.Helper()
	rows, err := kgen.Read[T](t.Context(), r.Column(name))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestShardsErrors: what cannot be computed in shards is told in the text, and a row is counted
// among all.
func TestShardsErrors(t *testing.T) {
	d := open(t, "vector")
	p, err := kgen.Compile("pipeline p(x: [n]i32) {\n\treturn y: sum(scan(add, x))\n}\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.Shards(t.Context(), d); err == nil || !strings.Contains(err.Error(), "pipeline:2:16: no partials: scan runs over the rows of earlier shards\n\treturn") {
		t.Errorf("%v", err)
	}
	if p, err = kgen.Compile("pipeline p(x: [n]i32, t: [n]text) {\n\ty = x[x > 0]\n\treturn s: sum(10 / (y - 5)), a: count(t == \"a\"), low: min(y)\n}\n", ""); err != nil {
		t.Fatal(err)
	}
	s, err := p.Shards(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := kgen.NewTexts(p.Texts(), []string{"a", "b"})
	add := func(dictionary *kgen.Texts, x ...int32) error {
		column, err := kgen.UploadTexts(t.Context(), d, dictionary, slices.Repeat([]string{"a"}, len(x)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Add(t.Context(), kgen.Args{"x": x, "t": column})
	}
	if err := add(texts, -1, 0); err != nil {
		t.Fatal(err)
	}
	var check *kgen.CheckError
	if _, err := s.Result(t.Context()); !errors.As(err, &check) || !strings.Contains(err.Error(), "3:") {
		t.Errorf("no row: %v", err)
	}
	if err := add(texts, 3, -2, 4); err != nil {
		t.Fatal(err)
	}
	if err := add(texts, 9, 5); !errors.As(err, &check) || check.Row != 3 || !strings.Contains(err.Error(), "3:") {
		t.Errorf("a failed check: %v", err)
	}
	var argument *kgen.ArgumentError
	if err := add(kgen.NewTexts(p.Texts(), []string{"a"}), 1); !errors.As(err, &argument) {
		t.Errorf("another dictionary: %v", err)
	}
	r, err := s.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum, _ := kgen.Scalar[int64](r, "s"); sum != -15 {
		t.Errorf("sum %d", sum)
	}
	if count, _ := kgen.Scalar[int64](r, "a"); count != 5 {
		t.Errorf("count %d", count)
	}
}

// TestShardsOfManyPrograms: programs of the corpus and random ones, cut anywhere.
func TestShardsOfManyPrograms(t *testing.T) {
	entries, err := testsuite.Load("testsuite/corpus")
	if err != nil {
		t.Fatal(err)
	}
	special, err := testsuite.Load("testsuite/emitted/testdata/partials")
	if err != nil {
		t.Fatal(err)
	}
	entries = append(entries, special...)
	const seed = 1
	without := []ir.Op{ir.OpScan, ir.OpExscan, ir.OpRepeat, ir.OpOrder, ir.OpFind, ir.OpJoin, ir.OpLeft, ir.OpRight,
		ir.OpArgmin, ir.OpArgmax, ir.OpIndex, ir.OpAlign, ir.OpGather}
	for number := range 60 {
		var o random.Options
		if number%3 > 0 { // of the others most need all rows
			o.Without = without
		}
		p, err := random.Pipeline(seed, number, o)
		if err != nil {
			t.Fatal(err)
		}
		if number%2 == 0 {
			if p, err = testsuite.Aggregated(p); err != nil {
				t.Fatal(err)
			}
		}
		data := testsuite.RandomData{Rows: 24, Shape: testsuite.Shapes()[number%len(testsuite.Shapes())], Seed: uint64(number), Whole: true, Careless: number%3 == 0}
		entries = append(entries, testsuite.Entry{Name: p.Name, Pipeline: p, Columns: data.Columns(p)})
	}
	d := open(t, "vector")
	used := map[bool]int{}
	r := rand.New(rand.NewPCG(seed, 2))
	for _, e := range entries {
		p := kgen.Of(&build.Source{}, e.Pipeline)
		want, err := testsuite.Expect(e.Pipeline, e.Columns)
		if err != nil {
			t.Fatal(err)
		}
		overs := []string{""}
		if domains := table.Domains(e.Pipeline); len(domains) > 1 {
			for _, domain := range domains {
				overs = append(overs, domain.Name)
			}
		}
		for _, over := range overs {
			for range 2 {
				got, err := inShards(t.Context(), d, p, over, e.Columns, r)
				var refused ir.Error
				if errors.As(err, &refused) {
					break
				}
				used[over != ""]++
				var check *ir.CheckError
				if errors.As(err, &check) && want.Check != nil {
					if check.Site.Number == want.Check.Site.Number && check.Row != want.Check.Row {
						t.Errorf("%s over %q: row %d fails, want %d", e.Name, over, check.Row, want.Check.Row)
					}
				} else if difference := want.Differ(got, err); difference != "" {
					t.Errorf("%s over %q: %s\n%v", e.Name, over, difference, e.Pipeline)
				}
			}
		}
	}
	t.Logf("%d runs in shards over all domains, %d over one", used[false], used[true])
	if used[false] < 150 || used[true] < 30 {
		t.Error("there are few")
	}
}

// inShards computes a program over up to five pieces of its rows, or of those of a domain.
func inShards(ctx context.Context, d *kgen.Device, p *kgen.Program, over string, columns []ir.Column, r *rand.Rand) ([]ir.Column, error) {
	s, err := p.Shards(ctx, d, kgen.Over(over))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	shards := 1 + r.IntN(5)
	cuts := map[*ir.Domain][]int{}
	for i, v := range p.Pipeline().Params {
		if domain := v.Type.Domain; domain != nil && cuts[domain] == nil && (over == "" || domain.Name == over) {
			for range shards - 1 {
				cuts[domain] = append(cuts[domain], r.IntN(columns[i].Len()+1))
			}
			slices.Sort(cuts[domain])
			cuts[domain] = append(append([]int{0}, cuts[domain]...), columns[i].Len())
		}
	}
	for shard := range shards {
		piece := slices.Clone(columns)
		for i, v := range p.Pipeline().Params {
			if cut := cuts[v.Type.Domain]; cut != nil {
				piece[i] = table.Rows(columns[i], cut[shard], cut[shard+1])
			}
		}
		if err := s.AddColumns(ctx, piece); err != nil {
			return nil, err
		}
	}
	return s.ResultColumns(ctx, columns)
}
