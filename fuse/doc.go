// Package fuse lowers a pipeline to stages and merges stages into kernels.
//
// A [Stage] is a primitive step over the rows of one domain: a mask, a partial
// scan, the offsets of its chunks, their addition, a compaction, an
// aggregation, a map. [Lower] makes them. A kernel is a set of stages; whether
// a set is legal is decided in one place, by building its tile program: what
// cannot be built is refused with the reason. Levels are rules about which
// stages may meet ([Fuse]), and automatic choice is a search over all legal
// plans by predicted cost.
package fuse
