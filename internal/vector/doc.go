// Package vector runs pipelines in this process, without a compiler: it interprets tile
// programs a vector at a time, as in Boncz, Zukowski and Nes, MonetDB/X100: Hyper-Pipelining
// Query Execution, CIDR 2005.
//
// The rows of a kernel pass in batches that fit the first caches. Each operation of the tile
// program is a loop over a batch, over columns of one element type, and is compiled with this
// package; what is decided per program is only which loops run on which vectors. So the cost
// of interpretation is paid once per batch, not once per row.
//
//	program, err := vector.Compile(compiled) // for cores: build.Compile(..., vector.Name, ...)
//	result, err := program.Run(ctx, inputs, vector.Options{})
//
// Domains of a kernel that hold fewer rows than its base, such as those that a filter keeps,
// have a selection: the places of their rows in the domain that they are taken from. Operations
// see vectors without gaps, because what they read of an outer domain is compacted before.
// A scan keeps its state from batch to batch. Several workers share such state in the order of
// batches, see [Options].
package vector
