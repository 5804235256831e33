package generate

import "fmt"

// runs divides rows into runs. Each length is uniform in 1 to 2 x mean - 1, and
// the mean of all lengths is exactly mean: each pair of runs shares 2 x mean
// rows, so that the run of any row is found without the runs before it.
type runs struct {
	mean, rows int64
	first      stream // by pair: the length of its first run
	flipped    stream // by pair, when shuffled: which run comes first
	order      permutation
	shuffled   bool
}

func newRuns(rows, mean int64, name string, seed uint64) (runs, error) {
	if mean < 1 || mean > 1<<40 {
		return runs{}, fmt.Errorf("mean-run %d: a number of rows, 1 to %d", mean, int64(1)<<40)
	}
	return runs{mean: mean, rows: rows, first: newStream(seed, name+" lengths")}, nil
}

// shuffle puts the runs into random order. If the end of the rows cuts off the
// last pair, that pair keeps its place, so that the multiset of values is the
// same.
func (r runs) shuffle(name string, seed uint64) runs {
	r.shuffled = true
	r.flipped = newStream(seed, name+" flips")
	r.order = newPermutation(newStream(seed, name+" order"), max(r.whole(), 1))
	return r
}

// whole returns the number of pairs that have all their rows.
func (r runs) whole() int64 { return r.rows / (2 * r.mean) }

// firstLength returns the length of the first run of a pair, before the end of
// the rows cuts it off.
func (r runs) firstLength(pair int64) int64 {
	return 1 + int64(r.first.below(pair, uint64(2*r.mean-1)))
}

// count returns the number of runs.
func (r runs) count() int64 {
	count := 2 * r.whole()
	if rest := r.rows - count*r.mean; rest > 0 {
		count++
		if rest > r.firstLength(r.whole()) {
			count++
		}
	}
	return count
}

// fill stores the numbers of the runs of the rows from row on: ascending, or in
// the order of shuffle.
func (r runs) fill(row int64, out []uint64) {
	for len(out) > 0 {
		place, within := row/(2*r.mean), row%(2*r.mean)
		pair, flip := place, false
		if r.shuffled && place < r.whole() {
			pair = int64(r.order.at(uint64(place)))
			flip = r.flipped.below(pair, 2) == 1
		}
		run, turn, end := uint64(2*pair), r.firstLength(pair), 2*r.mean
		if flip {
			turn = end - turn
		}
		if second := within >= turn; second != flip {
			run++
		}
		if within < turn {
			end = turn
		}
		n := min(end-within, int64(len(out)))
		for i := range out[:n] {
			out[i] = run
		}
		out, row = out[n:], row+n
	}
}
