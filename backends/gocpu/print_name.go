package gocpu

import (
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/kgen-go/kgen/backends"
)

// goName returns name as Go spells local names: l_orderkey becomes lOrderkey.
func goName(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case r == '_' || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = b.Len() > 0
		case b.Len() == 0 && unicode.IsDigit(r):
			b.WriteString("v")
			b.WriteRune(r)
		case b.Len() == 0:
			b.WriteRune(unicode.ToLower(r))
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "value"
	}
	return b.String()
}

// exportedName returns name as Go spells exported names.
func exportedName(name string) string {
	s := goName(name)
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// isPredeclared reports whether name may have another meaning in emitted text: a
// keyword, a predeclared identifier of Go, or a package that the text imports.
func isPredeclared(name string) bool {
	switch name {
	case "append", "any", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64", "complex128",
		"copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int8", "int16", "int32", "int64", "iota",
		"len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "archsimd", "atomic", "binary", "bits", "errors", "fmt", "math", "init", "main":
		return true
	}
	return token.IsKeyword(name)
}

// imported are the packages that files of emitted packages import. What is in sight
// of all files cannot have such a name, not even where another file imports it.
var imported = []string{"archsimd", "atomic", "big", "binary", "bits", "bytes", "cmp", "context", "crc32", "embed", "errors", "fmt", "fs", "kgen", "math", "os", "rand", "runtime",
	"slices", "strconv", "strings", "sync", "testing", "time", "unsafe"}

func isImported(name string) bool { return slices.Contains(imported, name) }

// NewNames returns the names of a package without declarations. The names of the
// support file begin with kgen, and no other name does.
func NewNames() *backends.Names {
	spell := func(name string) string {
		name = goName(name)
		if strings.HasPrefix(name, "kgen") {
			return "v" + exportedName(name)
		}
		return name
	}
	return backends.NewNames(spell, isPredeclared)
}
