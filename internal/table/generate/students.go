package generate

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/ir"
)

// Students returns students sorted by grade, as in examples/grades. A grade has
// meanRun students on average.
func Students(rows, meanRun int64, seed uint64) (Generator, error) {
	if rows < 1 {
		return nil, fmt.Errorf("rows %d: at least 1", rows)
	}
	grades, err := newRuns(rows, meanRun, "students grade", seed)
	if err != nil {
		return nil, err
	}
	if grades.count() > math.MaxInt32 {
		return nil, fmt.Errorf("rows %d: there would be %d grades, and an i32 holds %d; let mean-run be larger than %d",
			rows, grades.count(), math.MaxInt32, meanRun)
	}
	order := newPermutation(newStream(seed, "students student"), rows)
	score := newStream(seed, "students score")
	return byRows(studentColumns, rows, func(first int64, n int, out []ir.Column) {
		student, grade, points := room[int64](&out[0], n), room[int32](&out[1], n), room[int32](&out[2], n)
		run := make([]uint64, n)
		grades.fill(first, run)
		for i := range n {
			student[i] = 1 + int64(order.at(uint64(first+int64(i))))
			grade[i] = 1 + int32(run[i])
			sum := uint64(0)
			for b := score.at(first + int64(i)); b != 0; b >>= 16 { // each 16 bits give 0 to 25
				sum += (b & 0xffff) * 26 >> 16
			}
			points[i] = int32(sum)
		}
	}), nil
}

var studentColumns = []Column{
	{"student", ir.I64, "1 to rows in random order"},
	{"grade", ir.I32, "ascending from 1, in runs of mean-run rows on average"},
	{"score", ir.I32, "0 to 100, around 50: the sum of four numbers 0 to 25"},
}
