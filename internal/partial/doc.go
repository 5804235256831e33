// Package partial cuts a pipeline at its aggregates, so that its rows can be
// computed in shards, anywhere, and the states of the shards combined.
//
// The values before the aggregates become the pipeline Shard, from the rows of a
// shard to a state: sums, counts, extremes, first and last elements, per pipeline,
// bin or group. The states of neighbouring shards combine field by field (a
// [State] says how). The combination is associative, and the state of no rows is
// its identity. It is a pipeline, too: Merge takes the states of any number of shards
// and aggregates them. The values after the aggregates become the pipeline Finish,
// from the state of all rows to the results.
//
// The state includes the first row that fails each check. So the error of the
// whole is found whichever shard has it.
//
// Rows may read their neighbours, a fixed number of rows away: see [Halo].
//
// The cut is made on the operator graph, so it is the same at every fusion level
// and for every backend. A pipeline that cannot be cut is an [ir.Error] at the
// operator that forbids it: its value at a row depends on rows of other shards.
package partial
