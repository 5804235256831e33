package ir

// The syntax tree that the parser makes. It keeps what the graph forgets:
// names, comments, parentheses and the order of text.

// File is one parsed source file.
type File struct {
	Name      string
	Source    []byte
	Pipelines []*PipelineDecl
	Comments  []Comment // all, in order

	lines  []int // offset of the first byte of each line
	broken bool  // has syntax errors
}

// Comment is a // or /* */ comment with its marks.
type Comment struct {
	Pos  Pos
	Text string
	Own  bool // nothing stands before it on its line
}

// PipelineDecl is a pipeline as written.
type PipelineDecl struct {
	Pos     Pos // of the keyword
	NamePos Pos
	Name    string
	Doc     string
	Params  []*ParamDecl
	Stmts   []*Stmt
	Return  *Return
	End     Pos // of the closing brace
}

// ParamDecl is name: [domain]type, perhaps with like "pattern" and missing constant, or with
// present name; or it is name: type = default.
type ParamDecl struct {
	Pos        Pos
	Name       string
	Domain     string // "" for a scalar
	DomPos     Pos
	Type       string // as written, without spaces, such as decimal(2)
	TypePos    Pos
	TypeEnd    Pos      // of the closing parenthesis of Type; invalid without one
	Default    Expr     // nil without one
	Like       *Literal // nil without one
	Missing    Expr     // nil without one
	Present    string   // "" without one
	PresentPos Pos
}

// Stmt is name = expression.
type Stmt struct {
	Pos  Pos
	Name string
	X    Expr
}

// Return is the last statement.
type Return struct {
	Pos          Pos
	Unordered    bool
	Reproducible bool
	Results      []*Arg
}

// Arg is an operand of a call or of return; Label is "" without one.
type Arg struct {
	Label    string
	LabelPos Pos
	X        Expr
}

// Expr is an expression. Position is where a message about it points: the
// operator of a binary expression, else its first byte.
type Expr interface{ Position() Pos }

// The expressions.
type (
	// Name is a use of a parameter or statement.
	Name struct {
		Pos  Pos
		Name string
	}
	// Literal is a number, true, false or a quoted string, as written.
	Literal struct {
		Pos  Pos
		Kind Kind // UntypedInt, UntypedFloat, UntypedString or Bool
		Text string
	}
	// Unary is -x, ^x, !x or +x.
	Unary struct {
		Pos Pos
		Op  string
		X   Expr
	}
	// Binary is x op y.
	Binary struct {
		OpPos Pos
		Op    string
		X, Y  Expr
	}
	// Call is function(arguments); scan's operation is a Name argument.
	Call struct {
		Pos  Pos
		Name string
		Args []*Arg
		End  Pos // of the closing parenthesis
	}
	// Subscript is x[i]: compaction where i is a mask, else a gather.
	Subscript struct {
		X      Expr
		Lbrack Pos
		Index  Expr
	}
	// Field is x.left or x.right.
	Field struct {
		X       Expr
		NamePos Pos
		Name    string
	}
	// Paren is (x).
	Paren struct {
		Pos Pos
		X   Expr
	}
	// Tuple is (a, b, ...), a compound key of find and join. It stands only
	// as an argument, and has two parts or more.
	Tuple struct {
		Pos   Pos
		Parts []Expr
	}
)

// Position returns the first byte of the name.
func (e *Name) Position() Pos { return e.Pos }

// Position returns the first byte of the literal.
func (e *Literal) Position() Pos { return e.Pos }

// Position returns the operator.
func (e *Unary) Position() Pos { return e.Pos }

// Position returns the operator.
func (e *Binary) Position() Pos { return e.OpPos }

// Position returns the first byte of the function's name.
func (e *Call) Position() Pos { return e.Pos }

// Position returns the position of x.
func (e *Subscript) Position() Pos { return e.X.Position() }

// Position returns the position of x.
func (e *Field) Position() Pos { return e.X.Position() }

// Position returns the opening parenthesis.
func (e *Paren) Position() Pos { return e.Pos }

// Position returns the opening parenthesis.
func (e *Tuple) Position() Pos { return e.Pos }
