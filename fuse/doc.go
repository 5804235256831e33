// Package fuse lowers a pipeline to stages and merges stages into kernels.
//
// A [Stage] is a primitive step over the rows of one domain: a mask, a partial
// scan, the offsets of its chunks, their addition, a compaction, an
// aggregation, a map. [Lower] makes them. A kernel is a set of stages; whether
// a set is legal is decided in one place, by building its tile program: what
// cannot be built is refused with the reason. Levels are rules about which
// stages may meet ([Fuse]), and automatic choice is a search over all legal
// plans by predicted cost.
//
//	graph := fuse.Lower(pipeline, fuse.Options{})
//	fusion, err := fuse.Fuse(graph, fuse.LevelOnePass, plan.Profiles()[plan.DefaultProfile])
//	if err != nil {
//		return err // what is wrong with the level or the plan by hand
//	}
//	program, err := fusion.Program() // its Plan launches its Kernels
//
// Bytes are bytes. [Fusion.Cost] is in seconds; fields called Predicted are in
// nanoseconds.
package fuse
