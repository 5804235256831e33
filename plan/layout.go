package plan

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// lineWidth is the width of the longest line of a plan's text; a level of
// indentation counts as one column.
const lineWidth = 120

// layout breaks compact JSON into lines: a list or object that fits a line
// stays on it, any other gets a line per member.
func layout(compact []byte) []byte {
	var out bytes.Buffer
	layoutValue(&out, compact, 0, 0)
	out.WriteByte('\n')
	return out.Bytes()
}

// layoutValue writes one value; used is what its line holds already.
func layoutValue(out *bytes.Buffer, value jsontext.Value, depth, used int) {
	kind := value.Kind()
	if kind != '{' && kind != '[' {
		out.Write(value)
		return
	}
	if depth > 0 && depth+used+len(value) < lineWidth {
		line := value.Clone()
		line.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
		if depth+used+len(line) < lineWidth {
			out.Write(line)
			return
		}
	}
	members := jsontext.NewDecoder(bytes.NewReader(value))
	open, _ := members.ReadToken()
	out.WriteByte(byte(open.Kind()))
	indent := "\n" + strings.Repeat("\t", depth+1)
	for count := 0; members.PeekKind() != '}' && members.PeekKind() != ']'; count++ {
		if count > 0 {
			out.WriteByte(',')
		}
		out.WriteString(indent)
		used := 1
		if kind == '{' {
			key, _ := members.ReadValue()
			out.Write(key)
			out.WriteString(": ")
			used += len(key) + 2
		}
		member, err := members.ReadValue()
		if err != nil {
			return // unreachable: the text is from our own encoder
		}
		layoutValue(out, member.Clone(), depth+1, used)
	}
	out.WriteString(indent[:len(indent)-1])
	out.WriteByte(byte(kind) + 2) // ']' follows '[' by two, as '}' does '{'
}
