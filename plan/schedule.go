package plan

// Schedule is the shape of a variant: a work-group covers Workgroup × Items ×
// Chunk rows.
type Schedule struct {
	Workgroup int    `json:"workgroup,omitzero"` // work-items per work-group; 0 is 1
	Items     int    `json:"items,omitzero"`     // rows that a work-item holds at once; 0 is 1
	Chunk     int    `json:"chunk,omitzero"`     // tiles that a work-group processes one after the other; 0 is 1
	Scheme    string `json:"scheme,omitempty"`   // how a grid-wide prefix is computed: published, lookback, persistent; in plans also flat, if there is none, and "" for emitted Go
	IDs       string `json:"ids,omitempty"`      // how tiles are numbered under lookback: ticket, static; "" is ticket
	Offsets   string `json:"offsets,omitempty"`  // how published folds of tiles become prefixes: scan, broadcast; "" is scan
	Variant   string `json:"variant,omitempty"`  // how rows of groups are combined: direct, chunked, privvar, privarray, subgroup, segmented
	Table     string `json:"table,omitempty"`    // where rows of bins are combined: local, global
	Groups    string `json:"groups,omitempty"`   // how rows are brought into groups: sort, hash, shared, independent, local, partitioned; "" is bins where these suit the keys, else hash in Go and CUDA C++
	Places    string `json:"places,omitempty"`   // how the keys of groups that a work-group has met lie in local memory: plain, copied, paired; "" is as their number in a sample suits, and in plans plain
	Probe     string `json:"probe,omitempty"`    // how find and join find rows with equal keys: linear, cuckoo, sort, loops; "" is by their number where keys have a small range, else linear
	Sources   string `json:"sources,omitempty"`  // how the rows of a tile find which rows repeat and join repeat: count, ends, search, item, subgroup, workgroup, child; "" is count
	Radix     int    `json:"radix,omitzero"`     // bits of the digits by which rows are sorted; 0 is what suits the device
	Rank      string `json:"rank,omitempty"`     // how the rows of a tile find their places by a digit: masks, additions; "" is additions in CUDA C++ where digits have many values, else masks
	Ring      int    `json:"ring,omitzero"`      // tiles that a work-group has in local memory or in flight, under scheme persistent
	Lookahead int    `json:"lookahead,omitzero"` // rounds between publishing the fold of a tile and finishing the tile, under scheme persistent
	Occupancy int    `json:"occupancy,omitzero"` // work-groups of a compute unit that registers have to suffice for; 0 leaves registers to the compiler
	Part      int64  `json:"part,omitzero"`      // maximum of rows of a launch; 0 is one launch for all rows
}

// FormerSchemes maps names that values of Schedule.Scheme have had to the present
// names. A plan or a setting with a former name is refused.
var FormerSchemes = map[string]string{"round": "persistent"}

// The values of Schedule.Offsets.
const (
	Scan      = "scan"      // one work-group scans the folds of all tiles
	Broadcast = "broadcast" // each tile adds its fold to the offsets of all later tiles, as in the paper cited below; the work grows with the square of the tiles
)

// The values of Schedule.IDs. No tile waits for a tile that has not started.
const (
	Ticket = "ticket" // in the order in which work-groups start
	Static = "static" // by the index of the work-group, on devices that start work-groups in this order
)

// The values of Schedule.Variant: how the rows of a group are combined. All but
// Segmented combine them in a table, in any order. Direct, Chunked, PrivateVar and
// PrivateArray are from Saxena et al., "Code fusion of prefix sum with ordered
// aggregation", algorithms 3 to 6, Subgroup from Meinke, "In-memory OLAP aggregation on
// GPUs using CUDA Dynamic Parallelism", section 4.3.4.
const (
	Direct       = "direct"    // an atomic operation per row
	Chunked      = "chunked"   // an atomic operation per row; a work-item takes consecutive rows
	PrivateVar   = "privvar"   // a work-item combines rows in a variable while the group stays the same
	PrivateArray = "privarray" // a work-item combines its rows in an array with an element per group, and then adds the elements to the table
	Subgroup     = "subgroup"  // as Direct, but the rows of a subgroup that are of its first row's group are one operation
	Segmented    = "segmented" // a segmented scan folds the rows of contiguous groups in order
)

// The values of Schedule.Table. Local is one of Schedule.Groups, too.
const (
	Local  = "local"  // in tables of the local memory of work-groups, which are combined in the end
	Global = "global" // in the table in global memory
)

// The values of Schedule.Groups, none of which combines rows in a bin for each number that
// keys could be. In parts, rows are sorted. Shared, Independent and [Local] are from Rosenfeld
// et al., "Performance Analysis and Automatic Tuning of Hash Aggregation on GPUs"; with these
// and Partitioned, a hash table takes up to half as many groups as there are rows, and else
// rows are sorted.
const (
	Sort        = "sort"        // rows are sorted
	Hash        = "hash"        // a hash table finds the groups if these are few; else rows are partitioned, where the plan may choose that, or sorted
	Shared      = "shared"      // rows are combined in one hash table in global memory
	Independent = "independent" // each work-group has a table in global memory, which is combined with the common one in the end
	Partitioned = "partitioned" // rows are partitioned by a hash of their keys before, so that neighbours have few
)

// GroupWays lists the values of Schedule.Groups.
var GroupWays = []string{Sort, Hash, Shared, Independent, Local, Partitioned}

// The values of Schedule.Rank. Rows of one digit keep their order.
const (
	Masks     = "masks"     // lanes with one digit find each other in a mask of this digit
	Additions = "additions" // an atomic addition to the counter of the digit returns the place; kernels in CUDA C++ notice where lanes are not served in their order
)

// RankWays lists the values of Schedule.Rank.
var RankWays = []string{Masks, Additions}

// GroupStrategy returns how hash tables of groups are filled, if the schedule says; "" leaves
// it to the plan.
func (s Schedule) GroupStrategy() string {
	switch s.Groups {
	case Shared, Independent, Local, Partitioned:
		return s.Groups
	}
	return ""
}

// The values of Schedule.Places. A work-group has places for keys in local memory, and what rows combine beside them.
const (
	Plain  = "plain"  // each key has a few places, and an element beside each
	Copied = "copied" // there are few places, and copies of an element: rows of few groups do not wait for each other
	Paired = "paired" // two places are read at once: most keys are in the first pair, in a table that is half full, too
)

// PlacesWays lists the values of Schedule.Places.
var PlacesWays = []string{Plain, Copied, Paired}

// The values of Schedule.Probe, none of which looks for a key at its own number; and [Sort], by
// which the rows are sorted, and others search for the bounds of those with their keys.
const (
	Linear = "linear" // in a hash table, from the slot of the key on
	Cuckoo = "cuckoo" // in a slot of the key in each of three parts of a hash table; if no such table can be made, linear
	Loops  = "loops"  // nowhere: each row is compared with all others, by nested loops over blocks of these
)

// Probes lists the values of Schedule.Probe.
var Probes = []string{Linear, Cuckoo, Sort, Loops}

// Persistent is the value of Schedule.Scheme by which resident work-groups walk over the tiles together.
const Persistent = "persistent"

// The values of Schedule.Sources: how rows find which row they repeat, whose ends are known.
const (
	Count  = "count"  // the ends in a tile are counted where they lie, if they are not too many, and a running sum tells each row its source; where lengths are stored, most ends are found anew from them
	Ends   = "ends"   // the same, but all ends are stored
	Search = "search" // each row searches the ends, between the sources of the first row of its block and of the next one's

	PerItem      = "item"      // a launch before tells rows their sources: a work-item takes a repeated row, and its rows in a loop
	PerSubgroup  = "subgroup"  // so many as a CUDA warp has take a repeated row
	PerWorkgroup = "workgroup" // a work-group takes a repeated row
	PerChild     = "child"     // a work-item takes a page of repeated rows, and launches a grid of work-items, each of which searches the ends of the page
)

// SourceWays lists the values of Schedule.Sources, the default first.
var SourceWays = []string{Count, Ends, Search, PerItem, PerSubgroup, PerWorkgroup, PerChild}

// Variants lists the variants of aggregation, the default last.
var Variants = []string{Direct, Chunked, PrivateVar, PrivateArray, Subgroup, Segmented}

// Rows returns the number of rows that a work-group covers.
func (s Schedule) Rows() int64 {
	if s.Lookahead > 0 {
		s.Workgroup -= PersistentControl
	}
	return int64(max(s.Workgroup, 1)) * int64(max(s.Items, 1)) * int64(max(s.Chunk, 1))
}

// PersistentControl is the number of work-items of a work-group that take no rows
// under scheme persistent: they copy tiles, and publish and poll folds.
const PersistentControl = 96

// Tables reports whether the rows of contiguous groups are combined in tables.
func (s Schedule) Tables() bool { return s.Variant != "" && s.Variant != Segmented }
