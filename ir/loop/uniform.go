package loop

// Spread says among which work-items a value is equal, or control flow common.
type Spread uint8

// The spreads, from the weakest to the strongest.
const (
	Varying         Spread = iota // differs from work-item to work-item
	EqualInSubgroup               // one value a subgroup
	EqualInGroup                  // one value a work-group
	EqualInGrid                   // one value in the whole grid
)

var spreadNames = [...]string{"varying", "equal in a subgroup", "equal in a group", "equal in the grid"}

func (s Spread) String() string { return spreadNames[s] }
