package ir

import "strings"

// habits are words of SQL, NumPy, Go and other languages, with what is written
// here instead.
var habits = byWord([]habit{
	{"mean average", "write avg(x)"},
	{"total", "write sum(x)"},
	{"prod", "write product(x)"},
	{"minimum", "write min(x) of a column, least(x, y) of two"},
	{"maximum", "write max(x) of a column, greatest(x, y) of two"},
	{"median", "take the middle row: p = order(x), then x[p][len(x) / 2]"},
	{"percentile quantile", "take a row of the order: x[order(x)][i]"},
	{"stddev std", "write sqrt(avg(x * x) - avg(x) * avg(x))"},
	{"variance var", "write avg(x * x) - avg(x) * avg(x)"},
	{"lag", "write prev(x, 1, fill)"},
	{"lead", "write next(x, 1, fill)"},
	{"shift", "write prev(x, k, fill) or next(x, k, fill)"},
	{"diff", "write x - prev(x, 1, 0)"},
	{"cumsum accumulate", "write scan(add, x)"},
	{"cumprod", "write scan(mul, x)"},
	{"cummax", "write scan(max, x)"},
	{"cummin", "write scan(min, x)"},
	{"reduce", "write sum, min, max, count or scan"},
	{"sort sorted order_by", "write p = order(x), then x[p]"},
	{"argsort", "write order(x)"},
	{"rank", "write p = order(x); the rows of p are in that order"},
	{"asc", "order ascends unless a key is desc(x)"},
	{"top", "write p = order(desc(x), limit: k), then x[p]"},
	{"head", "write x[index(x) < k]"},
	{"tail", "write x[index(x) >= len(x) - k]"},
	{"limit", "write order(x, limit: k), or x[index(x) < k]"},
	{"filter compress", "write x[mask]"},
	{"where", "write x[mask] for the rows where it is true, select(mask, x, y) to choose values"},
	{"nonzero", "write index(m)[m]"},
	{"if iff ifelse case cond", "write select(condition, x, y)"},
	{"coalesce ifnull", "say it where x is a parameter: x: [n]i32 missing 0"},
	{"isnull", "add a parameter known: [n]bool present x behind x: [n]i32 missing 0; a NaN is x != x"},
	{"isnan", "write x != x"},
	{"group", "write groups(k)"},
	{"group_by groupby", "write g = groups(k) and by: g"},
	{"partition", "write sum(x, by: g)[g]"},
	{"distinct unique", "write first(k, by: groups(k))"},
	{"length size rows nrow", "write len(x)"},
	{"row_number", "write index(x), or exscan(add, 1, by: g) in groups"},
	{"iota arange range rowid", "write index(x)"},
	{"in isin exists", "write find(x, in: y) >= 0"},
	{"lookup", "write find(x, in: y)"},
	{"searchsorted", "write find(x, in: y) for equal values"},
	{"merge", "write join(a, b)"},
	{"hist histogram bincount", "write count(by: bins(x, size))"},
	{"float", "write f32(x) or f64(x)"},
	{"double real float64", "write f64(x)"},
	{"int integer", "write i32(x) or i64(x)"},
	{"uint", "write u32(x) or u64(x)"},
	{"number", "write i64(x) or f64(x)"},
	{"numeric money", "write decimal(x, 2)"},
	{"byte uint8", "write u8(x)"},
	{"int8", "write i8(x)"},
	{"int16", "write i16(x)"},
	{"int32", "write i32(x)"},
	{"int64", "write i64(x)"},
	{"uint16", "write u16(x)"},
	{"uint32", "write u32(x)"},
	{"uint64", "write u64(x)"},
	{"float32", "write f32(x)"},
	{"str string", "strings are columns and constants of type text, or char8"},
	{"like contains", "declare whether it is: green: [n]bool like \"%green%\", or write startswith(x, \"PROMO\")"},
	{"hasprefix prefix", "write startswith(x, \"PROMO\")"},
	{"date_trunc datetrunc trunc_date", "write truncate(t, \"day\")"},
	{"dayofweek isodow dow", "write weekday(t), where 1 is Monday"},
	{"cast convert", "write the type: f64(x)"},
	{"datetime", "write timestamp(\"1994-01-01T12:30:00Z\")"},
	{"ceiling", "write ceil(x)"},
	{"fix", "write trunc(x)"},
	{"rint roundeven round_even nearbyint", "write round(x), of two the even number"},
	{"bit_count bitcount popcnt onescount ones", "write popcount(x)"},
	{"clz lzcnt nlz countl_zero", "write leadingzeros(x)"},
	{"ctz tzcnt ntz countr_zero", "write trailingzeros(x)"},
	{"mod", "write x % y"},
	{"pow", "write x * x"},
	{"extract", "write year(t), month(t), day(t), hour(t), minute(t) or second(t)"},
	{"not", "write !x"},
	{"and", "write x && y"},
	{"or", "write x || y"},
	{"xor", "write x ^ y, for bools x != y"},
	{"exp log ln sin cos tan concat substr substring upper lower hash", leftOut},
	{"map apply", "operators work on whole columns: write x * 2"},
	{"left", "write j.left"},
	{"right", "write j.right"},
	{"scatter", "write sum or max(x, by: bins(i, size))"},
	{"take", "write x[i]"},
})

// A habit is what to write instead of any of some words.
type habit struct{ words, instead string }

func byWord(list []habit) map[string]string {
	words := map[string]string{}
	for _, h := range list {
		for word := range strings.FieldsSeq(h.words) {
			words[word] = h.instead
		}
	}
	return words
}

const leftOut = "it is not in the language: compute it before, and pass it as a column"
