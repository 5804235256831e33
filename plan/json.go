package plan

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a plan and validates it. Unknown and repeated fields and other
// versions are errors with line and column, plan:LINE:COLUMN; an invalid plan is
// an [InvalidError].
func Decode(text []byte) (*Plan, error) {
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, locate(text, err)
	}
	switch {
	case head.Version == nil:
		return nil, fmt.Errorf("plan: no \"version\": %d at the top of the object", Version)
	case *head.Version != Version:
		return nil, fmt.Errorf("plan: version %d cannot be read; this program reads version %d", *head.Version, Version)
	}
	p := new(Plan)
	if err := json.Unmarshal(text, p, json.RejectUnknownMembers(true)); err != nil {
		return nil, locate(text, err)
	}
	if err := Validate(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Encode writes a plan. The same plan always gives the same bytes; an object or
// list that fits a line stays on it.
func Encode(p *Plan) ([]byte, error) {
	compact, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	return layout(compact), nil
}

// locate adds line, column and path of the offending value to an error.
func locate(text []byte, err error) error {
	offset, path := int64(-1), ""
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	cause := err
	switch {
	case errors.As(err, &semantic):
		offset, path, cause = semantic.ByteOffset, string(semantic.JSONPointer), semantic.Err
		if cause == nil {
			cause = fmt.Errorf("a JSON %v cannot stand here", semantic.JSONKind)
		}
	case errors.As(err, &syntactic):
		offset, path, cause = syntactic.ByteOffset, string(syntactic.JSONPointer), syntactic.Err
	}
	if offset < 0 || offset > int64(len(text)) {
		return fmt.Errorf("plan: %w", err)
	}
	before := text[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	if path != "" {
		path += ": "
	}
	return fmt.Errorf("plan:%d:%d: %s%w", line, column, path, cause)
}

// MarshalJSONTo writes e in the form that docs/plan.md describes.
func (e Expr) MarshalJSONTo(out *jsontext.Encoder) error {
	switch e.Op {
	case OpConst:
		return out.WriteToken(jsontext.Int(e.Const))
	case OpScalar:
		return out.WriteToken(jsontext.String(e.Name))
	}
	tokens := []jsontext.Token{jsontext.BeginObject, jsontext.String(string(e.Op))}
	switch e.Op {
	case OpLen, OpMachine, OpResident:
		tokens = append(tokens, jsontext.String(e.Name), jsontext.EndObject)
	case OpRows:
		tokens = append(tokens, jsontext.True, jsontext.EndObject)
	default:
		if _, ok := operands[e.Op]; !ok {
			return fmt.Errorf("no operator %q", e.Op)
		}
		tokens = append(tokens, jsontext.BeginArray)
	}
	for _, token := range tokens {
		if err := out.WriteToken(token); err != nil {
			return err
		}
	}
	if _, ok := operands[e.Op]; !ok {
		return nil
	}
	for _, arg := range e.Args {
		if err := arg.MarshalJSONTo(out); err != nil {
			return err
		}
	}
	if err := out.WriteToken(jsontext.EndArray); err != nil {
		return err
	}
	return out.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (e *Expr) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '0':
		// Token.Int would saturate and drop fractions in silence.
		c, err := strconv.ParseInt(token.String(), 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no 64-bit integer", token)
		}
		*e = Const(c)
		return nil
	case '"':
		*e = Var(token.String())
		return nil
	case '{':
	default:
		return fmt.Errorf(`an expression is a number, a scalar's name or an object as {"add": [a, b]}, not %s`, token)
	}
	if in.PeekKind() == '}' {
		return errors.New("an expression's object has one key: its operator")
	}
	key, err := in.ReadToken()
	if err != nil {
		return err
	}
	*e = Expr{Op: Op(key.String())}
	if err := e.readOperands(in); err != nil {
		return err
	}
	if kind := in.PeekKind(); kind != '}' {
		return fmt.Errorf("an expression's object has one key; something follows %q", e.Op)
	}
	_, err = in.ReadToken()
	return err
}

// readOperands reads the value of the one key of an expression's object.
func (e *Expr) readOperands(in *jsontext.Decoder) error {
	count, ok := operands[e.Op]
	switch e.Op {
	case OpLen, OpMachine, OpResident, OpRows:
		token, err := in.ReadToken()
		if err != nil {
			return err
		}
		if e.Op == OpRows {
			if token.Kind() != 't' {
				return fmt.Errorf(`%q takes true, not %s`, e.Op, token)
			}
			return nil
		}
		if token.Kind() != '"' {
			return fmt.Errorf("%q takes a name, not %s", e.Op, token)
		}
		e.Name = token.String()
		return nil
	}
	if !ok {
		return fmt.Errorf("no operator %q; there are %s", e.Op, operatorNames)
	}
	if kind := in.PeekKind(); kind != '[' {
		return fmt.Errorf("%q takes a list of %d operands", e.Op, count)
	}
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for in.PeekKind() != ']' {
		var arg Expr
		if err := arg.UnmarshalJSONFrom(in); err != nil {
			return err
		}
		e.Args = append(e.Args, arg)
	}
	if len(e.Args) != count {
		return fmt.Errorf("%q takes %d operands, not %d", e.Op, count, len(e.Args))
	}
	_, err := in.ReadToken()
	return err
}

const operatorNames = "len machine resident rows add sub mul ceildiv min max pow2 shl lt eq and"
