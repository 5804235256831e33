// Package partial cuts a pipeline at its aggregates, so that its rows can be
// computed in shards, anywhere, and the parts combined to the whole.
//
// What stands before the aggregates becomes the pipeline Shard, from the rows
// of a shard to a state: sums, counts, extremes, first and last elements, per
// pipeline, bin or group. States of neighbouring shards combine field by field
// (a [State] says how), which is associative and has the state of no rows as
// its identity. What stands behind the aggregates becomes the pipeline Finish,
// from the state of all rows to the results.
//
// Checks are part of the state: the first row that fails each. So the whole's
// error is found, whichever shard has it.
//
// Rows may look at their neighbours, a fixed number of rows away: a [Halo].
//
// The cut is made on the operator graph, so it is the same at every fusion
// level and for every backend. What cannot be cut is an [ir.Error] at the
// operator that forbids it: one whose value at a row depends on rows of other
// shards.
package partial
