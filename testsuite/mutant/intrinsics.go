package main

// intrinsics are bugs in functions that emitted text carries along.
var intrinsics = []Mutant{
	{Name: "NaN becomes an integer that is not 0", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: `case math.IsNaN(x):
		return 0`,
		New: `case math.IsNaN(x):
		return high`},
	{Name: "casts wrap at the low end", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: `case x <= float64(low):
		return low`,
		New: `case x <= float64(low):
		return high`},
	{Name: "NaN keys differ in Go", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: "return x == y || x != x && y != y }",
		New: "return x == y }"},
	{Name: "abs of negative numbers", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: `if x < 0 {
		return -x
	}
	return x
}

// kgenKeyEqual`,
		New: `if x < 0 {
		return x
	}
	return x
}

// kgenKeyEqual`},
	{Name: "MinInt / -1 in C", File: "templates/c/integer.c", Device: "opencl:0",
		Old:      "return y == -1 ? ($type(T))-($unsigned(T))x : x / y;",
		New:      "return x / y;",
		Programs: "*div*"},
	{Name: "least ignores NaN in C", File: "templates/c/float.c", Device: "opencl:0",
		Old: `if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) | `,
		New: `if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) | `,
		Programs: "*float*"},
	{Name: "March has 30 days in C", File: "templates/c/date.c", Device: "opencl:0",
		Old:      "(day >= 306 ? 12 : 0)",
		New:      "(day >= 305 ? 12 : 0)",
		Programs: "*date*"},
	{Name: "casts wrap in C", File: "templates/opencl/convert.cl", Device: "opencl:0",
		Old:      "convert_$type(T)_sat_rtz(x)",
		New:      "convert_$type(T)_rtz(x)",
		Programs: "*cast*"},
}
