package ir

import (
	"fmt"
	"slices"
	"strings"
)

func (r *resolver) unknown(x *Name) operand {
	return r.g.fail(x.Pos, r.unknownHint(x), "unknown name %s", clip(x.Name))
}

func (r *resolver) unknownHint(x *Name) string {
	if r.decl == nil {
		return "a default is a constant: it cannot use other names"
	}
	if r.hints++; r.hints > MaxErrors {
		return "" // nobody will see it
	}
	for _, s := range r.decl.Stmts {
		if s.Name == x.Name {
			return fmt.Sprintf("it is defined below, at line %d: move that statement up", s.Pos.Line)
		}
	}
	for _, p := range r.decl.Params {
		if p.Domain == x.Name {
			return fmt.Sprintf("%s is a domain; its number of rows is len(%s)", clip(x.Name), clip(p.Name))
		}
	}
	switch strings.ToLower(x.Name) {
	case "true", "false":
		return "write " + strings.ToLower(x.Name)
	case "null", "none", "nil", "nan", "na":
		return "no value is ever missing: choose a value that stands for it, or pass a bool column beside it"
	case "inf", "infinity":
		return "pass it as a parameter; the largest values of a type begin exscan(min, x)"
	}
	if f := functionsByName[x.Name]; f != nil {
		return "it is a function: " + f.signature()
	}
	if x.Name == decimalName {
		return "it is a type: decimal(x, 2) casts to it"
	}
	if kind, ok := KindByName(x.Name); ok {
		return fmt.Sprintf("it is a type: %v(x) casts to it", kind)
	}
	names := make([]string, len(r.order))
	for i, s := range r.order {
		names[i] = s.name
	}
	if hint := didYouMean(x.Name, names); hint != "" || len(names) > 10 {
		return hint
	}
	return "the names above it are " + strings.Join(names, ", ")
}

func unknownTypeHint(name string) string {
	switch strings.ToLower(name) {
	case "string", "str", "varchar", "char":
		return "write text, or char8 for strings of at most 8 bytes"
	case "datetime", "time":
		return "write timestamp"
	case decimalName, "numeric", "money":
		return "write how many digits it has after the point: decimal(2)"
	}
	if strings.HasPrefix(name, decimalName+"(") {
		return fmt.Sprintf("a decimal has 0 to %d digits after the point, as in decimal(2)", MaxScale)
	}
	if hint := habits[strings.ToLower(name)]; strings.Contains(hint, "(x)") {
		return strings.ReplaceAll(hint, "(x)", "")
	}
	return "the types are bool, i8 i16 i32 i64, u8 u16 u32 u64, f32 f64, decimal(2), date, timestamp, text and char8"
}

func (r *resolver) unknownFunction(x *Call) operand {
	hint := habits[strings.ToLower(x.Name)]
	if hint == "" && r.symbols[x.Name] != nil {
		hint = fmt.Sprintf("%s is no function; its rows are written %[1]s[i]", clip(x.Name))
	}
	if hint == "" {
		names := []string{"desc"}
		for _, f := range functions {
			names = append(names, f.name)
		}
		hint = didYouMean(x.Name, names)
	}
	if hint == "" {
		hint = "kgen help lists the functions"
	}
	return r.g.fail(x.Pos, hint, "unknown function %s", clip(x.Name))
}

// operation reads the first operand of scan and exscan.
func (r *resolver) operation(f *function, a *Arg) (op ReduceOp, ok bool) {
	if name, isName := a.X.(*Name); isName && a.Label == "" {
		if i := slices.Index(reduceNames[:], name.Name); i > 0 {
			return ReduceOp(i), true
		}
		if s := r.symbols[name.Name]; s != nil {
			s.used = true
		}
		hint := "as in %s(add, x); the operations are add mul min max and or xor"
		if name.Name == "sum" || name.Name == "prod" {
			hint = "write %s(add, x) for sums, (mul, x) for products; also min max and or xor"
		}
		r.g.fail(name.Pos, fmt.Sprintf(hint, f.name), "%s has no operation %s", f.name, clip(name.Name))
		return ReduceNone, false
	}
	r.expr(a.X)
	r.g.fail(a.X.Position(), fmt.Sprintf("as in %s(add, x); the operations are add mul min max and or xor", f.name), "%s begins with its operation", f.name)
	return ReduceNone, false
}

// didYouMean proposes the one of names that is nearest to name, if any is near.
func didYouMean(name string, names []string) string {
	best, least := "", 3
	if len(name) <= 3 {
		least = 2
	}
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n), least); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", clip(best))
}

// distance is the number of bytes to insert, delete or change to make b of a,
// or most if it is not less.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return min(row[len(b)], most)
}
