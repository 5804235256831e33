package ir_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
)

// example is a row of a table of docs/language.md: an expression, the columns
// and scalars it uses with their values, and what it gives.
type example struct {
	line       int
	expression string
	given      string
	result     string
}

var tableCell = regexp.MustCompile(`(?:[^|\\]|\\.)*`)

// examples returns the rows of the tables whose last columns are Example,
// Given and Result.
func examples(t *testing.T) (found []example) {
	t.Helper()
	text, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	inTable := false
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(line, "| Example | Given | Result |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "|---"):
			cells := tableCell.FindAllString(strings.Trim(line, "|"), -1)
			if len(cells) < 3 {
				t.Fatalf("docs/language.md:%d: %d cells", number, len(cells))
			}
			for i := range cells {
				cells[i] = strings.Trim(strings.ReplaceAll(cells[i], `\|`, "|"), " `")
			}
			cells = cells[len(cells)-3:]
			found = append(found, example{number, cells[0], cells[1], cells[2]})
		}
	}
	return found
}

// The examples of the language reference give what it says.
func TestLanguageExamples(t *testing.T) {
	all := examples(t)
	if len(all) < 60 {
		t.Errorf("found %d examples", len(all))
	}
	for _, e := range all {
		t.Run(fmt.Sprintf("line %d", e.line), func(t *testing.T) {
			var parameters []string
			var inputs []ir.Column
			for _, given := range strings.Split(e.given, ";") {
				parameter, values, _ := strings.Cut(given, "=")
				parameters = append(parameters, strings.TrimSpace(parameter))
				kind, ok := ir.KindByName(strings.TrimSpace(parameter[strings.IndexAny(parameter, "]")+1:]))
				if !ok {
					t.Fatalf("no type in %q", parameter)
				}
				inputs = append(inputs, readColumn(t, kind, values))
			}
			source := fmt.Sprintf("pipeline example(%s) {\n\treturn result: %s\n}\n", strings.Join(parameters, ", "), e.expression)
			pipelines, errs := ir.Load("docs/language.md", []byte(source))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			outputs, err := interp.Run(pipelines[0], inputs)
			if err != nil {
				t.Fatal(err)
			}
			got, want := outputs[0], readColumn(t, outputs[0].Kind, e.result)
			if !equalColumns(got, want) {
				t.Errorf("%s where %s gives %v, want %v", e.expression, e.given, got.Slice, want.Slice)
			}
		})
	}
}

// readColumn reads values with spaces between them.
func readColumn(t *testing.T, kind ir.Kind, text string) ir.Column {
	t.Helper()
	words := strings.Fields(text)
	c := ir.NewColumn(kind, len(words))
	for i, word := range words {
		value, err := readScalar(kind, word)
		if err != nil {
			t.Fatal(err)
		}
		c.Set(i, value)
	}
	return c
}

func readScalar(kind ir.Kind, word string) (ir.Scalar, error) {
	switch {
	case kind == ir.Bool:
		b, err := strconv.ParseBool(word)
		return ir.BoolScalar(b), err
	case kind.IsFloat():
		f, err := strconv.ParseFloat(word, 8*kind.Size())
		return ir.Float(kind, f), err
	case kind == ir.Date:
		day, err := time.Parse(time.DateOnly, word)
		return ir.Int(kind, day.Unix()/86400), err
	case kind == ir.Timestamp:
		at, err := time.Parse(time.RFC3339Nano, word)
		if err != nil { // midnight
			at, err = time.Parse(time.DateOnly, word)
		}
		return ir.Int(kind, at.UnixMicro()), err
	case kind == ir.Char8:
		s, err := strconv.Unquote(word)
		return ir.Char8Scalar(s), err
	case kind.IsUnsigned():
		u, err := strconv.ParseUint(word, 10, 8*kind.Size())
		return ir.Scalar{Kind: kind, Bits: u}, err
	}
	if kind.IsDecimal() {
		whole, fraction, _ := strings.Cut(word, ".")
		if len(fraction) != kind.Scale() {
			return ir.Scalar{}, fmt.Errorf("%s is no %v", word, kind)
		}
		word = whole + fraction
	}
	i, err := strconv.ParseInt(word, 10, 8*kind.Size())
	return ir.Int(kind, i), err
}

// equalColumns compares bit for bit; all NaNs are equal.
func equalColumns(a, b ir.Column) bool {
	if a.Kind != b.Kind || a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		x, y := a.At(i), b.At(i)
		bothNaN := a.Kind.IsFloat() && x.Float64() != x.Float64() && y.Float64() != y.Float64()
		if x != y && !bothNaN {
			return false
		}
	}
	return true
}
