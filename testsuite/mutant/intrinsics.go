package main

// intrinsics are bugs in functions that emitted text carries along.
var intrinsics = []Mutant{
	{Name: "NaN becomes an integer that is not 0", File: "templates/internal/gosupport/support.go", Device: "gocpu",
		Old: `case math.IsNaN(x):
		return 0`,
		New: `case math.IsNaN(x):
		return high`},
	{Name: "casts wrap at the low end", File: "templates/internal/gosupport/support.go", Device: "gocpu",
		Old: `case x <= float64(low):
		return low`,
		New: `case x <= float64(low):
		return high`},
	{Name: "NaN keys differ in Go", File: "templates/internal/gosupport/support.go", Device: "gocpu",
		Old: "return x == y || x != x && y != y }",
		New: "return x == y }"},
	{Name: "abs of negative numbers", File: "templates/internal/gosupport/support.go", Device: "gocpu",
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
	{Name: "MinInt / -1 in C", File: "templates/c/integer.c", Device: "cudaemu",
		Old:      "return y == -1 ? ($type(T))-($unsigned(T))x : x / y;",
		New:      "return y == -1 ? x : x / y;",
		Programs: "check_division"},
	{Name: "remainder has the sign of the divisor in C", File: "templates/c/integer.c", Device: "cudaemu",
		Old:      "return y == -1 ? 0 : x % y;",
		New:      "return y == -1 ? 0 : x % y + (x % y < 0 ? y : 0);",
		Programs: "check_lowest"},
	{Name: "abs of -1 in C", File: "templates/c/integer.c", Device: "cudaemu",
		Old:      "return x < 0 ? ($type(T))-($unsigned(T))x : x;",
		New:      "return x < -1 ? ($type(T))-($unsigned(T))x : x;",
		Programs: "signed_widths"},
	{Name: "least ignores NaN in C", File: "templates/c/float.c", Device: "cudaemu",
		Old: `if (x != x || y != y) {
		return x + y;
	}
	if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) | `,
		New: `if (x == y) { // 0.0 and -0.0 are
		return $bits(F)($unsignedbits(F)(x) | `,
		Programs: "float_extremes"},
	{Name: "greatest of zeros is -0.0 in C", File: "templates/c/float.c", Device: "cudaemu",
		Old:      "return $bits(F)($unsignedbits(F)(x) & $unsignedbits(F)(y));",
		New:      "return $bits(F)($unsignedbits(F)(x) | $unsignedbits(F)(y));",
		Programs: "float_extremes"},
	{Name: "NaN keys differ in C", File: "templates/c/float.c", Device: "cudaemu",
		Old:      "return x == y || (x != x && y != y);",
		New:      "return x == y;",
		Programs: "runs_of_floats"},
	{Name: "January begins a day early in C", File: "templates/c/date.c", Device: "cudaemu",
		Old:      "(day >= 306 ? 12 : 0)",
		New:      "(day >= 305 ? 12 : 0)",
		Programs: "date_arithmetic"},
	{Name: "days count from 0 in C", File: "templates/c/date.c", Device: "cudaemu",
		Old:      "/ 2141) + 1;",
		New:      "/ 2141);",
		Programs: "date_arithmetic"},
	{Name: "casts to u8 wrap in CUDA", File: "templates/cuda/convert.cu", Device: "cudaemu",
		Old:      "(i > 255u ? 255u : i)",
		New:      "(i)",
		Programs: "casts"},
	{Name: "NaN is cast as the hardware does in CUDA", File: "templates/cuda/convert.cu", Device: "cudaemu",
		Old:      "return x != x ? 0 : __$type(F)2ll_rz(x);",
		New:      "return __$type(F)2ll_rz(x);",
		Programs: "casts"},
	{Name: "half of a char8 is not turned in CUDA", File: "templates/cuda/convert.cu", Device: "cudaemu",
		Old:      "__byte_perm(low, 0, 0x0123) << 32",
		New:      "__byte_perm(low, 0, 0x3210) << 32",
		Programs: "char8_codes"},
}
