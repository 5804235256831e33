package lsp

import (
	"bytes"
	"encoding/json"

	"github.com/kgen-go/kgen/ir"
)

// requests and notifications are the methods of the server.
var (
	requests = map[string]func(*server, json.RawMessage) (any, error){
		"initialize":                  (*server).initialize,
		"shutdown":                    (*server).shutdown,
		"textDocument/hover":          atPosition((*analysis).hover),
		"textDocument/definition":     atPosition((*analysis).definitionAt),
		"textDocument/completion":     atPosition((*analysis).completion),
		"textDocument/formatting":     ofDocument((*analysis).formatting),
		"textDocument/documentSymbol": ofDocument((*analysis).symbols),
	}
	notifications = map[string]func(*server, json.RawMessage){
		"textDocument/didOpen":   taking((*server).didOpen),
		"textDocument/didChange": taking((*server).didChange),
		"textDocument/didClose":  taking((*server).didClose),
	}
)

// taking reads the parameters of a notification; those that are wrong do nothing.
func taking[P any](f func(*server, P)) func(*server, json.RawMessage) {
	return func(s *server, params json.RawMessage) {
		var p P
		if json.Unmarshal(params, &p) == nil {
			f(s, p)
		}
	}
}

// atPosition is a request about a place in a document. No result is null.
func atPosition[R any](f func(a *analysis, offset int) R) func(*server, json.RawMessage) (any, error) {
	return func(s *server, params json.RawMessage) (any, error) {
		var p positionParams
		d, err := s.document(params, &p, &p.TextDocument)
		if err != nil {
			return nil, err
		}
		return f(d.analysis(), d.offset(p.Position)), nil
	}
}

// ofDocument is a request about a document.
func ofDocument[R any](f func(a *analysis) R) func(*server, json.RawMessage) (any, error) {
	return func(s *server, params json.RawMessage) (any, error) {
		var p documentParams
		d, err := s.document(params, &p, &p.TextDocument)
		if err != nil {
			return nil, err
		}
		return f(d.analysis()), nil
	}
}

// document reads parameters and returns the open document that they name in id.
func (s *server) document(params json.RawMessage, p any, id *documentID) (*document, error) {
	if err := json.Unmarshal(params, p); err != nil {
		return nil, failure(codeInvalidParams, "the parameters are wrong: %v", err)
	}
	d := s.documents[id.URI]
	if d == nil {
		return nil, failure(codeInvalidParams, "the document %q is not open", id.URI)
	}
	return d, nil
}

func (s *server) initialize(json.RawMessage) (any, error) {
	s.state = stateInitialized
	return initializeResult{
		Capabilities: serverCapabilities{
			PositionEncoding:           "utf-16",
			TextDocumentSync:           syncOptions{OpenClose: true, Change: syncIncremental},
			HoverProvider:              true,
			DefinitionProvider:         true,
			CompletionProvider:         completionOptions{TriggerCharacters: []string{".", "[", "(", ",", ":"}},
			DocumentFormattingProvider: true,
			DocumentSymbolProvider:     true,
		},
		ServerInfo: serverInfo{Name: "kgen", Version: s.version},
	}, nil
}

func (s *server) shutdown(json.RawMessage) (any, error) {
	s.state = stateShutDown
	return nil, nil
}

func (s *server) didOpen(p didOpenParams) {
	t := p.TextDocument
	s.documents[t.URI] = newDocument(t.URI, t.Version, t.Text)
	s.changed[t.URI] = true
}

func (s *server) didChange(p didChangeParams) {
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return
	}
	d.version = p.TextDocument.Version
	for _, c := range p.ContentChanges {
		d.change(c)
	}
	s.changed[d.uri] = true
}

func (s *server) didClose(p documentParams) {
	delete(s.documents, p.TextDocument.URI)
	s.changed[p.TextDocument.URI] = true
}

// diagnostics are the errors of the document, or its warnings if it has none.
func (a *analysis) diagnostics() []diagnostic {
	list := []diagnostic{}
	add := func(severity int, e ir.Error) {
		message := e.Msg
		if e.Hint != "" {
			message += "\n" + e.Hint
		}
		list = append(list, diagnostic{Range: a.textRange(a.token(e.Pos)), Severity: severity, Source: "kgen", Message: message})
	}
	for _, e := range a.Errors {
		add(severityError, e)
	}
	for _, p := range a.Pipelines {
		for _, w := range p.Warnings {
			add(severityWarning, w)
		}
	}
	return list
}

// definitionAt returns where the name at the cursor is defined, nil if it is none.
func (a *analysis) definitionAt(offset int) *location {
	for _, n := range a.under(offset) {
		if at, ok := a.definition(n.node); ok {
			return &location{URI: a.doc.uri, Range: a.textRange(a.token(at))}
		}
	}
	return nil
}

// formatting returns the edits that kgen fmt would make: none if there are syntax errors.
func (a *analysis) formatting() []textEdit {
	formatted := ir.Format(a.File)
	if bytes.Equal(formatted, a.File.Source) {
		return []textEdit{}
	}
	return []textEdit{{Range: a.textRange(span{0, len(a.doc.text)}), NewText: string(formatted)}}
}
