package ir

import (
	"fmt"
	"go/constant"
	"strings"
)

// A constant of type text is a scalar parameter that the caller does not declare: where a
// text is in the dictionary is known when the pipeline runs. The dictionary has all such
// constants, so that they compare as every text does.

// text returns the constant text.
func (g *graph) text(pos Pos, text string) operand {
	v := g.texts[text]
	if v == nil {
		v = &Value{ID: len(g.values), Op: OpParam, Type: Type{Kind: Text}, Literal: &text, Hidden: true, Pos: pos}
		g.values = append(g.values, v)
		g.texts[text] = v
	}
	return operand{pos: pos, value: v}
}

// nameTexts gives the hidden parameters of p names that nothing else has.
func nameTexts(p *Pipeline) {
	taken := map[string]bool{}
	for _, v := range p.Values {
		if !v.Hidden {
			taken[v.Name] = true
		}
	}
	for _, r := range p.Results {
		taken[r.Label] = true
	}
	for _, v := range p.Params {
		if !v.Hidden {
			continue
		}
		base := "text_" + wordOf(*v.Literal)
		v.Name = strings.TrimSuffix(base, "_")
		for i := 2; taken[v.Name]; i++ {
			v.Name = fmt.Sprintf("%s_%d", strings.TrimSuffix(base, "_"), i)
		}
		taken[v.Name] = true
		v.Doc = fmt.Sprintf("the code of %q", *v.Literal)
	}
}

// wordOf keeps what of a text a name may have, up to 20 bytes.
func wordOf(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case b.Len() == 20:
			return b.String()
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return b.String()
}

// isLiteral reports whether v is written as a constant.
func (v *Value) isLiteral() bool { return v.Op == OpConst || v.Hidden }

// Text returns the constant text("AUTOMOBILE").
func (b *Builder) Text(text string) Operand {
	return b.literal(Text, text)
}

// Startswith returns startswith(x, "PROMO"), of a text or char8.
func (b *Builder) Startswith(x any, prefix string) Operand {
	return b.callNamed("startswith", x, prefix)
}

// Declared returns the parameters that the text of p declares; constants of type text
// follow them in p.Params.
func (p *Pipeline) Declared() []*Value {
	n := len(p.Params)
	for n > 0 && p.Params[n-1].Hidden {
		n--
	}
	return p.Params[:n]
}

// buildStartswith builds startswith(x, "prefix"): the strings from the prefix on up to the
// first one behind all that begin with it.
func buildStartswith(g *graph, c *call) operand {
	x := g.typed(c.args[0])
	prefix := c.args[1]
	switch {
	case x.bad() || prefix.bad() || !g.plain(c.pos, x):
		return operand{pos: c.pos}
	case x.kind() != Text && x.kind() != Char8:
		return g.fail(c.pos, "startswith takes text and char8", "startswith of %v, which is %v", x, x.typ())
	case prefix.kind() != UntypedString:
		return g.fail(prefix.pos, `write startswith(x, "PROMO")`, "the prefix is a string constant, and %v is not", prefix)
	}
	from := g.binary(c.pos, OpGe, x, prefix)
	if from.bad() {
		return from
	}
	last := constant.StringVal(prefix.constant)
	for strings.HasSuffix(last, "\xff") {
		last = last[:len(last)-1]
	}
	if last == "" {
		return from
	}
	behind := operand{pos: prefix.pos, constant: constant.MakeString(last[:len(last)-1] + string([]byte{last[len(last)-1] + 1}))}
	return g.binary(c.pos, OpLogicalAnd, from, g.binary(c.pos, OpLt, x, behind))
}
