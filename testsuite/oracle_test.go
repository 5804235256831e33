package testsuite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
)

// oracles are some pipelines of the corpus, written by hand in Go as loops over
// rows and quite unlike the interpreter: functions from columns to the text of
// Render.
var oracles = map[string]func([]ir.Column) string{
	"grade_counts": func(in []ir.Column) string {
		grade, score := in[0].Slice.([]int32), in[1].Slice.([]int32)
		out := newText("g", "key,count,total")
		for i := 0; i < len(grade); {
			begin, total := i, 0
			for ; i < len(grade) && grade[i] == grade[begin]; i++ {
				total += int(score[i])
			}
			out.row(grade[begin], i-begin, total)
		}
		return out.String()
	},
	"grade_counts_lowered": func(in []ir.Column) string {
		out := newText("b", "key,count")
		count := 0
		grade := in[0].Slice.([]int32)
		for i, g := range grade {
			count++
			if i+1 == len(grade) || grade[i+1] != g {
				out.row(g, count)
				count = 0
			}
		}
		return out.String()
	},
	"having_runs": func(in []ir.Column) string {
		keep, key, x := in[0].Slice.([]bool), in[1].Slice.([]int32), in[2].Slice.([]int32)
		type group struct {
			key        int32
			count, sum int64
		}
		var groups []group
		for i := range key {
			if !keep[i] {
				continue
			}
			if n := len(groups); n == 0 || groups[n-1].key != key[i] {
				groups = append(groups, group{key: key[i]})
			}
			last := &groups[len(groups)-1]
			last.count++
			last.sum += int64(x[i]*2 + 1)
		}
		out := newText("h", "key,count,sum")
		for _, g := range groups {
			if g.count >= 2 {
				out.row(g.key, g.count, g.sum)
			}
		}
		return out.String()
	},
	"filter_of_filter": func(in []ir.Column) string {
		positive, small, even := newText("positive", "positive"), newText("small", "small"), newText("even", "even")
		for _, x := range in[0].Slice.([]int64) {
			if x > 0 {
				positive.row(x)
				if x < 100 {
					small.row(x)
					if x%2 == 0 {
						even.row(x)
					}
				}
			}
		}
		return positive.String() + "\n" + small.String() + "\n" + even.String()
	},
	"scan_by_runs": func(in []ir.Column) string {
		account, amount := in[0].Slice.([]int32), in[1].Slice.([]int64)
		out := newText("n", "account,balance,row,top")
		var balance, row, top int64
		for i := range account {
			if i == 0 || account[i] != account[i-1] {
				balance, row, top = 0, 0, amount[i]
			}
			balance, top = balance+amount[i], max(top, amount[i])
			out.row(account[i], balance, row, top)
			row++
		}
		return out.String()
	},
	"group_sum": func(in []ir.Column) string {
		key, a := in[0].Slice.([]int32), in[1].Slice.([]int32)
		sum := map[int32]int64{}
		for i, k := range key {
			sum[k] += int64(a[i])
		}
		out := newText("g", "g,s")
		for _, k := range slices.Sorted(maps.Keys(sum)) {
			out.row(k, sum[k])
		}
		return out.String()
	},
	"equi_join": func(in []ir.Column) string {
		a, b := in[0].Slice.([]int32), in[1].Slice.([]int32)
		x, y := in[2].Slice.([]int32), in[3].Slice.([]int32)
		out := newText("j", "key,x,y")
		for i := range a {
			for j := range b {
				if a[i] == b[j] {
					out.row(a[i], x[i], y[j])
				}
			}
		}
		return out.String()
	},
	"hash_lookup": func(in []ir.Column) string {
		key, value := in[0].Slice.([]int32), in[1].Slice.([]int32)
		out := newText("hit", "probe,val")
		for _, probe := range in[2].Slice.([]int32) {
			if row := slices.Index(key, probe); row >= 0 {
				out.row(probe, value[row])
			}
		}
		return out.String()
	},
	"sort_two_keys": func(in []ir.Column) string {
		a, b := in[0].Slice.([]int32), in[1].Slice.([]int32)
		pairs := make([][2]int32, len(a))
		for i := range a {
			pairs[i] = [2]int32{a[i], b[i]}
		}
		slices.SortFunc(pairs, func(p, q [2]int32) int { return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(q[1], p[1])) })
		out := newText("p", "a,b")
		for _, p := range pairs {
			out.row(p[0], p[1])
		}
		return out.String()
	},
	"run_length_decode": func(in []ir.Column) string {
		value, times := in[0].Slice.([]int32), in[1].Slice.([]int32)
		out := newText("e", "value")
		for i, n := range times {
			for range n {
				out.row(value[i])
			}
		}
		return out.String()
	},
	"sessions_of_sorted": func(in []ir.Column) string {
		user, time, pause := in[0].Slice.([]int32), in[1].Slice.([]int64), in[2].Slice.([]int64)[0]
		out := newText("s", "user,from,to,clicks")
		begin := 0
		for i := range user {
			if i+1 == len(user) || user[i+1] != user[i] || time[i+1]-time[i] > pause {
				out.row(user[begin], time[begin], time[i], i+1-begin)
				begin = i + 1
			}
		}
		return out.String()
	},
}

// text builds the text of Render for one table.
type text struct{ strings.Builder }

func newText(table, header string) *text {
	t := &text{}
	fmt.Fprintf(t, "# %s\n%s\n", table, header)
	return t
}

func (t *text) row(values ...any) {
	for i, v := range values {
		if i > 0 {
			t.WriteByte(',')
		}
		fmt.Fprint(t, v)
	}
	t.WriteByte('\n')
}

// The interpreter agrees with the oracles on random data of every shape.
func TestOracles(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, entry := range entries {
		oracle := oracles[entry.Name]
		if oracle == nil {
			continue
		}
		for _, shape := range Shapes() {
			for _, rows := range []int{0, 1, 2, 33, 257} {
				data := RandomData{Rows: rows, Shape: shape, Seed: uint64(rows)}
				in := data.Columns(entry.Pipeline)
				results, err := interp.Run(entry.Pipeline, in)
				got, err := Render(entry.Pipeline, results, err)
				if err != nil {
					t.Fatalf("%s, %+v: %v", entry.Name, data, err)
				}
				if want := oracle(in); got != want {
					t.Errorf("%s, %+v: the interpreter gives\n%s\nthe oracle\n%s", entry.Name, data, got, want)
				}
				runs++
			}
		}
	}
	if want := len(oracles) * len(Shapes()) * 5; runs != want {
		t.Errorf("%d runs, not %d: an oracle has no pipeline in the corpus", runs, want)
	}
}
