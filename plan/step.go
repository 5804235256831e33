package plan

// Step is one step of the host program; exactly one field is set. JSON shows
// it as an object with that one key.
type Step struct {
	Init        *Init        `json:"init,omitzero"`
	Alloc       *Alloc       `json:"alloc,omitzero"`
	Launch      *Launch      `json:"launch,omitzero"`
	Read        *Read        `json:"read,omitzero"`
	Set         *Set         `json:"set,omitzero"`
	If          *If          `json:"if,omitzero"`
	While       *While       `json:"while,omitzero"`
	Parts       *Parts       `json:"parts,omitzero"`
	CheckErrors *CheckErrors `json:"checkErrors,omitzero"`
	Return      *Return      `json:"return,omitzero"`
}

// Init stores Buffer.Fill in every element.
type Init struct {
	Buffer string `json:"buffer"`
}

// Alloc makes the buffer anew with the length that Buffer.Length has now. Its
// contents are undefined, and former contents are lost.
type Alloc struct {
	Buffer string `json:"buffer"`
}

// Launch runs a kernel over Rows rows from Row0 on. A grid of 0 groups is not
// launched, so what a kernel leaves behind for 0 rows comes from Init or from
// a Variant.Grid of at least 1.
type Launch struct {
	Kernel string `json:"kernel"`
	Rows   Expr   `json:"rows"`
	Row0   Expr   `json:"row0,omitzero"`  // default 0
	Bind   []Arg  `json:"bind,omitempty"` // in place of the variant's arguments of the same names
}

// Read copies elements Index, Index+1, ... of a buffer into the scalars.
type Read struct {
	Buffer  string   `json:"buffer"`
	Index   Expr     `json:"index,omitzero"` // default 0
	Scalars []string `json:"scalars"`
}

// Set assigns an i64 scalar.
type Set struct {
	Scalar string `json:"scalar"`
	Value  Expr   `json:"value"`
}

// If runs Then or Else.
type If struct {
	Cond Expr   `json:"cond"`
	Then []Step `json:"then,omitempty"`
	Else []Step `json:"else,omitempty"`
}

// While runs Steps as long as Cond holds, at most Max times. Where Cond still
// holds then, Else runs; without an Else the plan gives up for its Fallback.
type While struct {
	Cond  Expr   `json:"cond"`
	Max   int64  `json:"max"`
	Steps []Step `json:"steps"`
	Else  []Step `json:"else,omitempty"`
}

// Parts cuts Len rows into parts that a launch may span and runs Steps for
// each in order, at least once, with the scalars Row0 and Rows set.
type Parts struct {
	Len     Expr    `json:"len"`
	Row0    string  `json:"row0"`           // i64 scalar: the first row of the part
	Rows    string  `json:"rows"`           // i64 scalar: the rows of the part
	Limit   int64   `json:"limit,omitzero"` // rows of a part at most, but at least Multiple; 0 is MaxRows
	Carries []Carry `json:"carries,omitempty"`
	Steps   []Step  `json:"steps"`

	// Multiple divides the rows of all parts but the last, so that kernels can
	// number the tiles of all parts; 0 is 1.
	Multiple int64 `json:"multiple,omitzero"`
}

// PartRows returns the rows of all parts but the last, where a device or host
// takes no more than most.
func (p *Parts) PartRows(most int64) int64 {
	limit, multiple := p.Limit, max(p.Multiple, 1)
	if limit == 0 {
		limit = MaxRows
	}
	return max(min(limit, most)/multiple, 1) * multiple
}

// Carry is a pair of buffers that takes a value from part to part: after each
// part the two swap, so that what was written to Out is read from In.
type Carry struct {
	In  string `json:"in"`
	Out string `json:"out"`
}

// CheckErrors makes the plan give up where a kernel did, and else ends the run
// with the lowest failed site, if there is one. Not all sites may have been
// tried while launches are still to come: AbortOnly leaves them for later.
type CheckErrors struct {
	AbortOnly bool `json:"abortOnly,omitzero"`
}

// Return ends the run; the out ports are the result.
type Return struct{}
