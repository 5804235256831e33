package plan

// Schedule is the shape of a variant.
type Schedule struct {
	Workgroup int    `json:"workgroup,omitzero"` // work-items a group; 0 is 1
	Items     int    `json:"items,omitzero"`     // rows a work-item holds at once; 0 is 1
	Chunk     int    `json:"chunk,omitzero"`     // tiles a group walks through; 0 is 1
	Scheme    string `json:"scheme,omitempty"`   // how a grid-wide prefix is made: flat, published, lookback, round; serial, twopass on cores
	IDs       string `json:"ids,omitempty"`      // how tiles that tell each other get their numbers: ticket, static; "" is ticket
	Offsets   string `json:"offsets,omitempty"`  // how published folds of tiles become prefixes: scan, broadcast; "" is scan
	Variant   string `json:"variant,omitempty"`  // how rows of groups are combined: direct, chunked, privvar, privarray, segmented
	Ring      int    `json:"ring,omitzero"`      // tiles that a group has in local memory or under way, where it walks through them in rounds
	Lookahead int    `json:"lookahead,omitzero"` // rounds by which it tells the fold of a tile before it goes on with that
	Occupancy int    `json:"occupancy,omitzero"` // groups that registers leave room for on a unit; 0 leaves them to the compiler
	Part      int64  `json:"part,omitzero"`      // rows of a launch at most, of which a kernel takes as many as the input needs; 0 is one launch
}

// The ways to make prefixes of the folds that tiles publish.
const (
	Scan      = "scan"      // one group scans them
	Broadcast = "broadcast" // each tile adds its own to all later ones, as in the paper below: work that grows with the square of their number
)

// The ways to number tiles that tell each other, so that they wait for none that
// has not started.
const (
	Ticket = "ticket" // in the order in which groups have started
	Static = "static" // by the numbers of their groups, on devices that start groups in this order
)

// The variants of aggregation: how the rows of a group are combined. All but
// Segmented put them together in a table, in any order. The four are those of
// Saxena et al., "Code fusion of prefix sum with ordered aggregation",
// algorithms 3 to 6.
const (
	Direct       = "direct"    // an atomic for each row
	Chunked      = "chunked"   // the same, where a work-item takes consecutive rows
	PrivateVar   = "privvar"   // a work-item combines rows in a variable while the group stays the same
	PrivateArray = "privarray" // a work-item combines its rows in an array, an element for each group, and then delivers them
	Segmented    = "segmented" // a segmented scan folds the rows of contiguous groups in order
)

// Variants lists the variants of aggregation, the default last.
var Variants = []string{Direct, Chunked, PrivateVar, PrivateArray, Segmented}

// Rows returns how many rows a group covers.
func (s Schedule) Rows() int64 {
	if s.Lookahead > 0 {
		s.Workgroup -= RoundControl
	}
	return int64(max(s.Workgroup, 1)) * int64(max(s.Items, 1)) * int64(max(s.Chunk, 1))
}

// RoundControl is how many work-items of a group that walks in rounds take no
// rows: they bring tiles and folds to the others.
const RoundControl = 96

// Tables reports whether rows of contiguous groups are combined in tables.
func (s Schedule) Tables() bool { return s.Variant != "" && s.Variant != Segmented }
