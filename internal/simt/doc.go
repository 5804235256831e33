// Package simt lowers tile programs to kernels of work-groups.
//
// A work-group takes a tile: Workgroup x Items consecutive rows of the base
// domain, Items of them per work-item. Between two cuts of the tile program a
// kernel is a loop over a work-item's rows. At a cut the work-group scans the
// states of its work-items, and a scheme brings the fold of all earlier tiles:
//
//   - flat: no tile needs earlier ones;
//   - published: a launch per cut stores the fold of each tile, a work-group turns
//     the folds into prefixes, and the next launch reads these;
//   - lookback: the tiles of one launch publish their folds, and poll those of
//     the tiles before them;
//   - ranking: rows move by a digit, and the state of the cut is a counter per digit,
//     published or polled, by tiles or by work-groups that walk over them;
//   - walking: folds and tables of rows in any order, which work-groups keep while
//     they walk over the tiles;
//   - persistent: work-groups that are all resident walk over the tiles, and
//     publish the folds of a round some rounds before they finish it.
//
// What comes after all rows (totals, the open segment, scalar results) is done
// by the last tile if it knows all, and by a launch of one work-group otherwise.
// The result is the same for every device: loop programs for a printer, and a
// plan whose kernels have arguments, grids and schedules.
//
// # Structure
//
// A [Target] says what a device has beyond work-groups: subgroups, and registers
// that kernels can ask for. A lowering makes the plan of one program; a kernel is
// a tile program with what planning decided about it; launches lower one kernel.
// What could be asked in many places is decided once, by a type each:
//
//	scheme         scheme.go, flat.go, published.go, broadcast.go, lookback.go, ranking*.go, persistent*.go
//	strategy       strategy.go, overlap.go, selection_store.go: how a tile runs its phases
//	placement      placement.go, persistent_copy.go: local memory as planning sees it
//	residence      placement.go, persistent_copy.go: the same as emitted text sees it
//	collective     blockscan.go, subgroup.go: how work-items fold together
//	selectionScan  selection_scan.go: how rows that are only selected are counted
//	rowSpan        launch_parts.go: which rows a launch takes
//	operation      operation.go: what each kind of operation writes
//	beside         beside.go: what needs no order of the rows, in a tile program of its own
//
// Text is written by four bodies, each of which has all of the one before:
// function (parameters, shared memory, what is known before the rows), tileBody
// (loading, storing, scans), rowBody (the operations of one row) and selectionBody
// (what is stored of selected rows).
//
// # Where more enters
//
// A new scheme is a family in the list families and a type that implements
// scheme. A new kind of operation needs an entry in operations. What operations
// ask of a scheme is a set of tile.Demands, and a scheme says which it meets; only
// ranking meets tile.Counters. No operation asks for tile.LocalTables yet: tables in
// local memory are a decision of this package (localtable.go).
package simt
