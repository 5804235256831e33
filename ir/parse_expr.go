package ir

import "go/token"

// maxDepth is how deep expressions nest. It bounds the height of trees, so
// that recursion over them is safe everywhere.
const maxDepth = 1000

// parseExpression reads an expression.
func (p *parser) parseExpression() Expr { return p.parseBinary(1) }

// nest enters a level of an expression; leave it with p.depth--.
func (p *parser) nest() {
	if p.depth++; p.depth > maxDepth {
		p.tooDeep(p.tok.pos)
	}
}

// grow notes that the expression read last is height levels high. Its last
// level begins at pos: what follows it may stand on another line.
func (p *parser) grow(pos Pos, height int) {
	if p.height = height; height > maxDepth {
		p.tooDeep(pos)
	}
}

// tooDeep gives up the whole file: nobody wrote it by hand.
func (p *parser) tooDeep(pos Pos) {
	p.errorf(pos, "give a part of it a name of its own", "expression of more than %d levels", maxDepth)
	p.ignoreRest()
	p.tok = p.next
	panic(abandoned{})
}

// precedence is Go's; 0 for tokens that are no binary operators.
func precedence(tok token.Token) int {
	switch tok {
	case token.LOR, token.LAND,
		token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ,
		token.ADD, token.SUB, token.OR, token.XOR,
		token.MUL, token.QUO, token.REM, token.SHL, token.SHR, token.AND, token.AND_NOT:
		return tok.Precedence()
	}
	return 0
}

// parseBinary reads operands joined by operators of at least precedence least.
func (p *parser) parseBinary(least int) Expr {
	p.nest()
	defer func() { p.depth-- }()
	x := p.parseUnary()
	for {
		level := precedence(p.tok.tok)
		if level < least || level == 0 || p.lineEnds() {
			return x
		}
		op, height := p.take(), p.height
		p.noTuple(x)
		p.joined = true // a line may end after an operator
		term := p.tok.pos
		y := p.parseBinary(level + 1)
		p.noTuple(y)
		p.grow(term, max(height, p.height)+1)
		x = &Binary{OpPos: op.pos, Op: op.text, X: x, Y: y}
	}
}

// parseUnary = { "+" | "-" | "!" | "^" } primary.
func (p *parser) parseUnary() Expr {
	switch {
	case p.lineEnds():
		p.unexpected("a value")
	case p.tok.tok == token.ADD, p.tok.tok == token.SUB, p.tok.tok == token.NOT, p.tok.tok == token.XOR:
		p.nest()
		defer func() { p.depth-- }()
		op := p.take()
		p.joined = true
		x := p.parseUnary()
		p.noTuple(x)
		p.grow(op.pos, p.height+1)
		return &Unary{Pos: op.pos, Op: op.text, X: x}
	}
	return p.parsePrimary()
}

// parsePrimary = operand { "[" expression "]" | "." name }.
func (p *parser) parsePrimary() Expr {
	x := p.parseOperand()
	for {
		height := p.height
		switch {
		case p.at(token.LBRACK):
			p.noTuple(x)
			bracket := p.openBracket(token.LBRACK, "")
			index := p.parseExpression()
			p.closeBracket(token.RBRACK)
			p.grow(bracket.pos, max(height, p.height)+1)
			x = &Subscript{X: x, Lbrack: bracket.pos, Index: index}
		case p.at(token.PERIOD):
			p.noTuple(x)
			p.advance()
			p.joined = true
			name := p.expectName("left or right")
			p.grow(name.pos, height+1)
			x = &Field{X: x, NamePos: name.pos, Name: name.text}
		default:
			return x
		}
	}
}

// parseOperand reads a literal, a name, a call or something in parentheses.
func (p *parser) parseOperand() Expr {
	p.height = 1
	switch t := p.tok; {
	case t.tok == token.INT:
		p.advance()
		return &Literal{Pos: t.pos, Kind: UntypedInt, Text: t.text}
	case t.tok == token.FLOAT:
		p.advance()
		return &Literal{Pos: t.pos, Kind: UntypedFloat, Text: t.text}
	case t.tok == token.STRING:
		p.advance()
		return &Literal{Pos: t.pos, Kind: UntypedString, Text: t.text}
	case t.isWord("true"), t.isWord("false"):
		p.advance()
		return &Literal{Pos: t.pos, Kind: Bool, Text: t.text}
	case t.isName():
		p.advance()
		if p.at(token.LPAREN) {
			return p.parseCall(t)
		}
		return &Name{Pos: t.pos, Name: t.text}
	case t.tok == token.LPAREN:
		return p.parseParen()
	}
	p.unexpected("a value")
	return nil
}

// parseCall reads the arguments of a call.
func (p *parser) parseCall(name lexeme) Expr {
	call := &Call{Pos: name.pos, Name: name.text}
	p.openBracket(token.LPAREN, "")
	height := 0
	p.parseList("argument", func() {
		call.Args = append(call.Args, p.parseArgument())
		height = max(height, p.height)
	})
	call.End = p.closeBracket(token.RPAREN).pos
	p.grow(name.pos, height+1)
	return call
}

// parseArgument = [ label ":" ] ( expression | tuple ).
func (p *parser) parseArgument() *Arg {
	arg := &Arg{}
	if p.tok.tok == token.IDENT && p.nextIs(token.COLON) {
		label := p.expectName("a label")
		arg.Label, arg.LabelPos = label.text, label.pos
		p.advance()
		p.joined = true
	}
	if len(p.open) > 0 && p.tok.tok == token.LPAREN {
		p.tuple = p.tok.pos
	}
	arg.X = p.parseExpression()
	return arg
}

// parseParen = "(" expression ")", or as a whole argument of a call
// "(" expression "," expression { "," expression } ")", a tuple.
func (p *parser) parseParen() Expr {
	tuple := p.tok.pos == p.tuple
	bracket := p.openBracket(token.LPAREN, "")
	x := p.parseExpression()
	height := p.height
	if p.tok.tok != token.COMMA {
		p.closeBracket(token.RPAREN)
		p.grow(bracket.pos, height+1)
		return &Paren{Pos: bracket.pos, X: x}
	}
	if !tuple {
		p.noTuple(&Tuple{Pos: bracket.pos})
	}
	p.advance()
	parts := []Expr{x}
	p.parseList("part of the tuple", func() {
		parts = append(parts, p.parseExpression())
		height = max(height, p.height)
	})
	if len(parts) == 1 {
		p.syntaxError(p.tok.pos, "write it without the comma, or with a second part", "a tuple of one part")
	}
	p.closeBracket(token.RPAREN)
	p.grow(bracket.pos, height+1)
	return &Tuple{Pos: bracket.pos, Parts: parts}
}

// noTuple refuses a tuple where it is not a whole argument.
func (p *parser) noTuple(x Expr) {
	if t, ok := x.(*Tuple); ok {
		p.syntaxError(t.Pos, "a tuple is a key of find or join: find((a, b), in: (c, d))", "a tuple stands where a value is expected")
	}
}
