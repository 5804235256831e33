package vector

import (
	"context"
	"slices"
	"time"

	"github.com/kgen-go/kgen/internal/tile"
)

// frame is a kernel that is linked: its steps, and the vectors and states that they share. One
// launch at a time may use it.
type frame struct {
	*tile.Kernel
	batch   int
	streams []stream
	uniform []register // per value that is the same for all rows
	folds   []folder   // per operation
	begin   []step     // resets states
	views   []step     // ends the views of memory that is not the frame's
	uses    []int      // per value
	left    []int      // of these, those that a step has to serve: others have become part of it

	closings []closing
	spared   []bool // operations that batches need not run

	before, each, after *section
	tables              []*section // run behind before, for all workers
	ends                []*section // per domain that closes segments

	run  *run            // of the launch
	rows int64           // of the launch
	ctx  context.Context // of the launch

	first    *frame   // of which this is a helper, or nil
	helpers  []*frame // that run batches beside this one
	states   []any    // that live from batch to batch; of the first frame
	stateful int      // how many of these are linked
	ordinal  int      // ordered steps that are linked
	serial   bool     // most of the work is in these
	combined []int    // streams: tables with which rows are combined
	merges   []step   // add what a worker has counted by itself
	turns    *turns   // of several workers at work, else nil
	number   int64    // of the batch

	waited time.Duration // for turns, of late
}

// newFrame links a kernel for batches of so many rows.
func newFrame(k *tile.Kernel, batch int) (*frame, error) {
	f := &frame{Kernel: k, batch: batch, streams: make([]stream, len(k.Streams)), uniform: make([]register, len(k.Values)),
		folds: make([]folder, len(k.Ops)), uses: k.CountUses()}
	for i, s := range k.Streams {
		f.streams[i].kind = s.Kind
	}
	f.findClosings()
	return f, f.link()
}

// link makes the steps of a frame; of a helper those of batches.
func (f *frame) link() (err error) {
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			err = refused.error
		}
	}()
	k := f.Kernel
	f.left = slices.Clone(f.uses)
	before, each := f.newLinker(0), f.newLinker(0)
	isBefore := func(op *tile.Op) bool { return op.Domain == tile.Uniform && !op.IsReduction() }
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && isBefore(op) {
			before.op(i)
		}
	}
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && !isBefore(op) && !f.spared[i] {
			each.put(i)
		}
	}
	f.before, f.each = before.section, each.section
	if f.first != nil {
		return nil
	}
	for d := range k.Domains {
		if k.Domains[d].Kind == tile.Close {
			f.ends = append(f.ends, f.end(d))
		}
	}
	after := f.newLinker(0)
	for i := range k.Ops {
		if k.Ops[i].IsReduction() {
			after.reduced(i)
		}
	}
	for i := range k.Ops {
		if k.Ops[i].Epilogue {
			after.op(i)
		}
	}
	f.after = after.section
	return nil
}

// end links what happens after the rows, when the last segment of a domain closes. There,
// rows of other domains know what folds hold after all rows, and arithmetic on that.
func (f *frame) end(domain int) *section {
	l := f.newLinker(domain)
	for d := range l.domains {
		l.domains[d].n = 1
	}
	for i := range f.Ops {
		op := &f.Ops[i]
		switch {
		case op.Epilogue || op.Domain == tile.Uniform:
		case f.Inside(op.Domain, domain):
			l.op(i)
		case op.Kind == tile.Scan && op.Exclusive:
			l.stateAfter(i)
		case op.Kind == tile.Map || op.Kind == tile.Load && len(op.Args) > 0:
			known := true
			for _, v := range op.Args {
				_, ok := l.find(v, op.Domain)
				known = known && ok
			}
			if known {
				l.op(i)
			}
		}
	}
	return l.section
}

// mayEnd ends the launch if its context has ended: within a batch, for operations that take long.
func (f *frame) mayEnd() {
	if err := f.ctx.Err(); err != nil {
		panic(refusal{err})
	}
}

// forget ends all use of the memory of a launch.
func (f *frame) forget() {
	f.run, f.ctx = nil, nil
	for i := range f.streams {
		f.streams[i].data = nil
	}
	for _, end := range f.views {
		end()
	}
	for _, h := range f.helpers {
		h.forget()
	}
}

// pass runs the batch that begins at a row.
func (f *frame) pass(first int64) {
	base := &f.each.domains[0]
	base.first, base.n = first, int(min(f.rows-first, int64(f.batch)))
	f.each.runAll()
}

// launch runs the kernel over so many rows.
func (f *frame) launch(ctx context.Context, r *run, rows int64, workers int) error {
	f.run, f.rows, f.ctx = r, rows, ctx
	for _, reset := range f.begin {
		reset()
	}
	f.before.runAll()
	for _, table := range f.tables {
		table.runAll()
	}
	if workers > 1 {
		if err := f.spread(workers); err != nil {
			return err
		}
	}
	for first := int64(0); first < rows && workers == 1; first += int64(f.batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.pass(first)
	}
	for _, end := range f.ends {
		end.runAll()
	}
	f.after.runAll()
	return nil
}
