package tile

// Analysis is a kernel cut at its grid-wide prefixes.
type Analysis struct {
	Kernel *Kernel
	Phase  []int // per operation of the row part: how many cuts it comes after
	Cuts   []Prefix
}

// Prefix is one cut: everything that must be folded over all earlier rows
// before the next phase can run.
type Prefix struct {
	Scans   []int   // the Scan operations, as indices into Kernel.Ops
	Monoid  *Monoid // their product
	Carries []Carry // the values computed before the cut that a later phase uses
}

// Carry is a value that is alive across a cut.
type Carry struct {
	Value ID
	How   CarryKind
}

// CarryKind says how a carry can be had again after the cut; a scheme may
// prefer another way that the kind allows.
type CarryKind uint8

// The ways, from the cheapest.
const (
	Ring      CarryKind = iota // a loaded element: the staged tile still has it
	Recompute                  // pure arithmetic on loaded elements
	Register                   // depends on an earlier cut or on another row: must be kept
)

var carryNames = [...]string{"ring", "recompute", "register"}

func (c CarryKind) String() string { return carryNames[c] }

// Analyze finds the phases and cuts of k. A Scan belongs to the phase of its
// leaves; its results belong to the next phase.
func Analyze(k *Kernel) *Analysis {
	a := &Analysis{Kernel: k, Phase: make([]int, len(k.Ops))}
	phase := make([]int, len(k.Values)) // per value
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		at := 0
		for _, arg := range op.Args {
			at = max(at, phase[arg])
		}
		for d := op.Domain; d > 0; d = k.Domains[d].Parent {
			at = max(at, phase[k.Domains[d].Guard])
		}
		a.Phase[i] = at
		result := at
		if op.Kind == Scan {
			result++
			for len(a.Cuts) <= at {
				a.Cuts = append(a.Cuts, Prefix{})
			}
			a.Cuts[at].Scans = append(a.Cuts[at].Scans, i)
		}
		for _, v := range op.Res {
			phase[v] = result
		}
	}
	for c := range a.Cuts {
		cut := &a.Cuts[c]
		parts := make([]*Monoid, len(cut.Scans))
		for i, scan := range cut.Scans {
			parts[i] = k.Ops[scan].Monoid
		}
		cut.Monoid = NewProduct(parts...)
		cut.Carries = a.carries(c)
	}
	return a
}

// carries lists the row values defined at or before phase c that a phase after c uses.
func (a *Analysis) carries(c int) []Carry {
	k := a.Kernel
	var list []Carry
	seen := make([]bool, len(k.Values))
	use := func(v ID) {
		def := k.Values[v].Op
		op := k.Ops[def]
		if v == 0 || seen[v] || op.Domain == Uniform || op.Epilogue || a.Phase[def] > c || op.Kind == Scan && a.Phase[def] == c {
			return
		}
		seen[v] = true
		list = append(list, Carry{v, k.carryKind(v)})
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue || a.Phase[i] <= c {
			continue
		}
		for _, arg := range op.Args {
			use(arg)
		}
		for d := op.Domain; d > 0; d = k.Domains[d].Parent {
			use(k.Domains[d].Guard)
		}
	}
	return list
}

// carryKind says how cheaply v can be had a second time.
func (k *Kernel) carryKind(v ID) CarryKind {
	op := k.Ops[k.Values[v].Op]
	switch op.Kind {
	case Load:
		if len(op.Args) == 0 {
			return Ring
		}
		return Recompute
	case Scan, ChunkScan, Reduce:
		return Register
	}
	how := Recompute
	for _, arg := range op.Args {
		if k.Values[arg].Domain != Uniform && k.carryKind(arg) == Register {
			how = Register
		}
	}
	return how
}

// Recomputable reports whether v at another base row can be computed afresh:
// it is pure arithmetic on uniform values and element loads over the base.
func (k *Kernel) Recomputable(v ID) bool {
	value := k.Values[v]
	if value.Domain == Uniform {
		return true
	}
	op := k.Ops[value.Op]
	if value.Domain != 0 {
		return false
	}
	switch op.Kind {
	case Row:
		return true
	case Load, Map:
		for _, arg := range op.Args {
			if !k.Recomputable(arg) {
				return false
			}
		}
		return true
	}
	return false
}

// HasEffect reports whether the operation writes or reports something.
func (op *Op) HasEffect() bool {
	switch op.Kind {
	case Store, Update, Check, StoreScalar, ScanTotals, ChunkScan:
		return true
	}
	return false
}
