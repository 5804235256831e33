package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// beyondBytes predicts the seconds that k takes beyond a launch and the bytes of its streams,
// by what was measured on the machine. On a declared machine that is nothing.
func (f *Fusion) beyondBytes(k *tile.Kernel) float64 {
	m := &f.Machine
	if len(m.Rates) <= 2 && len(m.Curves) == 0 {
		return 0
	}
	rows := f.Graph.rowsOfKernel(k)
	cuts := k.CountCuts()
	selects := cuts == 1 && tile.Analyze(k).Relocates()
	prefix := m.Rates[plan.RateLookback]
	if selecting, isMeasured := m.Rates[plan.RateSelect]; selects && isMeasured {
		prefix = selecting
	}
	// A plan is chosen for any number of rows. Of many, what a prefix takes at first would count for too
	// much: on an H100 by OpenCL it is 19 us, and a filter of 2^24 rows took 154 us in two kernels, 50 in one.
	first := min(m.Rates[plan.RatePrefix], m.Rates[plan.RateCall]+m.Rates[plan.RateLaunch])
	// What tiles share is cleared by a launch for all prefixes of a kernel; the rest is waiting.
	clearing := min(first, m.Rates[plan.RateLaunch])
	exchanges := cuts
	if slices.ContainsFunc(k.Ops, func(op tile.Op) bool { return op.Kind == tile.ScanTotals }) {
		exchanges++ // the last work-group waits for all others, too
	}
	total := float64(cuts)*rows[0]*prefix + float64(exchanges)*(first-clearing) + rows[0]*m.Rates[plan.RateLoop] - f.Graph.unreached(k, rows)/m.Rates[plan.RateMemory]
	if exchanges > 0 {
		total += clearing
	}
	phase, cutScans := k.Phases(func(op *tile.Op) bool { return op.Cuts() || op.Counts() })
	for c, scans := range cutScans {
		if c > 0 && storesRows(k, phase, c) {
			total += rows[0] * m.Rates[plan.RateStoring]
		}
		total += f.besides(k, scans, rows)
		switch {
		case slices.ContainsFunc(scans, func(i int) bool { return k.Ops[i].Closes() }):
			closes, _ := k.Closes()
			total += rows[0] * m.Rates[plan.RateClosing] * closingWork(closes)
		case c == 0:
		case slices.ContainsFunc(scans, func(i int) bool { return k.InSegments(k.Ops[i].Domain) }):
			total += rows[0] * m.Rates[plan.RateClosing]
		default:
			total += rows[0] * m.Rates[plan.RateWaiting]
		}
	}
	// On cores, what a prefix is made of is computed for it first, and then again with the
	// results, unless these can be moved when it is known. A single core goes through the rows
	// in their order, with the prefix so far.
	again := make([]bool, len(k.Ops))
	if inLoops(m) && m.Units > 1 && cuts == 1 && !selects && !foldsSegments(k) {
		again = k.NeededBy(func(i int) bool { return k.Ops[i].Cuts() || k.Ops[i].Counts() })
	}
	_, searches := m.Curves[plan.CurveSearch]
	for d, domain := range k.Domains {
		switch {
		case domain.Kind == tile.Close && inLoops(m) && (k.Domains[domain.Parent].Kind == tile.Compact || k.Domains[domain.Parent].Kind == tile.Close):
			total += rows[domain.Parent] * m.Rates[plan.RateBranch] * headsWrong
		case domain.Kind != tile.Compact || !k.Branches(d) || searches && tellsFound(k, domain.Guard):
		case m.Subgroup <= 1 && k.Lists(d):
			total += rows[domain.Parent] * m.Rates[plan.RateSelect]
		default:
			total += rows[domain.Parent] * m.Rates[plan.RateBranch]
		}
	}
	chunkwise := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Domain == tile.Uniform || op.Epilogue {
			continue
		}
		chunkwise = chunkwise || op.IsChunkwise()
		if op.IsChunkwise() && phase[i] > 0 { // it waits as another prefix would, and its group for its stores
			total += rows[0] * (m.Rates[plan.RateWaiting] + m.Rates[plan.RateStoring])
		}
		seconds := rows[op.Domain] * f.rowSeconds(k, op, rows)
		if again[i] {
			seconds *= 2
		}
		total += seconds
	}
	if chunkwise {
		total += rows[0] * m.Rates[plan.RateScan]
	}
	return total
}

// inLoops reports whether kernels are loops over their rows, as those of emitted Go, and not work-groups, which PoCL runs on cores, too.
func inLoops(m *plan.Machine) bool { return m.Subgroup <= 1 && m.MaxWorkgroup <= 1 }

// The width of the state and the operators by which two are combined of the prefix whose closing is measured.
const closingWords, closingOperators = 7, 12

// closingWork returns how many times as much as what is measured it takes to close segments by a scan: the more words a state has, the fewer of them
// are in registers while its operators combine it. On an H200, states of 9, 12 and 22 words with 19, 46 and 58 operators took 4, 21 and 26 times as
// much, and by PoCL one of 33 words with 114 operators 55.
func closingWork(scan *tile.Op) float64 {
	return float64(scan.Monoid.Words()*scan.Monoid.Operators()) / (closingWords * closingOperators)
}

// headsWrong is how often a core guesses wrong whether a row begins a segment, beside a branch of which nothing is known. Segments of all
// rows have forms without one, those of filtered rows and of segments have not: in one kernel with the filter these took 1 ns for each of
// 10^6 rows more, and runs of runs in one kernel 1.7.
const headsWrong = 0.5

// besides returns what scans of one cut take beside one of them, the dearest, which the prefix has. One that
// only numbers the rows of a domain takes no more than to select these by itself. On cores none takes more than
// in a loop of its own, whatever was measured with two columns of results, unless rows have the branch of a head.
func (f *Fusion) besides(k *tile.Kernel, scans []int, rows []float64) float64 {
	beside := f.Machine.Rates[plan.RateBeside]
	if f.Machine.Subgroup <= 1 && !closesSegments(k) {
		beside = min(beside, f.Machine.Rates[plan.RateLookback])
	}
	total, most := 0.0, 0.0
	for _, scan := range scans {
		rate := beside
		if selecting, isMeasured := f.Machine.Rates[plan.RateSelect]; isMeasured && k.Numbers(scan) {
			rate = min(rate, selecting)
		}
		seconds := rows[k.Ops[scan].Domain] * rate
		total += seconds
		most = max(most, seconds)
	}
	return total - most
}

// closesSegments reports whether k has rows where segments end.
func closesSegments(k *tile.Kernel) bool {
	return slices.ContainsFunc(k.Domains, func(d tile.Domain) bool { return d.Kind == tile.Close })
}

// storesRows reports whether rows of k are stored before the state of the cut c is published, which
// then has to wait until the stores are seen.
func storesRows(k *tile.Kernel, phase []int, c int) bool {
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && op.Domain != tile.Uniform && op.Does(tile.Writes) && phase[i] <= c {
			return true
		}
	}
	return false
}

// foldsSegments reports whether k only stores folds of segments, once for each.
func foldsSegments(k *tile.Kernel) bool {
	if len(k.Domains) != 2 || k.Domains[1].Kind != tile.Close {
		return false
	}
	return !slices.ContainsFunc(k.Ops, func(op tile.Op) bool {
		return !op.Epilogue && (op.IsReduction() || op.IsChunkwise() || op.Seeks() || op.HasEffect() && (op.Domain != 1 || !op.Does(tile.Writes)))
	})
}

// rowSeconds returns the seconds that an operation takes for a row beyond its bytes. Domains have so many rows.
func (f *Fusion) rowSeconds(k *tile.Kernel, op *tile.Op, rows []float64) float64 {
	m := &f.Machine
	switch op.Kind {
	case tile.Reduce:
		return m.Rates[plan.RateOperator]
	case tile.Map:
		if op.Operator.Cost() == ir.Dear && !k.DividesByConstant(op) {
			if quotient, isMeasured := m.Rates[plan.RateQuotient]; isMeasured && k.Values[op.Args[0]].Kind.IsFloat() {
				return quotient
			}
			return m.Rates[plan.RateDear]
		}
		return m.Rates[plan.RateOperator]
	case tile.Load, tile.Store:
		if a := k.Streams[op.Stream].Access; a == tile.Permute || a == tile.Gather && op.LoadsAt() && !op.Ascending {
			return m.Curves[plan.CurveGather].At(f.Graph.reachedBytes(k, op, rows))
		}
		if op.LoadsAt() && m.RunsInTurn() { // in order, but one row after the other
			return m.Curves[plan.CurveGather].At(0)
		}
	case tile.Shift:
		if m.RunsInTurn() {
			return f.recomputed(k, op, rows)
		}
	case tile.Search:
		return m.Curves[plan.CurveGather].At(f.Graph.tableBytes(k, op))
	case tile.Probe, tile.Match:
		return f.searching(k, op, plan.CurveGather)
	case tile.Partners, tile.Pairs:
		return m.Rates[plan.RateOperator] * float64(len(op.Keys)) * f.Graph.lengthOf(f.Graph.byName[k.Streams[op.Keys[0]].Buffer])
	case tile.EnterParts, tile.MatchParts, tile.PartnerParts, tile.GroupParts: // a part is in the cache
		return m.Rates[plan.RateOperator] * f.Graph.lengthOf(f.Graph.byName[k.Streams[op.Stream].Buffer])
	case tile.Insert:
		return f.searching(k, op, plan.CurveAtomic)
	case tile.Enter, tile.Cuckoo:
		return m.Curves[plan.CurveAtomic].At(f.Graph.tableBytes(k, op))
	case tile.Update:
		return f.update(k, op)
	}
	return 0
}

// recomputed returns the seconds that the operand of a shift takes, which is computed once more for another row.
func (f *Fusion) recomputed(k *tile.Kernel, shift *tile.Op, rows []float64) (seconds float64) {
	at := k.Values[shift.Res[0]].Op
	for i, isNeeded := range k.NeededBy(func(i int) bool { return i == at }) {
		if op := &k.Ops[i]; isNeeded && i != at && op.Domain != tile.Uniform && (op.IsMap() || op.LoadsAt()) {
			seconds += f.rowSeconds(k, op, rows)
		}
	}
	return seconds
}

// searching returns the seconds of a search in a hash table: those of the curve usual where searches
// are not measured.
func (f *Fusion) searching(k *tile.Kernel, op *tile.Op, usual string) float64 {
	bytes := f.Graph.tableBytes(k, op)
	curve, isMeasured := f.Machine.Curves[plan.CurveSearch]
	operators, searches := beside(k)
	if !isMeasured || f.Machine.RunsInTurn() && isLikelyDirect(k, op) {
		curve, operators = f.Machine.Curves[usual], 0
	}
	return curve.At(bytes) + min(float64(operators)/hashOperators+float64(searches-1), 1)*f.Machine.Curves[plan.CurveHashed].At(bytes)
}

// isLikelyDirect reports whether the slots of a table are keys rather than hashes if the keys are near each other, as those of one
// column often are. Then a row reaches into the table once.
func isLikelyDirect(k *tile.Kernel, op *tile.Op) bool {
	switch op.Kind {
	case tile.Insert:
		return op.Direct || len(op.Keys) <= 1
	case tile.Match, tile.Probe:
		return k.Values[op.Args[2]].Likely
	}
	return false
}

// tellsFound reports whether rows pass a guard by what a search in their kernel has found. Whether it would find
// something has been guessed then, as was measured with the search.
func tellsFound(k *tile.Kernel, guard tile.ID) bool {
	op := &k.Ops[k.Values[guard].Op]
	varying := slices.DeleteFunc(slices.Clone(op.Args), func(v tile.ID) bool { return k.Ops[k.Values[v].Op].Domain == tile.Uniform })
	switch {
	case op.Kind == tile.Probe || op.Kind == tile.Match:
		return true
	case !op.IsMap():
		return false
	case op.Operator == ir.OpSelect && len(varying) == 2 && varying[0] == op.Args[1]: // by the way to search
		return tellsFound(k, varying[0]) || tellsFound(k, varying[1])
	}
	return len(varying) == 1 && tellsFound(k, varying[0])
}

// hashOperators is how many operators the kernel has by which what a search takes beside hashes was measured:
// those of a hash of two keys, without casts.
const hashOperators = 12

// beside counts the operators and searches of k. While a core waits for
// what is searched, it goes on to later rows, as far as it looks ahead: the fewer rows, the more it computes for each.
// Another search is guessed wrong as often, and then what has begun of this one is lost: inserts in two tables of 16 MiB
// took 23 ms for 10^6 rows in one loop, 10 in loops of their own.
func beside(k *tile.Kernel) (operators, searches int) {
	for _, op := range k.With(func(op *tile.Op) bool { return op.IsMap() || isSearched(op) }) {
		switch {
		case op.Domain == tile.Uniform || op.Epilogue:
		case isSearched(op):
			searches++
		case op.Operator != ir.OpCast:
			operators++
		}
	}
	return operators, searches
}

// isSearched reports whether op searches in a hash table, or inserts into one.
func isSearched(op *tile.Op) bool {
	return op.Kind == tile.Probe || op.Kind == tile.Match || op.Kind == tile.Insert
}

// rowsOfKernel predicts the rows of each domain of k.
func (g *Graph) rowsOfKernel(k *tile.Kernel) []float64 {
	named := map[string]*ir.Domain{}
	for _, d := range g.Pipeline.Domains {
		named[g.DomainName(d)] = d
	}
	rows := make([]float64, len(k.Domains))
	for i, d := range k.Domains {
		switch of := named[d.Plan]; {
		case of != nil:
			rows[i] = g.assumedLength(of)
		case i > 0:
			rows[i] = rows[d.Parent]
		default: // chunks, or the one row of a kernel of scalars
			rows[i] = 1
		}
	}
	return rows
}
