package fuse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Explanation says what a level made of a pipeline and why. Bytes and times
// are predictions: lengths that only the data decides are as in Assumed.
type Explanation struct {
	Pipeline string `json:"pipeline"`
	Level    string `json:"level"`              // the requested level, or a plan by hand
	Plan     string `json:"plan"`               // the plan by hand that gives the same kernels
	Machine  string `json:"machine"`            // whose rates the predictions use
	Searched string `json:"searched,omitempty"` // what an automatic choice compared

	Assumed []AssumedLength   `json:"assumed"`
	Kernels []ExplainedKernel `json:"kernels"`           // in launch order
	Stages  []ExplainedStage  `json:"stages"`            // in an order in which they can run
	Ways    []ExplainedWay    `json:"ways,omitempty"`    // of which one is taken
	Dropped []DroppedKernel   `json:"dropped,omitempty"` // kernels of the plan that nothing needs
	Pairs   []Pair            `json:"pairs"`             // neighbouring stages
	Total   PlanTotals        `json:"total"`             // of what runs
	None    PlanTotals        `json:"none"`              // the same pipeline at level none

	Values []ExplainedValue `json:"values"` // what goes from stage to stage
}

// AssumedLength is the predicted length of a domain.
type AssumedLength struct {
	Domain  string `json:"domain"`
	Rows    int64  `json:"rows"`
	Because string `json:"because"`
}

// ExplainedKernel is one launch.
type ExplainedKernel struct {
	Name      string   `json:"name"`
	Stages    []string `json:"stages"`
	Domain    string   `json:"domain"`  // the rows that the launch spans; "scalars" for arithmetic on scalars
	Bytes     int64    `json:"bytes"`   // the least that it moves, at the assumed lengths
	Formula   string   `json:"formula"` // the same in terms of the lengths of domains
	Cuts      []Cut    `json:"cuts"`    // grid-wide prefixes, each after the other
	Predicted float64  `json:"predicted_ns"`
	Way       string   `json:"way,omitempty"`  // of several ways, that to which it belongs
	Idle      bool     `json:"idle,omitempty"` // another way is taken, so that it does not run
}

// Cut is a grid-wide prefix within a kernel.
type Cut struct {
	Monoid string `json:"monoid"` // fold, segmented, closing or ordered
	Words  int    `json:"words"`  // 32-bit words of the state that goes from tile to tile
}

// ExplainedStage is one stage of the pipeline.
type ExplainedStage struct {
	Name     string   `json:"name"`
	Position string   `json:"position"`         // file:line:column of the statement
	Domain   string   `json:"domain"`           // whose rows it runs over; "scalars" for arithmetic on scalars
	Makes    string   `json:"makes,omitempty"`  // the domain whose rows it makes
	Kernel   string   `json:"kernel,omitempty"` // empty if its kernel is dropped
	Writes   []string `json:"writes"`

	Statements []Statement `json:"statements"` // what the user wrote of which this stage is a part, in the order of the text

	pos ir.Pos
}

// Statement is a statement, or an expression within one, of the text.
type Statement struct {
	Text   string `json:"text"` // as in count(by: g), or g = runs(k) if it has a name
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// line is the position within the file.
func (s *ExplainedStage) line() string { return fmt.Sprintf("%d:%d", s.pos.Line, s.pos.Column) }

// DroppedKernel is a kernel of the plan that is not launched.
type DroppedKernel struct {
	Stages []string `json:"stages"`
	Why    string   `json:"why"`
}

// PlanTotals sums up a plan.
type PlanTotals struct {
	Kernels   int     `json:"kernels"`
	Bytes     int64   `json:"bytes"`
	Predicted float64 `json:"predicted_ns"`
}

// JSON returns the explanation as indented JSON; the fields are those of
// [Explanation].
func (e *Explanation) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// Explain returns which stages share a kernel, what that saves, and why others do not.
func (p *Program) Explain() (*Explanation, error) { return p.ExplainKnowing(Known{}) }

// ExplainKnowing is Explain with less to assume. Which stages share a kernel stays as
// it is. Explanations of one graph must not be made at once.
func (p *Program) ExplainKnowing(known Known) (*Explanation, error) {
	f := p.Fusion
	g := f.Graph
	if known.Lengths != nil {
		tried := f.tried // costs of kernels at the assumed lengths
		g.lengths, f.tried = known.Lengths, nil
		defer func() { g.lengths, f.tried = nil, tried }()
	}
	way := p.takenBy(known.Ran)
	none, err := noneOf(f)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Pipeline: g.Pipeline.Name, Level: f.Level, Plan: strings.TrimSpace(f.String()), Machine: f.Machine.Device,
		Searched: f.Searched, Assumed: g.assumed(), Ways: p.explainWays(way), Total: p.totals(way), None: none.totals(way), Stages: []ExplainedStage{}}
	where := p.where()
	for i, k := range p.Kernels {
		kernel := f.explainKernel(k, p.Groups[i])
		kernel.Way, kernel.Idle = g.wayName(p.Groups[i][0]), !way.runs(p.Groups[i][0])
		e.Kernels = append(e.Kernels, kernel)
	}
	for _, s := range g.Stages {
		stage := ExplainedStage{Name: s.Name, Position: fmt.Sprintf("%s:%d:%d", s.Pos.File, s.Pos.Line, s.Pos.Column), Domain: g.rowsOf(s), Writes: []string{}, Statements: g.statements(s), pos: s.Pos}
		if s.Out != nil {
			stage.Makes = g.DomainName(s.Out)
		}
		if at, runs := where[s]; runs {
			stage.Kernel = p.Kernels[at].Name
		}
		for _, w := range s.Writes {
			stage.Writes = append(stage.Writes, w.Name)
		}
		e.Stages = append(e.Stages, stage)
	}
	for _, group := range f.Groups {
		if _, runs := where[group[0]]; !runs {
			e.Dropped = append(e.Dropped, DroppedKernel{names(group), p.whyDropped(group)})
		}
	}
	e.Pairs = newNeighbours(p, none).pairs()
	e.Values = p.drawnValues()
	return e, nil
}

// noneOf is f's pipeline at level none.
func noneOf(f *Fusion) (*Program, error) {
	none, err := Fuse(f.Graph, LevelNone, f.Machine)
	if err != nil {
		return nil, err
	}
	return none.Program()
}

// where finds the kernel of each stage that runs.
func (p *Program) where() map[*Stage]int {
	where := map[*Stage]int{}
	for i, group := range p.Groups {
		for _, s := range group {
			where[s] = i
		}
	}
	return where
}

// totals sums up the kernels that run if these ways are taken.
func (p *Program) totals(way taken) (t PlanTotals) {
	t.Predicted = nanoseconds(p.Fusion.Machine.Rates[plan.RateCall])
	for i, k := range p.Kernels {
		if !way.runs(p.Groups[i][0]) {
			continue
		}
		t.Kernels++
		t.Bytes += p.Fusion.Graph.traffic(k).Total()
		t.Predicted += nanoseconds(p.Fusion.cost(k))
	}
	return t
}

func (f *Fusion) explainKernel(k *tile.Kernel, group []*Stage) ExplainedKernel {
	t := f.Graph.traffic(k)
	x := ExplainedKernel{Name: k.Name, Stages: names(group), Domain: k.Domains[0].Name, Bytes: t.Total(), Formula: t.Formula(), Cuts: []Cut{},
		Predicted: nanoseconds(f.cost(k))}
	if len(group) == 1 {
		x.Domain = f.Graph.rowsOf(group[0])
	}
	for _, cut := range tile.Analyze(k).Cuts {
		kind := cut.Monoid.Kind
		if slices.ContainsFunc(cut.Scans, func(i int) bool { return k.Ops[i].Closes() }) {
			kind = tile.Closing
		}
		x.Cuts = append(x.Cuts, Cut{kind.String(), cut.Monoid.Words()})
	}
	return x
}

// nanoseconds converts seconds, to a thousandth.
func nanoseconds(seconds float64) float64 { return float64(int64(seconds*1e12+0.5)) / 1e3 }

// rowsOf names the rows that a stage runs over.
func (g *Graph) rowsOf(s *Stage) string {
	switch {
	case s.Domain == nil:
		return "scalars"
	case s.Kind == Offset:
		return chunksOf + g.DomainName(s.Domain)
	}
	return g.DomainName(s.Domain)
}

// assumed lists the predicted lengths of all domains.
func (g *Graph) assumed() []AssumedLength {
	list := []AssumedLength{}
	for _, d := range g.Pipeline.Domains {
		because := "assumed"
		if _, known := g.lengths[g.DomainName(d)]; known {
			list = append(list, AssumedLength{g.DomainName(d), int64(g.assumedLength(d)), "given"})
			continue
		}
		switch d.Kind {
		case ir.DomainMask:
			because = fmt.Sprintf("%g of %s", assumedSelected, g.DomainName(d.Parent))
		case ir.DomainRuns, ir.DomainStarts, ir.DomainEither:
			because = fmt.Sprintf("%g of %s", assumedGroups, g.DomainName(d.Parent))
		case ir.DomainBins:
			because = "assumed"
			if d.By.Args[1].Op == ir.OpConst {
				because = "as written"
			}
		}
		list = append(list, AssumedLength{g.DomainName(d), int64(g.assumedLength(d)), because})
	}
	return list
}

// whyDropped says why nothing needs a kernel of the plan.
func (p *Program) whyDropped(group []*Stage) string {
	where := p.where()
	places := false
	var unused, readers []string
	for _, s := range group {
		for _, w := range s.Writes {
			unused = append(unused, w.Name)
			for _, t := range p.Fusion.Graph.readBy[w] {
				if _, runs := where[t]; runs && !slices.Contains(readers, t.Name) {
					readers = append(readers, t.Name)
					places = w.Kind == Places
				}
			}
		}
	}
	switch {
	case len(readers) == 0:
		return "no result needs " + enumerate(unused, "or")
	case places:
		return fmt.Sprintf("%s needs no %s, since its kernel stores none of the rows", enumerate(readers, "and"), enumerate(unused, "and"))
	}
	return fmt.Sprintf("%s computes without %s", enumerate(readers, "and"), enumerate(unused, "and"))
}

// enumerate joins words: "a, b and c".
func enumerate(words []string, and string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}
