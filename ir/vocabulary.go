package ir

import (
	"go/token"
	"maps"
	"slices"
)

// A Function is what is called by name: an operator, desc or a cast.
type Function struct {
	Name      string
	Named     []string // operands that have a name, such as by
	Operation bool     // the first operand is one of Operations
	Help      OperatorHelp
}

// Functions lists what is called by name: operators in the order of the language,
// then desc and the casts.
func Functions() []Function {
	var list []Function
	add := func(f Function) {
		f.Help, _ = OperatorNamed(f.Name)
		list = append(list, f)
	}
	for _, f := range functions {
		add(Function{Name: f.name, Named: slices.Clone(f.named), Operation: f.operation})
	}
	add(Function{Name: "desc"})
	for _, name := range typeNames() {
		add(Function{Name: name})
	}
	return list
}

// Vocabulary is the words and symbols that mean something in source text. Each stands
// where the grammar has it; but for those of Reserved, all of its words can be names.
type Vocabulary struct {
	Reserved   []string // pipeline, return and the constants
	Constants  []string // true and false
	Modifiers  []string // words that belong to a parameter or to return
	Types      []string // of elements
	Operations []string // of scan and exscan
	Fields     []string // of a join
	Symbols    []string // the infix and prefix operators
}

// Words returns the vocabulary of the language, but for functions and their operands.
func Words() Vocabulary {
	v := Vocabulary{
		Reserved:   slices.Sorted(maps.Keys(reservedWords)),
		Constants:  []string{"false", "true"},
		Modifiers:  []string{"like", "missing", "present", "reproducible", "unordered"},
		Types:      typeNames(),
		Operations: slices.Clone(reduceNames[1:]),
		Fields:     []string{OpLeft.String(), OpRight.String()},
		Symbols:    []string{token.ADD.String()}, // +x, which is no operator of the graph
	}
	for _, ops := range []map[string]Op{infix, prefix} {
		for text := range ops {
			v.Symbols = append(v.Symbols, text)
		}
	}
	slices.Sort(v.Symbols)
	v.Symbols = slices.Compact(v.Symbols)
	return v
}
