package fuse

// AssumedRows is the length that predictions assume for each parameter's domain. Level auto
// chooses by it, unless it is known that there are more rows.
const AssumedRows = 1 << 20

// FewRows are fewer than the work for a whole GPU in tiles of the size that suits many.
const FewRows = 1 << 16

// RowsFor returns the rows of domains by which level auto chooses where they are known, such that one
// choice serves many lengths: nil, which is [AssumedRows] for each, unless one has more, and then each
// rounded up to a power of rowsStep. Where few rows are told apart, it is FewRows for each if none has more.
func RowsFor(lengths map[string]int64, few bool) map[string]int64 {
	most := int64(0)
	for _, n := range lengths {
		most = max(most, n)
	}
	few = few && most <= FewRows
	if most <= AssumedRows && !few {
		return nil
	}
	least := int64(leastRows)
	if few {
		least = FewRows
	}
	rows := map[string]int64{}
	for domain, n := range lengths {
		class := least
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
