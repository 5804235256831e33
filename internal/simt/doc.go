// Package simt lowers tile programs to kernels of work-groups.
//
// A work-group takes a tile: Workgroup x Items consecutive rows of the base domain,
// Items of them per work-item. Between two cuts of the tile program a kernel
// is a loop over a work-item's rows; at a cut the work-group folds what its
// work-items have seen (an exclusive scan through local memory), and a scheme
// brings the fold of all earlier tiles:
//
//   - flat: there is no cut;
//   - published: a launch per cut writes the fold of each tile, one work-group turns
//     them into prefixes, and the next launch reads those;
//   - look-back: the tiles of one launch publish to each other;
//   - round: work-groups that all run at once walk over the tiles, and publish to each other
//     the folds of a round some rounds ahead.
//
// Rows that are combined in tables go there one by one, or a work-item combines
// some first: see variant.go.
//
// Values that are alive across a cut are kept, a private array element per
// row. What comes after all rows (totals, the work-group that is still open,
// scalar results) is done by the last tile where it knows all, and by a launch
// of one work-group elsewhere.
//
// The result is the same for every device: loop programs for a printer, and a
// plan whose kernels have arguments, grids and schedules.
package simt
