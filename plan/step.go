package plan

// Step is one step of the host program; exactly one field is set. In JSON a step
// is an object with that field as its only key.
type Step struct {
	Init        *Init        `json:"init,omitzero"`        // fills a buffer
	Alloc       *Alloc       `json:"alloc,omitzero"`       // allocates a buffer
	Launch      *Launch      `json:"launch,omitzero"`      // runs a kernel
	Read        *Read        `json:"read,omitzero"`        // copies elements to scalars
	Set         *Set         `json:"set,omitzero"`         // assigns a scalar
	If          *If          `json:"if,omitzero"`          // runs one list of steps or another
	While       *While       `json:"while,omitzero"`       // repeats steps a bounded number of times
	Parts       *Parts       `json:"parts,omitzero"`       // runs steps for each part of an input
	CheckErrors *CheckErrors `json:"checkErrors,omitzero"` // ends the run if a check has failed
	Return      *Return      `json:"return,omitzero"`      // ends the run with the results
}

// Init stores Buffer.Fill in every element.
type Init struct {
	Buffer string `json:"buffer"` // the name of a buffer
}

// Alloc allocates a buffer with the present value of Buffer.Length. Its contents
// are undefined, and former contents are lost.
type Alloc struct {
	Buffer string `json:"buffer"` // the name of a buffer
}

// Launch runs a kernel over Rows rows from Row0 on. A grid of 0 work-groups is
// not launched, so results for 0 rows come from Init or from a Variant.Grid of
// at least 1.
type Launch struct {
	Kernel string `json:"kernel"`         // the name of a kernel
	Rows   Expr   `json:"rows"`           // the number of rows, at most MaxRows
	Row0   Expr   `json:"row0,omitzero"`  // the first row; default 0
	Bind   []Arg  `json:"bind,omitempty"` // replaces the variant's arguments of the same names
}

// Read copies elements Index, Index+1, ... of a buffer into the scalars.
type Read struct {
	Buffer  string   `json:"buffer"`         // the name of a buffer
	Index   Expr     `json:"index,omitzero"` // the first element; default 0
	Scalars []string `json:"scalars"`        // the names of scalars, one per element
}

// Set assigns an i64 scalar.
type Set struct {
	Scalar string `json:"scalar"` // the name of the scalar
	Value  Expr   `json:"value"`  // its new value
}

// If runs Then or Else.
type If struct {
	Cond Expr   `json:"cond"`           // a condition
	Then []Step `json:"then,omitempty"` // runs if Cond holds
	Else []Step `json:"else,omitempty"` // runs if it does not
}

// While runs Steps as long as Cond holds, at most Max times. If Cond still holds
// after that, Else runs; without an Else the plan gives up.
type While struct {
	Cond  Expr   `json:"cond"`           // a condition, tested before each iteration
	Max   int64  `json:"max"`            // maximum of iterations
	Steps []Step `json:"steps"`          // one iteration
	Else  []Step `json:"else,omitempty"` // runs if Max iterations do not suffice
}

// Parts divides Len rows into parts that a launch may span. It runs Steps for
// each part in order, at least once, with the scalars Row0 and Rows set.
type Parts struct {
	Len     Expr    `json:"len"`               // rows of all parts
	Row0    string  `json:"row0"`              // the i64 scalar that holds the first row of the part
	Rows    string  `json:"rows"`              // the i64 scalar that holds the rows of the part
	Limit   int64   `json:"limit,omitzero"`    // maximum of rows of a part, at least Multiple; 0 is MaxRows
	Carries []Carry `json:"carries,omitempty"` // state that passes from part to part
	Steps   []Step  `json:"steps"`             // runs for each part

	// Multiple divides the rows of all parts except the last, so that kernels can
	// number the tiles of all parts; 0 is 1.
	Multiple int64 `json:"multiple,omitzero"`
}

// PartRows returns the rows of each part except the last, on a device or host
// that takes at most most rows.
func (p *Parts) PartRows(most int64) int64 {
	limit, multiple := p.Limit, max(p.Multiple, 1)
	if limit == 0 {
		limit = MaxRows
	}
	return max(min(limit, most)/multiple, 1) * multiple
}

// Carry is a pair of buffers that takes state from part to part. The two swap
// after each part, so the next part reads the values written to Out from In.
type Carry struct {
	In  string `json:"in"`  // the name of a temporary buffer; it holds the state after the last part
	Out string `json:"out"` // the name of another temporary buffer of the same kind
}

// CheckErrors makes the plan give up if a kernel has given up. Otherwise it ends
// the run with the lowest failed site, if there is one.
type CheckErrors struct {
	AbortOnly bool `json:"abortOnly,omitzero"` // leaves sites to a later step, because more launches follow
}

// Return ends the run; the out ports are the result.
type Return struct{}
