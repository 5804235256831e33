package plan

import (
	"errors"
	"math"
	"slices"
)

// Footprint is the memory of a plan, as far as it is known before a run. All
// sizes are in bytes.
type Footprint struct {
	Buffers   map[string]int64 // by name; an upper bound if the length depends on data, missing if it is not known
	Input     int64            // of all input buffers
	Temporary int64            // of all buffers that are neither inputs nor outputs
	Output    int64            // of the results, at their bounds; a result that is also an input or another result counts as a copy
	Unknown   bool             // whether a buffer is missing
}

// Total returns all bytes, at most [math.MaxInt64].
func (f Footprint) Total() int64 { return addSaturating(addSaturating(f.Input, f.Temporary), f.Output) }

// Sizes returns what arguments tell about sizes, as Footprint and ResultBounds take it: the
// rows of input domains, and the scalars of kind i64. The functions are asked by the
// position of the port.
func (p *Plan) Sizes(rowsOf, scalarOf func(port int) int64) (rows, scalars map[string]int64) {
	rows, scalars = map[string]int64{}, map[string]int64{}
	for i, port := range p.Ports {
		switch {
		case port.Direction != In:
		case port.Domain != "":
			rows[port.Domain] = rowsOf(i)
		case port.Kind == I64:
			scalars[port.Scalar] = scalarOf(i)
		}
	}
	return rows, scalars
}

// Footprint computes the memory of p for the given rows of the input domains and
// the given values of scalar parameters (those of kind i64; others decide no
// size). Memory that p frees early counts as well.
func (p *Plan) Footprint(rows, scalars map[string]int64) Footprint {
	env := footprintEnv{plan: p, rows: rows, scalars: scalars}
	f := Footprint{Buffers: map[string]int64{}}
	for _, b := range p.Buffers {
		length, err := env.length(b)
		if err != nil {
			f.Unknown = true
			continue
		}
		bytes := int64(math.MaxInt64)
		if length <= math.MaxInt64/int64(b.Kind.Size()) {
			bytes = max(length, 0) * int64(b.Kind.Size())
		}
		f.Buffers[b.Name] = bytes
		switch b.Role {
		case Input:
			f.Input = addSaturating(f.Input, bytes)
		case Output:
			f.Output = addSaturating(f.Output, bytes)
		default:
			f.Temporary = addSaturating(f.Temporary, bytes)
		}
	}
	result := map[string]bool{}
	for _, port := range p.Ports {
		if port.Direction != Out || port.Buffer == "" {
			continue
		}
		isInput := slices.ContainsFunc(p.Buffers, func(b Buffer) bool { return b.Name == port.Buffer && b.Role == Input })
		if isInput || result[port.Buffer] {
			f.Output = addSaturating(f.Output, f.Buffers[port.Buffer])
		}
		result[port.Buffer] = true
	}
	return f
}

func addSaturating(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// footprintEnv has the values that are known before a run.
type footprintEnv struct {
	plan    *Plan
	rows    map[string]int64
	scalars map[string]int64
	isBound bool // what is evaluated bounds a scalar
}

var errUnknown = errors.New("plan: known only when the plan runs")

func (e footprintEnv) length(b Buffer) (int64, error) {
	if b.Role != Input {
		return b.Length.inAnyWay().Eval(e)
	}
	for _, port := range e.plan.Ports {
		if port.Buffer == b.Name {
			return e.Len(port.Domain)
		}
	}
	return 0, errUnknown
}

// Len bounds the length of a domain.
func (e footprintEnv) Len(domain string) (int64, error) {
	if n, ok := e.rows[domain]; ok {
		return n, nil
	}
	for _, d := range e.plan.Domains {
		if d.Name != domain {
			continue
		}
		if n, err := d.Len.Eval(e); err == nil && !d.Len.IsZero() {
			return n, nil
		}
		if !d.Bound.IsZero() {
			return d.Bound.Eval(e)
		}
	}
	return 0, errUnknown
}

// Scalar returns parameters, which no step may change, and bounds the length of a domain,
// if its bound needs no such bound itself.
func (e footprintEnv) Scalar(name string) (int64, error) {
	isParameter := slices.ContainsFunc(e.plan.Ports, func(p Port) bool { return p.Direction == In && p.Scalar == name })
	if v, ok := e.scalars[name]; ok && isParameter {
		return v, nil
	}
	for _, d := range e.plan.Domains {
		if !e.isBound && d.Len.Op == OpScalar && d.Len.Name == name && !d.Bound.IsZero() {
			e.isBound = true
			return d.Bound.Eval(e)
		}
	}
	return 0, errUnknown
}

func (e footprintEnv) Property(string) (int64, error) { return 0, errUnknown }
func (e footprintEnv) Resident(string) (int64, error) { return 0, errUnknown }
func (e footprintEnv) Rows() (int64, error)           { return 0, errUnknown }

// ResultBounds returns an upper bound of the bytes of each result, in the order
// of the ports; 0 if it is not known, and for a scalar.
func (p *Plan) ResultBounds(rows, scalars map[string]int64) []int64 {
	buffers := p.Footprint(rows, scalars).Buffers
	var bounds []int64
	for _, port := range p.Ports {
		if port.Direction == Out {
			bounds = append(bounds, buffers[port.Buffer])
		}
	}
	return bounds
}
