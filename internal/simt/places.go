package simt

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Places are how what a work-group remembers lies in local memory, with the tables beside it. A look reads those of
// a bucket at once: with two, a table that is half full has most keys in the bucket in which they are first looked for.
// Elements beside a place have copies, which neighbouring work-items take in turn: rows of few groups do not wait for each other.
type places struct {
	remembered int64 // rows: so many places, in whole buckets
	bucket     int64 // places of a bucket
	copies     int64 // of elements
}

// plainPlaces are so many buckets of one place, without copies.
func plainPlaces(n int64) places { return places{n, 1, 1} }

// all returns the number of places, among them those for the key that free places have.
func (p places) all() int64 { return p.remembered + p.bucket }

// perWord returns how many places a word has if what is remembered is of a kind: 2 if a bucket has as many, and they fit.
func (p places) perWord(kind ir.Kind) int64 {
	if p.bucket == 2 && kind == ir.U32 {
		return 2
	}
	return 1
}

// wordKind returns the kind of the words of places.
func (p places) wordKind(kind ir.Kind) ir.Kind {
	if p.perWord(kind) > 1 {
		return ir.U64
	}
	return kind
}

// wordsOf returns how many words all places are.
func (p places) wordsOf(kind ir.Kind) int64 { return p.all() / p.perWord(kind) }

// memoryBytes returns the local memory for that, and for a few words more, see memory.
func (p places) memoryBytes(kind ir.Kind) int64 {
	return aligned16(int64(p.wordKind(kind).Size()) * (p.wordsOf(kind) + 4))
}

// pairedStep is by how many places there are fewer if more do not fit.
const pairedStep = 256

// fewer returns fewer places: the next lower power of two, which takes no product to find one, or, where as many as fit
// are wanted, a few less.
func (p places) fewer() places {
	if p.bucket > 1 {
		p.remembered -= pairedStep
	} else {
		p.remembered = 1 << (bits.Len64(uint64(p.remembered-1)) - 1)
	}
	return p
}

// sparse is how many times as many places as keys make few of these meet.
const sparse = 8

// fittedPlaces suit some numbers of groups, as a sample has them.
type fittedPlaces struct {
	places
	name        string // a value of plan.Schedule.Places
	wide        bool   // they suit keys of more than 4 bytes, too: few of these wait for global memory, not for each other
	parts       bool   // they suit partitioned rows, else others
	least, most int64
}

// fittedTo are the places for other numbers of groups than plain ones suit. On an H200, 2^28 rows of 16, 128 and 256 groups
// take 0.59, 0.62 and 0.63 ms with copies, plain 0.67, 0.62 and 0.62; of 1,536, 2,048, 4,096 and 8,192 0.76, 0.75, 0.90 and 1.84
// in pairs, plain 0.70, 0.77, 1.00 and 2.02. Partitioned ones of 65,536 and 2^20 groups take 2.77 and 3.48 in pairs, plain 2.65 and 3.76.
var fittedTo = []fittedPlaces{
	{places{6784, 1, 4}, plan.Copied, false, false, 1, 128},
	{places{rememberedLaunched, 2, 1}, plan.Paired, true, false, 2048, plan.MaxRows},
	{places{rememberedLaunched, 2, 1}, plan.Paired, true, true, 3 << 17, plan.MaxRows},
}

// fitted lists the places that the kernel may have in place of plain ones: in local memory that a launch brings, for one table
// beside keys.
func (w walking) fitted() []fittedPlaces {
	if w.suffix != "" || w.target.LaunchedLocal == 0 || w.localTables == nil || len(w.localTables.entered) != 1 || w.ownBytes > 0 {
		return nil
	}
	op := &w.Ops[w.localTables.entered[0].op]
	word := w.wordOfKeys(w.Kernel, op)
	if word == ir.I32 || len(w.reductions()) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(fittedTo), func(in fittedPlaces) bool {
		return in.parts != (op.PartBits > 0) || word == ir.U64 && !in.wide || w.with(in.places).remembered < min(sparse*in.most, w.remembered)
	})
}

// with returns the scheme of the kernel with other places.
func (w walking) with(in places) walking {
	k, s := *w.kernel, *w.launches
	k.places = in
	k.localTables = w.planTables(w.Kernel, &k.shape)
	s.kernel = &k
	made := walking{flat{&s}}
	s.scheme = made
	return made
}

// inStead launches the kernel with other places, in place of the last step, if the sample has as many groups as they suit.
func (w walking) inStead(in fittedPlaces) {
	scalar := w.Ops[w.localTables.entered[0].op].Ref
	if scalar == "" {
		return
	}
	about := plan.Var(scalar)
	suits := plan.Eq(plan.Max(plan.Min(about, plan.Const(in.most)), plan.Const(in.least)), about)
	steps := w.out.Steps
	last := len(steps) - 1
	w.out.Steps = nil
	w.with(in.places).walk(w.Name + "_" + in.name)
	choice := &plan.If{Cond: suits, Then: w.out.Steps, Else: slices.Clone(steps[last:])}
	w.out.Steps = append(steps[:last:last], plan.Step{If: choice})
}
