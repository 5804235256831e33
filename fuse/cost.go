package fuse

import (
	"fmt"
	"math"
	"strings"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Assumptions of a cost prediction, because data is not known when compiling.
// explain shows bytes under these assumptions too.
const (
	assumedSelected = 0.5     // rows that pass a mask
	assumedGroups   = 0.25    // groups a row
	assumedBins     = 1 << 12 // bins of a computed number
	assumedSlots    = 2       // slots of a hash table a row
	assumedRoom     = 12288   // rows that one launch sorts, on a GPU
)

// assumedLength predicts the length of d, unless it is known.
func (g *Graph) assumedLength(d *ir.Domain) float64 {
	if rows, known := g.lengths[g.DomainName(d)]; known {
		return float64(rows)
	}
	switch d.Kind {
	case ir.DomainParam:
		if rows, known := g.rows[g.DomainName(d)]; known {
			return float64(rows)
		}
		return AssumedRows
	case ir.DomainMask:
		return assumedSelected * g.assumedLength(d.Parent)
	case ir.DomainRuns, ir.DomainStarts, ir.DomainEither:
		return assumedGroups * g.assumedLength(d.Parent)
	case ir.DomainWords:
		return float64(d.Width) * g.assumedLength(d.Parent)
	case ir.DomainEvery:
		return g.assumedLength(d.Parent) / float64(d.Width)
	case ir.DomainOrder:
		return g.assumedLength(d.Parent)
	case ir.DomainBins:
		if size := d.By.Args[1]; size.Op == ir.OpConst {
			return float64(size.Const.Int64())
		}
		if d.By.Op == ir.OpInsert && d.By.Limit == nil { // else it has as many as it may have groups
			return assumedSlots * g.assumedLength(d.By.Args[0].Type.Domain)
		}
		return assumedBins
	}
	return AssumedRows
}

// Traffic is the bytes that a kernel must move.
type Traffic struct {
	Read, Write float64
	Terms       []string // per domain: 12·n
}

// traffic adds up the streams of k, each read or written once.
func (g *Graph) traffic(k *tile.Kernel) Traffic {
	var t Traffic
	perDomain := map[string]int{}
	for _, s := range k.Streams {
		w := g.byName[s.Buffer]
		domain := g.DomainName(w.Domain)
		if w.Chunks {
			domain = chunksOf + domain
		}
		perRow := s.Kind.Size()
		bytes := g.lengthOf(w) * float64(perRow)
		if s.Write {
			t.Write += bytes
		}
		if !s.Write || s.Access == tile.Scatter { // what is there is read and combined
			t.Read += bytes
		}
		if s.Access == tile.Scatter {
			perRow *= 2
		}
		perDomain[domain] += perRow
	}
	for _, prefix := range []string{"", chunksOf} {
		for _, d := range g.Pipeline.Domains {
			if domain := prefix + g.DomainName(d); perDomain[domain] > 0 {
				t.Terms = append(t.Terms, fmt.Sprintf("%d·%s", perDomain[domain], domain))
			}
		}
	}
	return t
}

// lengthOf predicts how many rows the column w has.
func (g *Graph) lengthOf(w *Value) float64 {
	rows := g.assumedLength(w.Domain)
	if w.Chunks {
		rows /= ChunkRows
	}
	return rows
}

// chunksOf names the chunks of a domain.
const chunksOf = "chunks of "

// Total returns the sum of the bytes read and written.
func (t Traffic) Total() int64 { return int64(t.Read + t.Write) }

// Formula writes the bytes in terms of the lengths of domains.
func (t Traffic) Formula() string {
	if len(t.Terms) == 0 {
		return "0"
	}
	return strings.Join(t.Terms, " + ")
}

// cost predicts the seconds that k takes: a launch, its bytes at the machine's rate, and
// what rows take beyond that. One cut is resolved in one pass over memory everywhere. A
// kernel with several cuts runs on one core, with its share of the machine's rate, unless it
// closes segments.
func (f *Fusion) cost(k *tile.Kernel) float64 {
	t := f.Graph.traffic(k)
	seconds := (t.Read+t.Write+f.closingBytes(k))/f.Machine.Rates[plan.RateMemory] + f.beyondBytes(k)
	if inLoops(&f.Machine) && k.CountCuts() > 1 && k.Closing() == 0 {
		seconds *= float64(f.Machine.Units)
	}
	return f.Machine.Rates[plan.RateLaunch] + seconds
}

// closingWord is how many bytes could be moved while a work-group folds a word of the state of kept groups
// for a row, where that is not measured: on an H100, HAVING with 12 words took as long as 17 bytes a row.
const closingWord = 1.5

// closingFiltered is by how much that is more for rows of a filter, of which states have both ends: on an H200 runs of
// filtered rows and a mask over them, with 11 words, took as long as 38 bytes a row beyond what they move.
const closingFiltered = 2.3

// closingNested is by how much that is more for each further level of groups of groups: on an H200 groups of kept groups, with 23 words,
// took as long as 56 bytes a row, and three levels over filtered rows, with 35 words, as long as 411.
const closingNested = 1.6

// closingFactor returns how much more it takes to close groups by a scan than those of all rows.
func closingFactor(k *tile.Kernel, scan *tile.Op) float64 {
	factor := math.Pow(closingNested, float64(k.SegmentLevels()-1))
	if scan.Domain > 0 {
		factor *= closingFiltered
	}
	return factor
}

// closingBytes returns the bytes that could be moved while a kernel closes groups.
func (f *Fusion) closingBytes(k *tile.Kernel) float64 {
	scan, closes := k.Closes()
	if _, isMeasured := f.Machine.Rates[plan.RateClosing]; !closes || isMeasured {
		return 0
	}
	return f.Graph.rowsOfKernel(k)[0] * closingWord * closingFactor(k, scan) * float64(scan.Monoid.Words())
}

// Cost returns the predicted time of the whole plan in seconds. It assumes that the
// plan stores every value that a stage of another kernel reads.
func (f *Fusion) Cost() float64 { return f.costOf(f.Groups) }

func (f *Fusion) costOf(groups [][]*Stage) float64 {
	total := 0.0
	for _, group := range groups {
		t := f.try(group)
		if t.illegal != nil {
			panic("fuse: an illegal group was chosen: " + t.illegal.Error())
		}
		total += t.cost
	}
	return total
}

// remaining predicts the seconds of the plan without values and kernels that
// nothing needs.
func (f *Fusion) remaining() (float64, error) {
	p, err := f.Program()
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, k := range p.Kernels {
		total += f.cost(k)
	}
	return total, nil
}
