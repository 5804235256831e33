package ir

import (
	"strings"
	"testing"
)

// TestEqualStructureIsOneValue: values are one exactly if operator, operands
// and attributes are.
func TestEqualStructureIsOneValue(t *testing.T) {
	for _, test := range []struct {
		x, y string
		same bool
	}{
		{"a + b", "a + b", true},
		{"a + b", "b + a", false},
		{"a + b", "a - b", false},
		{"a[a > 1] + b[a > 1]", "a[a > 1] + b[a > 1]", true},
		{"a + 1", "a + 0x1", true},
		{"a + 1", "a + (3 - 2)", true},
		{"a + 1", "a + 2", false},
		{"+a", "a", true},
		{"i32(a)", "i16(a)", false},
		{"f64(a)", "f64(a)", true},
		{"prev(a, 1, 0)", "prev(a, 2, 0)", false},
		{"prev(a, 1, 0)", "prev(a, 1, 1)", false},
		{"prev(a, 1, 0)", "next(a, 1, 0)", false},
		{"scan(add, a)", "scan(mul, a)", false},
		{"scan(add, a)", "scan(add, a, by: runs(b))", false},
		{"order(a)", "order(desc(a))", false},
		{"order(a, b)", "order(a, desc(b))", false},
		{"order(a)", "order(a, limit: 3)", false},
		{"max(a)", "max(a, else: 0)", false},
		{"max(a, else: 0)", "max(a, else: 1)", false},
		{"max(a, by: runs(a), else: 0)", "max(a, else: 0, by: runs(a))", true},
		{"count(a > 0)", "count(a > 0, by: runs(a))", false},
		{"index(a)", "index(b)", false},
		{"find(a, in: b)", "find(b, in: a)", false},
		{"find((a, b), in: (b, a))", "find((a, a), in: (b, b))", false},
		{"join(a, b).left", "join(a, b).left", true},
		{"join(a, b).left", "join(a, b).right", false},
		{"date(a)", `date("1970-01-01")`, false},
		{`date(0)`, `date("1970-01-01")`, true},
		{`char8("A")`, `"A"`, true},
		{"true", "1 < 2", true},
		{`"A" == "A\x00"`, "true", true},
		{`"A" < "B"`, "true", true},
		{`least("B", "A")`, `"A"`, true},
		{"greatest(2, 3.5)", "3.5", true},
		{"7 / 2", "3", true},
		{"7 / 2.0", "3.5", true},
		{"-7 / 2", "-3", true},
		{"1 << 3 | 1", "9", true},
		{"^0", "-1", true},
		{"i64(1)", "1", true},
		{"i32(1)", "1", false},
		{"1.0", "1", false},
	} {
		p := mustLoad(t, "pipeline p(a: [n]i64, b: [n]i64) {\nreturn a, b, x: "+test.x+", y: "+test.y+"\n}")
		if same := p.Results[2].Value == p.Results[3].Value; same != test.same {
			t.Errorf("%s and %s: one value %v, want %v", test.x, test.y, same, test.same)
		}
	}
}

// TestOneDomainPerMaker: equal makers share a domain, which columns of both
// names combine in.
func TestOneDomainPerMaker(t *testing.T) {
	p := mustLoad(t, `pipeline p(a: [n]i64, b: [n]i64) {
	m = a > 1
	again = a > 1
	g = groups(a)
	h = groups(a)
	return x: a[m] + b[again], y: sum(a, by: g) + sum(b, by: h), z: a[a > 2]
}`)
	names := make([]string, len(p.Domains))
	for i, d := range p.Domains {
		names[i] = d.Name
		if d.ID != i {
			t.Errorf("domain %s has number %d, not %d", d.Name, d.ID, i)
		}
	}
	if got := strings.Join(names, ", "); got != "n, g, m, a > 2" {
		t.Errorf("domains %s", got)
	}
}

// TestTypes checks the type of an expression over columns and scalars of all
// kinds.
func TestTypes(t *testing.T) {
	const params = `b: [n]bool, i8: [n]i8, i32: [n]i32, i64: [n]i64, u8: [n]u8, u64: [n]u64, f32: [n]f32, f64: [n]f64, d: [n]date, c: [n]char8, m: [m]i64, s: i64, x: [m]f64, k: [k]i64`
	for expression, want := range map[string]string{
		"1": "i64", "1.5": "f64", `"A"`: "char8", "true": "bool", "s + 1": "i64", "i8 + 1": "[n]i8", "1 + u8": "[n]u8", "f32 * 2": "[n]f32",
		"i32 == 3": "[n]bool", "s == 3": "bool", "b && s > 0": "[n]bool", "d + 5": "[n]date", "5 + d": "[n]date", "d - 5": "[n]date", "d - d": "[n]i32",
		"d + i32": "[n]date", "d < d": "[n]bool", "i8 << u64": "[n]i8", "u64 >> 70": "[n]u64", "1 << s": "i64", "select(b, 1, i8)": "[n]i8", "select(b, 1, 2.5)": "[n]f64", "select(s > 0, s, 0)": "i64",
		"least(f32, 0)": "[n]f32", "greatest(c, c)": "[n]char8", "abs(-3)": "i64", "sqrt(2)": "f64", "sqrt(f32)": "[n]f32", "year(d)": "[n]i32",
		"index(b)": "[n]→n", "index(b) + 1": "[n]i64", "i64(index(b))": "[n]i64", "-index(b)": "[n]i64", "select(b, index(b), 0)": "[n]i64",
		"len(m)": "i64", "i64[b]": "[b]i64", "m[s]": "i64", "m[index(m)]": "[m]i64", "index(m)[index(m) > 3]": "[index(m) > 3]→m",
		"prev(i8, 1, 0)": "[n]i8", "prev(index(b), 1, 0)": "[n]i64", "scan(max, c)": "[n]char8", "scan(and, b)": "[n]bool", "exscan(xor, u8)": "[n]u8",
		"scan(add, 1, by: runs(c))": "[n]i64", "scan(add, s, by: starts(b))": "[n]i64", "runs(i8)": "[n]→runs(i8)", "starts(b)": "[n]→starts(b)", "groups(b)": "[n]→groups(b)",
		"bins(u8, 256)": "[n]→bins(u8, 256)", "bins(u8, m)": "[n]→m", "repeat(u8)": "[repeat(u8)]→n", "order(f64)": "[order(f64)]→n",
		"find(i64, in: m)": "[n]i64", "find(i64, in: m)[find(i64, in: m) >= 0]": "[find(i64, in: m) >= 0]→m", "find(i64, in: m)[b && (find(i64, in: m) >= 0 && s > 1)]": "[b && (find(i64, in: m) >= 0 && s > 1)]→m",
		"find(i64, in: m)[b]": "[b]i64", "find(i64, in: m)[!(find(i64, in: m) < 0)]": "[!(find(i64, in: m) < 0)]i64", "find(i64, in: m)[find(i64, in: k) >= 0]": "[find(i64, in: k) >= 0]i64",
		"join(i64, m).left": "[join(i64, m)]→n", "join(i64, m).right": "[join(i64, m)]→m",
		"align(m, to: b)": "[n]i64", "align(s, to: b)": "[n]i64", "align(index(m), to: b)": "[n]i64",
		"sum(i8)": "i64", "sum(u8)": "u64", "sum(f32)": "f64", "sum(1, by: runs(c))": "[runs(c)]i64", "sum(s, by: bins(u8, m))": "[m]i64", "count(b)": "i64", "count(by: runs(c))": "[runs(c)]i64", "count(s > 0, by: runs(c))": "[runs(c)]i64",
		"min(d)": "date", "max(i8, by: runs(c), else: -1)": "[runs(c)]i8", "avg(i8)": "f64", "avg(u64, by: runs(c))": "[runs(c)]f64", "first(b)": "bool", "last(c, by: runs(c))": "[runs(c)]char8", "first(index(b), by: runs(c))": "[runs(c)]i64",
		"argmin(f64)": "→n", "argmax(c, by: runs(b))": "[runs(b)]→n", "x[argmin(x)]": "f64", "i64[argmax(1, by: runs(b))]": "[runs(b)]i64",
		"join(i64, m).left[join(join(i64, m).right, index(m)).left]": "[join(join(i64, m).right, index(m))]→n", "index(m)[s]": "→m",
		"find(i64, in: m)[find(i64, in: m) >= 1]": "[find(i64, in: m) >= 1]i64", "find(i64, in: m)[!(find(i64, in: m) >= 0)]": "[!(find(i64, in: m) >= 0)]i64",
		"find(i64, in: m)[!(!(find(i64, in: m) >= 0))]": "[!!(find(i64, in: m) >= 0)]→m",
	} {
		pipelines, errs := Load("p.kg", []byte("pipeline p("+params+") {\nreturn b, i8, i32, i64, u8, u64, f32, f64, d, c, m, s, x, k, result: "+expression+"\n}"))
		if len(errs) > 0 {
			t.Errorf("%s: %v", expression, errs)
			continue
		}
		results := pipelines[0].Results
		if got := results[len(results)-1].Value.Type.String(); got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
}

// TestDomainsOfMakers: each operator that makes a domain makes one of its kind.
func TestDomainsOfMakers(t *testing.T) {
	p := mustLoad(t, `pipeline p(a: [n]i64, m: [n]bool) {
	r = runs(a)
	s = starts(m)
	g = groups(a)
	b = bins(a, 4)
	e = repeat(a)
	o = order(a)
	j = join(a, a)
	return a[m], r, s, g, b, e, o, l: j.left
}`)
	kinds := map[string]DomainKind{"n": DomainParam, "m": DomainMask, "r": DomainRuns, "s": DomainStarts, "g": DomainGroups, "b": DomainBins, "e": DomainRepeat, "o": DomainOrder, "j": DomainJoin}
	if len(p.Domains) != len(kinds) {
		t.Errorf("%d domains, want %d", len(p.Domains), len(kinds))
	}
	for _, d := range p.Domains {
		if d.Kind != kinds[d.Name] || d.Ordered() != (d.Name != "g") {
			t.Errorf("domain %s is of kind %d, ordered %v", d.Name, d.Kind, d.Ordered())
		}
		switch made := d.Name != "n"; {
		case made != (d.By != nil), made && d.Name != "b" && d.Parent != p.Domains[0], d.Name == "b" && d.Parent != nil:
			t.Errorf("domain %s is made by %v of %v", d.Name, d.By, d.Parent)
		case made && d.By.Name != d.Name:
			t.Errorf("domain %s is made by %s", d.Name, d.By.Name)
		}
	}
}

// TestNamedConstants: a name for a constant is no name for its other uses.
func TestNamedConstants(t *testing.T) {
	p := mustLoad(t, "pipeline p(x: [n]i64) {\nfive = 5\nreturn five, y: x + five, z: x * 5\n}")
	if want := "pipeline p(x: [n]i64) {\n\treturn five: 5, y: x + 5, z: x * 5\n}\n"; p.String() != want {
		t.Errorf("got\n%swant\n%s", p, want)
	}
	for _, v := range p.Values {
		if v.Op == OpConst && v.Name != "" {
			t.Errorf("constant %v is named %s", v.Const, v.Name)
		}
	}
}

// TestEqualDomainNamesDiffer: a statement may be called like a domain of the
// parameters; its own domain then has another name.
func TestEqualDomainNamesDiffer(t *testing.T) {
	p := mustLoad(t, "pipeline p(x: [g]i64) {\ng = runs(x)\nreturn x: first(x, by: g)\n}")
	if got := p.Results[0].Value.Type.String(); got != "[g.2]i64" {
		t.Errorf("type %s", got)
	}
}
