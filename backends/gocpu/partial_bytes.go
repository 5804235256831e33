package gocpu

import (
	"encoding/binary"
	"fmt"
)

// marshal writes the method that encodes a partial.
func (w *partialWriter) marshal(s *source) {
	s.line("// MarshalBinary returns the partial as bytes. %s.UnmarshalBinary of the same", w.name)
	s.line("// pipeline decodes them on any machine.")
	s.line("func (p *%s) MarshalBinary() ([]byte, error) {", w.name)
	s.line("data := append(make([]byte, 0, %s), %s...)", w.size(), w.header)
	if len(w.scalars) > 0 {
		s.line("data = p.putScalars(data)")
	}
	s.line("data = kgenPut(data, p.begun)")
	if w.sites > 0 {
		s.line("data = kgenPut(data, p.checks[:]...)")
	}
	if w.Halo != nil {
		s.line("data = kgenPut(data, p.n)")
		for _, end := range []string{"head", "tail"} {
			s.line("data = kgenPutLength(data, len(p.%s.%s))", end, w.columns[0].field)
			for _, c := range w.columns {
				s.line("data = kgenPut(data, p.%s.%s...)", end, c.field)
			}
		}
	}
	w.eachField(func(column int) {
		s.line("data = kgenPutLength(data, len(p.state.%s))", w.state[column].Name)
	}, func(i int) {
		s.line("data = kgenPut(data, p.state.%s%s)", w.state[i].Name, map[bool]string{true: "..."}[!w.state[i].Scalar])
	})
	s.line("return kgenSeal(data), nil\n}\n")
	if len(w.scalars) > 0 {
		s.line("// putScalars appends the parameters.")
		s.line("func (p *%s) putScalars(data []byte) []byte {", w.name)
		for _, f := range w.scalars {
			s.line("data = kgenPut(data, p.scalars.%s)", f.field)
		}
		s.line("return data\n}\n")
	}
}

// size returns an expression for the number of bytes, or a few more.
func (w *partialWriter) size() string {
	fixed := 1 + 8*w.sites + 4
	for _, f := range w.scalars {
		fixed += f.param.Type.Kind.Size()
	}
	size := "len(" + w.header + ")"
	if w.Halo != nil {
		row := 0
		for _, c := range w.columns {
			row += kindOf(c.kind).Size()
		}
		fixed += 8 + 2*binary.MaxVarintLen64 + 2*row*int(w.Halo.Back+w.Halo.Ahead)
	}
	for g := -1; g < len(w.Groupings); g++ {
		row := 0
		for _, state := range w.States {
			if state.Grouping == g {
				row += state.Kind.Size()
			}
		}
		if g < 0 {
			fixed += row
		} else {
			fixed += binary.MaxVarintLen64
			size += fmt.Sprintf(" + %d*len(p.state.%s)", row, w.state[w.columnOf(g)].Name)
		}
	}
	return fmt.Sprintf("%s + %d", size, fixed)
}

// unmarshal writes the method that decodes a partial.
func (w *partialWriter) unmarshal(s *source) {
	s.line("// UnmarshalBinary makes p the partial that MarshalBinary returned as data. It is an")
	s.line("// error if data is damaged, or comes from another pipeline or another version of the")
	s.line("// pipeline. After an error p is unchanged.")
	s.line("func (p *%s) UnmarshalBinary(data []byte) error {", w.name)
	s.line("var made %s", w.name)
	s.line("r := kgenOpen(data, %s)", w.header)
	for _, f := range w.scalars {
		s.line("made.scalars.%s = kgenTakeOne[%s](r)", f.field, typeText(f.kind))
	}
	s.line("made.begun = kgenTakeOne[bool](r)")
	if w.sites > 0 {
		s.line("kgenTakeInto(r, made.checks[:])")
	}
	declared := false
	if w.Halo != nil {
		s.line("made.n = kgenTakeOne[int64](r)")
		for _, end := range []string{"head", "tail"} {
			s.line("%s r.length()", map[bool]string{true: "n =", false: "n :="}[declared])
			declared = true
			s.line("if int64(n) != min(made.n, %d) {\nr.fail()\n}", w.Halo.Back+w.Halo.Ahead)
			for _, c := range w.columns {
				s.line("made.%s.%s = kgenTake[%s](r, n)", end, c.field, typeText(c.kind))
			}
		}
	}
	w.eachField(func(int) {
		s.line("%s r.length()", map[bool]string{true: "n =", false: "n :="}[declared])
		declared = true
	}, func(i int) {
		if w.state[i].Scalar {
			s.line("made.state.%s = kgenTakeOne[%s](r)", w.state[i].Name, typeText(w.state[i].Kind))
		} else {
			s.line("made.state.%s = kgenTake[%s](r, n)", w.state[i].Name, typeText(w.state[i].Kind))
		}
	})
	s.line("if err := r.end(); err != nil {")
	s.line("return kgenWrap(%q, err)\n}", w.at(w.name+".UnmarshalBinary"))
	s.line("made.shard = p.shard")
	s.line("*p = made\nreturn nil\n}")
}

// eachField calls field for the fields of the state: first the scalars, then the
// columns of each grouping. Before the columns of a grouping it calls grouping
// with one of them.
func (w *partialWriter) eachField(grouping, field func(i int)) {
	for g := -1; g < len(w.Groupings); g++ {
		if g >= 0 {
			grouping(w.columnOf(g))
		}
		for i, state := range w.States {
			if state.Grouping == g {
				field(i)
			}
		}
	}
}
