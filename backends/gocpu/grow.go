package gocpu

import (
	"reflect"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// Before the last row, a call does not know how many rows a filter selects or how many groups there are. Columns
// of these grow: one worker handles the rows in blocks, and before each makes sure that there is room for
// as many results as the block has rows. Several workers have memory of their own for a block, and make
// room in its turn, when they know how many results it has.

// growing is columns of a derived domain that grow with it.
type growing struct {
	number  stateKey // how many rows the domain has so far
	streams []int
}

// findGrowing returns the columns that grow, of those that the host lets grow.
func (d *driver) findGrowing() (list []growing) {
	unordered := func(op *tile.Op) bool { return op.IsChunkwise() || op.Counts() || op.Nests() || op.Does(tile.Claims) }
	if d.partitioned() != nil || d.Has(unordered) {
		return nil
	}
	for domain := 1; domain < len(d.Domains); domain++ {
		if counter := d.Domains[domain].Counter; counter != 0 {
			number := stateKey{d.Values[counter].Op, 0}
			if streams := d.growingStreams(domain); len(streams) > 0 && d.state[number] != nil {
				list = append(list, growing{number, streams})
			}
		}
	}
	return list
}

// growingStreams returns the columns over a derived domain, or nothing if one must not grow.
func (d *driver) growingStreams(domain int) (streams []int) {
	for i := range d.Ops {
		op := &d.Ops[i]
		if op.Domain != domain || !op.Does(tile.Writes) {
			continue
		}
		if op.Epilogue || len(op.Args) != 2 || op.Args[1] != d.Domains[domain].Position || !d.env.mayGrow[d.Streams[op.Stream].Buffer] {
			return nil
		}
		streams = append(streams, op.Stream)
	}
	return streams
}

// columns returns the variables of g's columns.
func (d *driver) columns(g growing) (list []*loop.Var) {
	for _, s := range g.streams {
		list = append(list, d.whole[s])
	}
	return list
}

// inBlocksThatFit runs f over all rows in blocks, whose results have room.
func (d *driver) inBlocksThatFit(results []*loop.Var) {
	for _, s := range d.carried {
		if s.identity.Bits != 0 { // which they are declared with
			d.b.Assign(d.state[s.stateKey], loop.ConstOf(s.identity))
		}
	}
	d.b.Blocks(d.rows, blockRows, func(lo, hi *loop.Var) {
		parts := map[int]*loop.Var{}
		for _, g := range d.grows {
			used := loop.ToCounter(d.state[g.number])
			room := d.room(loop.Add(used, loop.Sub(hi, lo)))
			d.b.Add(&loop.Grow{Columns: d.columns(g), Used: used, Need: room, Done: lo, Rows: d.rows})
			for _, s := range g.streams { // of equal lengths
				parts[s] = d.b.Slice(streamName(d.Streams[s])+"_part", d.whole[s], loop.Int(0), room)
			}
		}
		d.withStreams(parts, func() { d.callInto(results, lo, hi, d.f, d.state) })
	})
}

// room names the memory that so many results need, with one for the group that is open after the last row.
func (d *driver) room(results loop.Expr) loop.Expr {
	return d.b.Let("room", loop.Least(loop.Add(results, loop.Int(1)), d.rows))
}

// growInTurn makes room, in the turn of a block that begins at row lo, for the results after the block.
func (d *driver) growInTurn(lo *loop.Var, earlier map[stateKey]*loop.Var, results func(number stateKey) loop.Expr) {
	for _, g := range d.grows {
		d.b.Add(&loop.Grow{Columns: d.columns(g), Used: loop.ToCounter(earlier[g.number]), Need: d.room(results(g.number)), Done: lo, Rows: d.rows})
	}
}

// reached is how many results there are after the block, as its turns have found.
func (d *driver) reached(number stateKey) loop.Expr {
	if end := d.blockEnd[number]; end != nil { // an earlier turn, and later blocks may have had theirs
		return loop.ToCounter(end)
	}
	return loop.ToCounter(d.state[number])
}

// withGrowing writes statements that goroutines run, which move columns under names of their own.
func (d *driver) withGrowing(write func()) {
	own := map[int]*loop.Var{}
	for _, g := range d.grows {
		for _, s := range g.streams {
			own[s] = d.b.Decl(streamName(d.Streams[s]), d.whole[s])
		}
	}
	d.withStreams(own, write)
	for _, g := range d.grows {
		for _, s := range g.streams {
			d.b.Assign(d.whole[s], own[s])
		}
	}
}

// keepGrown marks the columns that grow, and gives those that later launches read a name that keeps its value:
// goroutines of several launches must share no variable that has been assigned to.
func (d *driver) keepGrown() {
	for _, g := range d.grows {
		for _, s := range g.streams {
			v := d.whole[s]
			v.Changes = true
			d.env.grown[d.Streams[s].Buffer] = v
			if !d.env.final {
				d.env.buffers[d.Streams[s].Buffer] = d.b.Let(v.Name, v).(*loop.Var)
			}
		}
	}
}

// mayGrow returns the buffers of the plan that one launch alone fills, for each of whose rows there is
// memory: what that launch finds out about their length can decide how long they are.
func mayGrow(program *backends.Program) map[string]bool {
	p := program.Plan
	var launches []*plan.Launch
	allocated := map[string]bool{}
	for _, step := range p.Steps {
		switch {
		case step.Alloc != nil:
			allocated[step.Alloc.Buffer] = true
		case step.Init != nil:
			delete(allocated, step.Init.Buffer)
		case step.Launch != nil:
			launches = append(launches, step.Launch)
		case step.If != nil || step.While != nil || step.Parts != nil: // whose launches may fill buffers, too
			return nil
		}
	}
	fills := map[string][]*plan.Launch{}
	for _, launch := range launches {
		if len(launch.Bind) > 0 {
			return nil
		}
		for _, stream := range program.Kernels[slices.IndexFunc(p.Kernels, func(k plan.Kernel) bool { return k.Name == launch.Kernel })].Streams {
			if stream.Write {
				fills[stream.Buffer] = append(fills[stream.Buffer], launch)
			}
		}
	}
	may := map[string]bool{}
	for _, b := range p.Buffers {
		isColumn := b.Role == plan.Output || b.Role == plan.Temporary
		may[b.Name] = isColumn && allocated[b.Name] && len(fills[b.Name]) == 1 && isBound(p, b.Length, fills[b.Name][0].Rows)
	}
	return may
}

// isBound reports whether a length is that of some rows, or the bound that the plan has for it.
func isBound(p *plan.Plan, length, rows plan.Expr) bool {
	if reflect.DeepEqual(length, rows) {
		return true
	}
	return rows.Op == plan.OpLen && slices.ContainsFunc(p.Domains, func(d plan.Domain) bool {
		return d.Name == rows.Name && reflect.DeepEqual(length, d.Bound)
	})
}
