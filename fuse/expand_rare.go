package fuse

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// A sample cannot tell how many groups rows have if some of these have most rows. So the kernel that counts the rows of parts counts groups,
// too: those of keys whose hash has zeros somewhere, which are as rare among all keys, however many rows these have. Few rows have
// such keys, and each has a bin by other bits of its hash. How many bins have rows tells how many keys there are, though some share one:
// Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for database applications", 1990.

// rareBits are the bits of a bin: the highest ones of a hash, as those of parts are.
const rareBits = 10

// rareKeys are the keys of some rows whose hash has so many zeros behind its rareBits highest bits.
type rareKeys struct {
	zeros int
	bins  *ir.Value // scalar: how many bins they have
}

// mostSome is up to about how many groups are worth a partition.
func (o *ordering) mostSome() int64 { return groupsPerSample * o.sample }

// rareKeys counts the rare ones of some keys, beside the rows of parts, which have counts: the kernel that counts these reads all keys.
func (o *ordering) rareKeys(keys []sortKey, counts *ir.Value) rareKeys {
	r := rareKeys{zeros: zerosOf(o.mostSome())}
	hash := o.highHash(o.words(keys))
	isRare := o.apply(ir.OpEq, o.apply(ir.OpAnd, hash, o.integer(hash, (1<<r.zeros-1)<<(codeBits-rareBits-r.zeros))), o.integer(hash, 0))
	bin := o.choose(isRare, o.cast(ir.I64, o.apply(ir.OpShr, hash, o.integer(hash, codeBits-rareBits))), o.number(-1))
	bins := o.newDomain(ir.DomainBins, o.rows.Name+"_rare", nil)
	bins.By = o.add(o.pos, ir.Value{Op: ir.OpBins, Args: []*ir.Value{bin, o.number(1 << rareBits)}, Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: bins}})
	rows := o.add(o.pos, ir.Value{Op: ir.OpCount, By: bins.By, Type: ir.Type{Kind: ir.I64, Domain: bins}})
	part := o.apply(ir.OpShr, o.index(rows, bins), o.number(rareBits-partitionBits))
	part.Type.Target = counts.Type.Domain
	isTaken := o.apply(ir.OpGt, o.apply(ir.OpLeast, rows, o.gather(o.pos, counts, part)), o.number(0)) // both are counted, or none
	r.bins = o.add(o.pos, ir.Value{Op: ir.OpSum, Args: []*ir.Value{o.cast(ir.I64, isTaken)}, Type: ir.Type{Kind: ir.I64}})
	return r
}

// highHash returns the 32 highest bits of the hash of some words.
func (o *ordering) highHash(words []word) *ir.Value {
	if len(words) == 1 && words[0].bits <= codeBits {
		return o.narrowHash(words[0])
	}
	hash := o.hashOf(words)
	return o.cast(ir.U32, o.apply(ir.OpShr, hash, o.integer(hash, 64-codeBits)))
}

// zerosOf returns how many zeros rare keys have: of so many groups that are just not too many, one to two per bin have them.
func zerosOf(most int64) int { return max(bits.Len64(uint64(most>>rareBits))-1, 0) }

// binsOfMost returns how many bins the rare ones of so many groups have.
func binsOfMost(most int64) int64 {
	perBin := float64(most) / float64(int64(1)<<(rareBits+zerosOf(most)))
	return int64((1 << rareBits) * (1 - math.Exp(-perBin)))
}

// areFew returns a scalar that is 1 if there are about so few groups that a partition is worth it, and there is room for as many, else 0.
func (r rareKeys) areFew(o *ordering, room *ir.Value) *ir.Value {
	most := o.apply(ir.OpLeast, o.apply(ir.OpShr, room, o.number(int64(r.zeros))), o.number(binsOfMost(o.mostSome())))
	return o.choose(o.apply(ir.OpLe, r.bins, most), o.number(1), o.number(0))
}

// mostPerBins is twice how many rare keys as many bins as have one have at most, if these are few: up to 2 a bin, and more by chance.
const mostPerBins = 5

// mostGroups returns a scalar that the number of groups certainly does not exceed, if these are few.
func (r rareKeys) mostGroups(o *ordering) *ir.Value {
	few := o.apply(ir.OpShr, o.apply(ir.OpMul, r.bins, o.number(mostPerBins<<r.zeros)), o.number(1))
	return o.apply(ir.OpGreatest, few, o.number(o.hashGroups))
}
