package generate

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// The memory of a sorter: a table of counts for each of a few workers, and the
// values that are sorted at once.
const (
	sortTableBits = 20
	sortAtOnce    = 8 << 20
	sortCounters  = 4
	sortPiece     = 4096
)

// sorter streams values in ascending order without holding all of them in
// memory. It makes them several times instead: a first pass counts them by their
// upper bits, and each later pass collects a range of values that fits. A range
// that does not fit is divided in the same way, until it has a single value, of
// which only the count is needed.
type sorter struct {
	rows      int64
	values    offsets
	workers   int
	tableBits int // how many bits a pass counts by
	atOnce    int // how many values are sorted at once

	ctx     context.Context
	write   func([]uint64) error
	pending []uint64 // sorted, not yet written
	buffer  []uint64
}

// sort calls write with all values, none above last, in ascending order.
func (s *sorter) sort(ctx context.Context, last uint64, write func([]uint64) error) error {
	s.ctx, s.write, s.pending = ctx, write, make([]uint64, 0, batchRows)
	if err := s.divide(0, bits.Len64(last)); err != nil {
		return err
	}
	return s.flush()
}

// divide sorts the values low to low + 2^width - 1.
func (s *sorter) divide(low uint64, width int) error {
	shift := max(width-s.tableBits, 0)
	counts, err := s.count(low, width, shift)
	if err != nil {
		return err
	}
	if shift == 0 {
		for i, n := range counts {
			if err := s.repeat(low+uint64(i), n); err != nil {
				return err
			}
		}
		return nil
	}
	for i := 0; i < len(counts); {
		if counts[i] > int64(s.atOnce) {
			if err := s.divide(low+uint64(i)<<shift, shift); err != nil {
				return err
			}
			i++
			continue
		}
		end, total := i, int64(0)
		for end < len(counts) && total+counts[end] <= int64(s.atOnce) {
			total += counts[end]
			end++
		}
		if total > 0 {
			if err := s.collect(low+uint64(i)<<shift, shift, counts[i:end], int(total)); err != nil {
				return err
			}
		}
		i = end
	}
	return nil
}

// count returns the number of values in each range of 2^shift from low on, below
// low + 2^width.
func (s *sorter) count(low uint64, width, shift int) ([]int64, error) {
	tables := make([][]int64, min(s.workers, sortCounters))
	for i := range tables {
		tables[i] = make([]int64, 1<<(width-shift))
	}
	err := s.pass(len(tables), func(worker int, values []uint64) {
		table := tables[worker]
		for _, v := range values {
			if v -= low; v>>width == 0 {
				table[v>>shift]++
			}
		}
	})
	for _, table := range tables[1:] {
		for i, n := range table {
			tables[0][i] += n
		}
	}
	return tables[0], err
}

// collect sorts and writes the values of consecutive ranges of 2^shift from low
// on. Counts has the number of values in each range, and total is their sum.
func (s *sorter) collect(low uint64, shift int, counts []int64, total int) error {
	if err := s.flush(); err != nil {
		return err
	}
	if cap(s.buffer) < total {
		s.buffer = make([]uint64, s.atOnce)
	}
	sorted := s.buffer[:total]
	next := make([]atomic.Int64, len(counts)) // where the next value of each range goes
	at := int64(0)
	for i, n := range counts {
		next[i].Store(at)
		at += n
	}
	if err := s.pass(s.workers, func(_ int, values []uint64) {
		for _, v := range values {
			if i := (v - low) >> shift; i < uint64(len(counts)) {
				sorted[next[i].Add(1)-1] = v
			}
		}
	}); err != nil {
		return err
	}
	const rangesAtOnce = 64
	s.parallel(s.workers, int64(len(counts)+rangesAtOnce-1)/rangesAtOnce, func(_ int, block int64) {
		for i := block * rangesAtOnce; i < min((block+1)*rangesAtOnce, int64(len(counts))); i++ {
			end := next[i].Load()
			slices.Sort(sorted[end-counts[i] : end])
		}
	})
	for part := range slices.Chunk(sorted, batchRows) {
		if err := s.emit(part); err != nil {
			return err
		}
	}
	return nil
}

// repeat writes v n times.
func (s *sorter) repeat(v uint64, n int64) error {
	for ; n > 0; n-- {
		s.pending = append(s.pending, v)
		if len(s.pending) == batchRows {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the values that repeat has left in pending.
func (s *sorter) flush() error {
	pending := s.pending
	s.pending = pending[:0]
	return s.emit(pending)
}

func (s *sorter) emit(sorted []uint64) error {
	if err := s.ctx.Err(); err != nil || len(sorted) == 0 {
		return err
	}
	return s.write(sorted)
}

// pass makes all values once and passes them to visit in pieces, in any order.
func (s *sorter) pass(workers int, visit func(worker int, values []uint64)) error {
	pieces := make([][sortPiece]uint64, workers)
	s.parallel(workers, (s.rows+sortPiece-1)/sortPiece, func(worker int, piece int64) {
		row := piece * sortPiece
		values := pieces[worker][:min(sortPiece, s.rows-row)]
		s.values(row, values)
		visit(worker, values)
	})
	return s.ctx.Err()
}

// parallel calls do for 0 to n - 1 on a number of goroutines, until the context
// ends.
func (s *sorter) parallel(workers int, n int64, do func(worker int, i int64)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			for i := next.Add(1) - 1; i < n && s.ctx.Err() == nil; i = next.Add(1) - 1 {
				do(worker, i)
			}
		})
	}
	running.Wait()
}
