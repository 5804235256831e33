package lsp

import "github.com/kgen-go/kgen/ir"

// symbols lists the pipelines with their parameters and statements.
func (a *analysis) symbols() []documentSymbol {
	list := []documentSymbol{}
	for _, p := range a.File.Pipelines {
		if p.Name == "" {
			continue // nobody has written it yet
		}
		symbol := a.symbol(p.Name, "", symbolFunction, a.ofPipeline(p), p.NamePos)
		for _, param := range p.Params {
			symbol.Children = append(symbol.Children, a.symbol(param.Name, a.typeOf(param), symbolVariable, a.ofParam(param), param.Pos))
		}
		for _, s := range p.Stmts {
			symbol.Children = append(symbol.Children, a.symbol(s.Name, a.statementType(s), symbolVariable, a.ofStmt(s), s.Pos))
		}
		list = append(list, symbol)
	}
	return list
}

func (a *analysis) symbol(name, detail string, kind int, all span, at ir.Pos) documentSymbol {
	return documentSymbol{
		Name: name, Detail: detail, Kind: kind,
		Range: a.textRange(all), SelectionRange: a.textRange(a.token(at)),
	}
}

// typeOf is the type of a parameter as it is written.
func (a *analysis) typeOf(p *ir.ParamDecl) string {
	if p.Domain == "" {
		return p.Type
	}
	return "[" + p.Domain + "]" + p.Type
}

// statementType is the type of a statement, "" if that is unknown.
func (a *analysis) statementType(s *ir.Stmt) string {
	if t, ok := a.Types[s.X]; ok {
		return t.String()
	}
	return ""
}
