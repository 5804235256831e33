package fuse

// AssumedRows is the length that predictions assume for each parameter's domain. Level auto
// chooses by it, unless it is known that there are more rows.
const AssumedRows = 1 << 20

// RowsFor returns the rows of domains by which level auto chooses where they are known: nil,
// which is [AssumedRows] for each, unless one has more. Else each is rounded up to a power of
// rowsStep, so that one choice serves many lengths. Fewer rows take the plan of AssumedRows:
// their times are mostly those of launches, of which a plan for many rows has few, too.
func RowsFor(lengths map[string]int64) map[string]int64 {
	more := false
	for _, n := range lengths {
		more = more || n > AssumedRows
	}
	if !more {
		return nil
	}
	rows := map[string]int64{}
	for domain, n := range lengths {
		class := int64(leastRows)
		for class < n && class < mostRows {
			class *= rowsStep
		}
		rows[domain] = class
	}
	return rows
}

// The classes of RowsFor.
const (
	leastRows = 1 << 10
	rowsStep  = 4
	mostRows  = 1 << 40
)
