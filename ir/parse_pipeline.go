package ir

import "go/token"

// parsePipeline = "pipeline" name "(" [ parameters ] ")" "{" { statement } return "}".
func (p *parser) parsePipeline() {
	if !p.tok.isWord("pipeline") {
		p.syntaxError(p.tok.pos, "a file holds pipelines: pipeline name(column: [n]i32) { ... }", "expected pipeline, found %v", p.tok)
	}
	pipeline := &PipelineDecl{Pos: p.tok.pos, Doc: p.doc(p.tok)}
	p.file.Pipelines = append(p.file.Pipelines, pipeline) // there, even if it has no end
	p.advance()
	if p.try(func() { p.parseHeader(pipeline) }) || p.skipHeader() {
		p.parseBody(pipeline)
	}
}

// parseHeader reads a pipeline up to its opening brace.
func (p *parser) parseHeader(pipeline *PipelineDecl) {
	p.joined = true // the name may stand on a line of its own
	name := p.expectName("the name of the pipeline")
	pipeline.Name, pipeline.NamePos = name.text, name.pos
	p.openBracket(token.LPAREN, "after the name of the pipeline")
	p.parseList("parameter", func() { pipeline.Params = append(pipeline.Params, p.parseParameter()) })
	p.closeBracket(token.RPAREN)
	if p.lineEnds() && p.tok.tok == token.LBRACE {
		p.errorf(p.tok.pos, "write it behind the closing parenthesis", "the brace stands on a line of its own")
		p.joined = true
	}
	if p.lineEnds() && p.tok.tok != token.EOF {
		p.syntaxError(pipeline.Pos, "the statements stand in braces: pipeline name(column: [n]i32) { ... }", "pipeline %v has no body", name)
	}
	p.expect(token.LBRACE, "after the parameters")
}

// skipHeader moves behind the opening brace of a pipeline whose parameters
// could not be read, and reports whether there is one.
func (p *parser) skipHeader() bool {
	for p.tok.tok != token.EOF && !(p.tok.first && (p.atPipeline() || p.atStatement())) {
		brace := p.tok.tok == token.LBRACE
		p.skip()
		if brace {
			return true
		}
	}
	return p.atStatement()
}

// parseList reads elements up to the closing bracket, with commas between
// them and perhaps one at the end.
func (p *parser) parseList(what string, element func()) {
	for p.tok.tok != token.RPAREN {
		element()
		if p.tok.tok == token.RPAREN {
			return
		}
		if !p.at(token.COMMA) {
			p.unexpected("a comma or ) after the " + what)
		}
		p.advance()
	}
}

// parseParameter = name ":" ( "[" domain "]" type | type [ "=" expression ] ), and a type
// may have a number in parentheses.
func (p *parser) parseParameter() *ParamDecl {
	name := p.expectName("the name of a parameter")
	parameter := &ParamDecl{Pos: name.pos, Name: name.text}
	if p.tok.tok != token.COLON {
		p.syntaxError(p.tok.pos, "a column is written "+clip(name.text)+": [n]i32, a scalar "+clip(name.text)+": i32",
			"expected : and a type after parameter %v, found %v", name, p.tok)
	}
	p.advance()
	if p.tok.tok == token.LBRACK {
		p.openBracket(token.LBRACK, "")
		if p.tok.tok != token.IDENT {
			p.syntaxError(p.tok.pos, "name the set of rows that the column is over: [n]i32", "expected the name of a domain, found %v", p.tok)
		}
		domain := p.expectName("the name of a domain")
		parameter.Domain, parameter.DomPos = domain.text, domain.pos
		p.closeBracket(token.RBRACK)
	}
	typ := p.expectName("a type")
	parameter.Type, parameter.TypePos = typ.text, typ.pos
	if p.tok.tok == token.LPAREN {
		p.openBracket(token.LPAREN, "")
		if p.tok.tok != token.INT && p.tok.tok != token.FLOAT {
			p.syntaxError(p.tok.pos, "write the digits after the point: decimal(2)", "expected a number, found %v", p.tok)
		}
		parameter.Type += "(" + p.tok.text + ")"
		p.advance()
		if p.at(token.COMMA) {
			p.advance()
			if p.tok.tok == token.INT {
				p.syntaxError(p.tok.pos, "write the digits after the point alone: decimal("+clip(p.tok.text)+")", "a decimal has one number, not the digits in all")
			}
		}
		parameter.TypeEnd = p.tok.pos
		p.closeBracket(token.RPAREN)
	}
	if word := p.tok; word.tok == token.IDENT {
		if parameter.Domain == "" && (word.text == "missing" || word.text == "present" || word.text == "like") {
			p.syntaxError(word.pos, "a scalar may have a default: "+clip(name.text)+": i32 = 0", "only values of columns may be missing, or like a pattern")
		}
		if word.text == "like" {
			p.advance()
			if p.tok.tok != token.STRING {
				p.syntaxError(p.tok.pos, `write the pattern as a string: like "%green%"`, "expected a string, found %v", p.tok)
			}
			parameter.Like = &Literal{Pos: p.tok.pos, Kind: UntypedString, Text: p.tok.text}
			p.advance()
			word = p.tok
		}
		switch {
		case word.text == "missing":
			p.advance()
			parameter.Missing = p.parseExpression()
		case word.text == "present" && parameter.Like == nil:
			p.advance()
			of := p.expectName("the name of the parameter whose rows may have no value")
			parameter.Present, parameter.PresentPos = of.text, of.pos
		}
	}
	if p.tok.tok == token.ASSIGN {
		if parameter.Domain != "" {
			p.syntaxError(p.tok.pos, "only scalars have defaults", "column %v has a default", name)
		}
		p.advance()
		parameter.Default = p.parseExpression()
	}
	return parameter
}

// parseBody reads statements, the return and the closing brace.
func (p *parser) parseBody(pipeline *PipelineDecl) {
	for p.tok.tok != token.EOF && p.tok.tok != token.RBRACE && !(p.tok.first && p.atPipeline()) {
		start, open := p.tok.pos, 0
		ok := p.try(func() {
			defer func() { open = len(p.open) }()
			p.parseStatement(pipeline)
		})
		if !ok {
			p.skipStatement(start, open)
		}
	}
	pipeline.End = p.tok.pos
	switch {
	case p.tok.tok != token.RBRACE:
		p.syntaxError(p.tok.pos, "a pipeline ends with }", "pipeline %s is not closed", clip(pipeline.Name))
	case pipeline.Return == nil:
		p.errorf(p.tok.pos, "end it with return and its results: return total: sum(x)", "pipeline %s returns nothing", clip(pipeline.Name))
	}
	p.advance()
}

// parseStatement = name "=" expression end-of-line | return.
func (p *parser) parseStatement(pipeline *PipelineDecl) {
	if pipeline.Return != nil {
		p.syntaxError(p.tok.pos, "return is the last statement", "%v stands after return", p.tok)
	}
	p.joined = true // here a line begins
	if p.tok.isWord("return") && !p.nextIs(token.ASSIGN) {
		pipeline.Return = &Return{Pos: p.tok.pos} // there, even if it cannot be read
		p.parseReturn(pipeline.Return)
	} else {
		pipeline.Stmts = append(pipeline.Stmts, p.parseAssignment())
	}
	if !p.lineEnds() && p.tok.tok != token.RBRACE {
		p.unexpected("an operator or the end of the line")
	}
}

func (p *parser) parseAssignment() *Stmt {
	name := p.tok
	if !name.isName() || !p.nextIs(token.ASSIGN) {
		p.notAStatement()
	}
	p.advance()
	p.advance()
	p.joined = true // a line may end after =
	return &Stmt{Pos: name.pos, Name: name.text, X: p.parseExpression()}
}

func (p *parser) notAStatement() {
	const statement = "a statement gives a name to a value: total = sum(x)"
	name, after := p.tok, p.next
	switch {
	case precedence(name.tok) > 0 || name.tok == token.PERIOD:
		p.syntaxError(name.pos, "an operator stands at the end of a line; the next line goes on", "a line begins with %v", name)
	case name.tok == token.COMMA:
		p.syntaxError(name.pos, "a comma stands at the end of a line; the next line goes on", "a line begins with a comma")
	case name.tok == token.IDENT && !name.isName():
		p.expectName("")
	case !name.isName():
		p.syntaxError(name.pos, statement, "expected a statement, found %v", name)
	case after.tok == token.DEFINE:
		p.syntaxError(after.pos, "write "+clip(name.text)+" = ...", "a statement has = after its name, found :=")
	case token.ADD_ASSIGN <= after.tok && after.tok <= token.AND_NOT_ASSIGN:
		p.syntaxError(after.pos, "write the result under a new name", "names are given once, found %v", after)
	}
	p.syntaxError(name.pos, statement, "expected a statement, found %v", name)
}

// parseReturn = "return" [ "unordered" ] [ "reproducible" ] result { "," result }.
func (p *parser) parseReturn(r *Return) {
	p.advance()
	p.joined = true // a line may end after return, and after the words behind it
	for _, word := range returnWords {
		if p.tok.isWord(word) && isKeywordBefore(p.next) {
			r.set(word)
			p.advance()
			p.joined = true
		}
	}
	if p.tok.tok == token.RBRACE {
		p.syntaxError(r.Pos, "write what the pipeline computes: return total: sum(x)", "return has no results")
	}
	for {
		r.Results = append(r.Results, p.parseArgument())
		if !p.at(token.COMMA) {
			return
		}
		p.advance()
		p.joined = true
	}
}

// returnWords are the keywords that may stand behind return, in this order.
var returnWords = []string{"unordered", "reproducible"}

func (r *Return) set(word string) {
	if word == "unordered" {
		r.Unordered = true
	} else {
		r.Reproducible = true
	}
}

// isKeywordBefore reports whether a word behind return is a keyword where t follows; else it
// names a result.
func isKeywordBefore(t lexeme) bool {
	switch t.tok {
	case token.IDENT, token.INT, token.FLOAT, token.STRING, token.NOT:
		return true
	case token.RBRACE, token.EOF:
		return false
	}
	return t.first
}
