package ir

import (
	"fmt"
	"slices"
	"strings"
)

// habits are words of SQL, NumPy, Go and other languages, with what is written
// here instead.
var habits = map[string]string{
	"mean": "write avg(x)", "average": "write avg(x)", "total": "write sum(x)", "prod": "write last(scan(mul, x))", "product": "write last(scan(mul, x))",
	"minimum": "write min(x) of a column, least(x, y) of two", "maximum": "write max(x) of a column, greatest(x, y) of two",
	"median": "take the middle row: p = order(x), then x[p][len(x) / 2]", "percentile": "take a row of the order: x[order(x)][i]", "quantile": "take a row of the order: x[order(x)][i]",
	"stddev": "write sqrt(avg(x * x) - avg(x) * avg(x))", "std": "write sqrt(avg(x * x) - avg(x) * avg(x))", "variance": "write avg(x * x) - avg(x) * avg(x)", "var": "write avg(x * x) - avg(x) * avg(x)",
	"lag": "write prev(x, 1, fill)", "lead": "write next(x, 1, fill)", "shift": "write prev(x, k, fill) or next(x, k, fill)", "diff": "write x - prev(x, 1, 0)",
	"cumsum": "write scan(add, x)", "cumprod": "write scan(mul, x)", "cummax": "write scan(max, x)", "cummin": "write scan(min, x)", "accumulate": "write scan(add, x)", "reduce": "write sum, min, max, count or scan",
	"sort": "write p = order(x), then x[p]", "argsort": "write order(x)", "sorted": "write p = order(x), then x[p]", "order_by": "write p = order(x), then x[p]", "rank": "write p = order(x); the rows of p are in that order",
	"asc": "order ascends unless a key is desc(x)", "top": "write p = order(desc(x), limit: k), then x[p]", "head": "write x[index(x) < k]", "tail": "write x[index(x) >= len(x) - k]", "limit": "write order(x, limit: k), or x[index(x) < k]",
	"filter": "write x[mask]", "where": "write x[mask] for the rows where it is true, select(mask, x, y) to choose values", "compress": "write x[mask]", "nonzero": "write index(m)[m]",
	"if": "write select(condition, x, y)", "iff": "write select(condition, x, y)", "ifelse": "write select(condition, x, y)", "case": "write select(condition, x, y)", "cond": "write select(condition, x, y)",
	"coalesce": "no value is ever missing; choose with select(known, x, y)", "ifnull": "no value is ever missing; choose with select(known, x, y)", "isnull": "no value is ever missing; a NaN is x != x", "isnan": "write x != x",
	"group": "write groups(k)", "group_by": "write g = groups(k) and by: g", "groupby": "write g = groups(k) and by: g", "partition": "write sum(x, by: g)[g]", "distinct": "write first(k, by: groups(k))", "unique": "write first(k, by: groups(k))",
	"length": "write len(x)", "size": "write len(x)", "rows": "write len(x)", "nrow": "write len(x)", "row_number": "write index(x), or exscan(add, 1, by: g) in groups", "iota": "write index(x)", "arange": "write index(x)", "range": "write index(x)", "rowid": "write index(x)",
	"in": "write find(x, in: y) >= 0", "isin": "write find(x, in: y) >= 0", "exists": "write find(x, in: y) >= 0", "lookup": "write find(x, in: y)", "searchsorted": "write find(x, in: y) for equal values", "merge": "write join(a, b)",
	"hist": "write count(by: bins(x, size))", "histogram": "write count(by: bins(x, size))", "bincount": "write count(by: bins(x, size))", "any": "write count(m) > 0", "all": "write count(!m) == 0",
	"float": "write f32(x) or f64(x)", "double": "write f64(x)", "int": "write i32(x) or i64(x)", "uint": "write u32(x) or u64(x)", "integer": "write i32(x) or i64(x)", "real": "write f64(x)", "number": "write i64(x) or f64(x)", "byte": "write u8(x)",
	"int8": "write i8(x)", "int16": "write i16(x)", "int32": "write i32(x)", "int64": "write i64(x)", "uint8": "write u8(x)", "uint16": "write u16(x)", "uint32": "write u32(x)", "uint64": "write u64(x)", "float32": "write f32(x)", "float64": "write f64(x)",
	"str": "strings are char8 columns and constants", "string": "strings are char8 columns and constants", "cast": "write the type: f64(x)", "convert": "write the type: f64(x)", "timestamp": "write date(\"1994-01-01\") for days, i64 for finer time",
	"floor": "for numbers in range write f64(i64(x)), which truncates", "trunc": "for numbers in range write f64(i64(x))", "round": "for numbers in range write f64(i64(x + 0.5)), for x >= 0", "ceil": "for numbers in range write f64(i64(x)), plus 1 where that is less", "mod": "write x % y", "pow": "write x * x", "extract": "write year(d), month(d) or day(d)",
	"not": "write !x", "and": "write x && y", "or": "write x || y", "xor": "write x ^ y, for bools x != y",
	"exp": leftOut, "log": leftOut, "ln": leftOut, "sin": leftOut, "cos": leftOut, "tan": leftOut, "concat": leftOut, "substr": leftOut, "substring": leftOut, "upper": leftOut, "lower": leftOut, "hash": leftOut,
	"map": "operators work on whole columns: write x * 2", "apply": "operators work on whole columns: write x * 2", "left": "write j.left", "right": "write j.right", "scatter": "write sum or max(x, by: bins(i, size))", "take": "write x[i]",
}

const leftOut = "it is not in the language: compute it before, and pass it as a column"

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
	if hint := habits[strings.ToLower(name)]; strings.Contains(hint, "(x)") {
		return strings.ReplaceAll(hint, "(x)", "")
	}
	return "the types are bool, i8 i16 i32 i64, u8 u16 u32 u64, f32 f64, date and char8"
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
		hint := "as in %s(add, x); the operations are add mul min max and or xor"
		if name.Name == "sum" || name.Name == "prod" {
			hint = "write %s(add, x) for sums, (mul, x) for products; also min max and or xor"
		}
		r.g.fail(name.Pos, fmt.Sprintf(hint, f.name), "%s has no operation %s", f.name, clip(name.Name))
		return ReduceNone, false
	}
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
