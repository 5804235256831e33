package ir

import "slices"

// OperatorHelp explains an operator of the language.
type OperatorHelp struct {
	Names     []string // what a user may ask for; the first is the operator as it is written
	Signature string   // its forms
	Result    string   // the type of its result
	Doc       string   // one line
	Example   string   // a pipeline that uses it
}

// Operators returns the help of every operator: the numbered ones of the
// language in their order, then the element-wise functions, operators and casts.
func Operators() []OperatorHelp { return slices.Clone(operatorHelps) }

// OperatorNamed returns the help of the operator that name asks for.
func OperatorNamed(name string) (OperatorHelp, bool) {
	for _, h := range operatorHelps {
		if slices.Contains(h.Names, name) {
			return h, true
		}
	}
	return OperatorHelp{}, false
}

// signature is how a function is written.
func (f *function) signature() string {
	h, _ := OperatorNamed(f.name)
	return h.Signature
}

var operatorHelps = append([]OperatorHelp{
	{
		Names:     []string{"x[mask]", "compact", "filter", "mask"},
		Signature: "x[mask]",
		Result:    "[mask]T, for x: [n]T and mask: [n]bool",
		Doc:       "The rows where the mask is true, in order.",
		Example: `pipeline adults(name: [n]char8, age: [n]i32) {
	adult = age >= 18
	return name[adult], age[adult]
}`,
	},
	{
		Names:     []string{"x[i]", "gather"},
		Signature: "x[i]",
		Result:    "[k]T, for x: [m]T and i: [k] of integers or rows of m; a scalar for a scalar i",
		Doc:       "The rows that the index says, which is checked unless it is known to hold rows of x.",
		Example: `pipeline prices(product: [n]i64, price: [m]f64) {
	return price[product], first: price[0]
}`,
	},
	{
		Names:     []string{"index"},
		Signature: "index(x)",
		Result:    "[n]→n, for x: [n]T",
		Doc:       "The number of each row: 0, 1, 2, ...",
		Example: `pipeline even_rows(x: [n]i32) {
	return x[index(x) % 2 == 0]
}`,
	},
	{
		Names:     []string{"len", "length", "rows"},
		Signature: "len(x)",
		Result:    "i64",
		Doc:       "The number of rows of x.",
		Example: `pipeline share(m: [n]bool) {
	return share: f64(count(m)) / f64(len(m))
}`,
	},
	{
		Names:     []string{"prev", "lag"},
		Signature: "prev(x, k, fill)",
		Result:    "[n]T, for x: [n]T; k is a constant >= 0 and fill a scalar T",
		Doc:       "The value k rows before (SQL's LAG); fill where there is none.",
		Example: `pipeline steps(x: [n]i64) {
	return step: x - prev(x, 1, 0)
}`,
	},
	{
		Names:     []string{"next", "lead"},
		Signature: "next(x, k, fill)",
		Result:    "[n]T, for x: [n]T; k is a constant >= 0 and fill a scalar T",
		Doc:       "The value k rows after (SQL's LEAD); fill where there is none.",
		Example: `pipeline gaps(start: [n]date, last: date) {
	return days: next(start, 1, last) - start
}`,
	},
	{
		Names:     []string{"scan", "cumsum"},
		Signature: "scan(op, x) or scan(op, x, by: g); op is add mul min max and or xor",
		Result:    "[n]T, for x: [n]T",
		Doc:       "The running reduction, this row included; with by: it starts again in every group of runs, starts or repeat.",
		Example: `pipeline balances(account: [n]i32, amount: [n]i64) {
	return balance: scan(add, amount, by: runs(account))
}`,
	},
	{
		Names:     []string{"exscan"},
		Signature: "exscan(op, x) or exscan(op, x, by: g); op is add mul min max and or xor",
		Result:    "[n]T, for x: [n]T",
		Doc:       "The running reduction of the rows before this one; it starts at the identity of op.",
		Example: `pipeline offsets(size: [n]i64) {
	return offset: exscan(add, size)
}`,
	},
	{
		Names:     []string{"runs"},
		Signature: "runs(k, ...)",
		Result:    "[n]→g, for keys over n",
		Doc:       "A group for each run of neighbours whose keys are equal.",
		Example: `pipeline grades(grade: [n]i32) {
	g = runs(grade)
	return grade: first(grade, by: g), count: count(by: g)
}`,
	},
	{
		Names:     []string{"starts"},
		Signature: "starts(mask)",
		Result:    "[n]→g, for mask: [n]bool",
		Doc:       "A group begins at each true row, and at row 0.",
		Example: `pipeline visits(time: [n]i64) {
	s = starts(time - prev(time, 1, 0) > 1800)
	return from: first(time, by: s), clicks: count(by: s)
}`,
	},
	{
		Names:     []string{"groups", "group", "distinct"},
		Signature: "groups(k, ...)",
		Result:    "[n]→g, for keys over n",
		Doc:       "A group for each distinct key, ascending by key (SQL's GROUP BY).",
		Example: `pipeline sales(shop: [n]i32, amount: [n]i64) {
	g = groups(shop)
	return shop: first(shop, by: g), total: sum(amount, by: g)
}`,
	},
	{
		Names:     []string{"bins", "histogram"},
		Signature: "bins(i, size) or bins(i, column)",
		Result:    "[n]→b, for i: [n] of integers; b has size rows, or is the column's domain",
		Doc:       "Group i of a known number of groups, some perhaps without rows; i is checked.",
		Example: `pipeline histogram(x: [n]u8) {
	return rows: count(by: bins(x, 256))
}`,
	},
	{
		Names:     []string{"repeat"},
		Signature: "repeat(length)",
		Result:    "[e]→m, for length: [m] of integers >= 0",
		Doc:       "Row r appears length[r] times.",
		Example: `pipeline decode(value: [m]i32, times: [m]i64) {
	return value[repeat(times)]
}`,
	},
	{
		Names:     []string{"order", "sort", "limit"},
		Signature: "order(k, ...) or order(desc(k), ..., limit: c)",
		Result:    "[p]→n, for keys over n",
		Doc:       "The rows in the order of their keys, equal ones in row order; at most c of them.",
		Example: `pipeline best(score: [n]i32, name: [n]char8) {
	p = order(desc(score), name, limit: 10)
	return name[p], score[p]
}`,
	},
	{
		Names:     []string{"desc"},
		Signature: "order(desc(k), ...)",
		Result:    "a key of order",
		Doc:       "This key of order descends.",
		Example: `pipeline newest(day: [n]date) {
	return day[order(desc(day))]
}`,
	},
	{
		Names:     []string{"find", "lookup"},
		Signature: "find(K, in: K2); K and K2 are columns or tuples (a, b)",
		Result:    "[n]i64, for K over n",
		Doc:       "The smallest row of K2 that equals K, else -1; where a mask has f >= 0, f[mask] holds rows of K2.",
		Example: `pipeline names(id: [n]i64, key: [m]i64, name: [m]char8) {
	f = find(id, in: key)
	hit = f >= 0
	return id[hit], name: name[f[hit]]
}`,
	},
	{
		Names:     []string{"join"},
		Signature: "join(K, K2); K and K2 are columns or tuples (a, b)",
		Result:    ".left: [j]→n and .right: [j]→m, for K over n and K2 over m",
		Doc:       "The pairs of rows whose keys are equal, by left row, then by right row.",
		Example: `pipeline pairs(a: [n]i64, x: [n]i32, b: [m]i64, y: [m]i32) {
	j = join(a, b)
	return x[j.left], y[j.right]
}`,
	},
	{
		Names:     []string{"align"},
		Signature: "align(x, to: y)",
		Result:    "[n]T, for x: [m]T or a scalar T, and y over n",
		Doc:       "The column x over y's domain, whose equal length is checked; a scalar is repeated.",
		Example: `pipeline add(x: [m]i32, y: [n]i32) {
	return total: align(x, to: y) + y
}`,
	},
}, slices.Concat(aggregateHelps(), rowHelps(), []OperatorHelp{
	{
		Names:     []string{"startswith", "starts_with"},
		Signature: `startswith(x, "prefix")`,
		Result:    "bool, for x of type text or char8",
		Doc:       "Whether x begins with a constant string, byte by byte. It is written as two comparisons.",
		Example: `pipeline promotions(kind: [n]text, price: [n]f64) {
	return revenue: sum(price[startswith(kind, "PROMO")])
}`,
	},
	{
		Names:     []string{"+", "-", "*", "/", "%"},
		Signature: "x + y, x - y, x * y, x / y, x % y, -x, +x",
		Result:    "T, for numbers of type T (% integers); decimal(a) * decimal(b) is decimal(a+b), decimal * i64 decimal; date + i32, date - i32, date - date",
		Doc:       "Arithmetic. Integers wrap, / truncates, % has the sign of x; division of integers by 0 is an error.",
		Example: `pipeline averages(total: [n]i64, rows: [n]i64) {
	return mean: f64(total) / f64(rows), whole: total / greatest(rows, 1), due: date("1994-01-01") + i32(rows)
}`,
	},
	{
		Names:     []string{"&", "|", "^", "&^", "<<", ">>"},
		Signature: "x & y, x | y, x ^ y, x &^ y, x << y, x >> y, ^x",
		Result:    "T, for integers of type T; the count of a shift has any integer type",
		Doc:       "Bits: and, or, exclusive or, and not, shifts modulo the width, complement.",
		Example: `pipeline digits(key: [n]u32, shift: u32) {
	return digit: key >> shift & 255
}`,
	},
	{
		Names:     []string{"==", "!=", "<", "<=", ">", ">="},
		Signature: "x == y, x != y, x < y, x <= y, x > y, x >= y",
		Result:    "bool, for x and y of one type (bools have no order)",
		Doc:       "Comparisons; of floats as IEEE has them, of char8 by unsigned bytes.",
		Example: `pipeline late(shipped: [n]date, due: [n]date) {
	return late: count(shipped > due), same_day: count(shipped == due)
}`,
	},
	{
		Names:     []string{"&&", "||", "!"},
		Signature: "x && y, x || y, !x",
		Result:    "bool, for bools",
		Doc:       "Logic. Both sides are computed, so the left one does not guard the right one.",
		Example: `pipeline between(x: [n]i32, low: i32, high: i32) {
	return x[x >= low && x < high]
}`,
	},
	{
		Names:     append([]string{"cast"}, typeNames()...),
		Signature: `i8(x), i16(x), ..., u64(x), f32(x), f64(x), decimal(x, 2), date(x), date("1994-01-01"), timestamp(x), text("AIR")`,
		Result:    "the type that it is called by",
		Doc:       "Conversion. Integers wrap, floats to integers truncate and saturate, bools become 0 or 1; decimals that lose digits round to the nearest, half away from 0; nothing casts to bool, char8 or text.",
		Example: `pipeline convert(x: [n]i32, m: [n]bool) {
	return half: f64(x) / 2, flag: i64(m), low: u8(x), day: date(x)
}`,
	},
})...)
