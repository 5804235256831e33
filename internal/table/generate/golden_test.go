package generate

// golden is what the relations of the tests are.
var golden = map[string]string{
	"ancestors":     "36037 rows c4c7d68213cc2ef4",
	"targets":       "2069 rows 192e02e641b5e0fd",
	"biker tree":    "2156 rows e4fed0cdd32c323c",
	"biker":         "100000 rows 9a367a09bb8ac33e",
	"events":        "150001 rows 685673e1b6b383b7",
	"large":         "100000 rows 908825d2d9addc49",
	"lineitem":      "120628 rows efd0ac0432b79f98",
	"machine":       "15889 rows 349d0272f3472bf2",
	"machines":      "100000 rows 317f09e3b596e3b8",
	"orders":        "30000 rows 02755af1406c0315",
	"repeatedfalse": "100003 rows e8c3660c3e305719",
	"repeatedtrue":  "100003 rows 81b2cf3319a7a405",
	"small":         "100000 rows e4c8df00d817d255",
	"standard":      "100000 rows fa188f2185af37c1",
	"students":      "150001 rows 534a3d47553c4d45",
	"uniformfalse":  "100003 rows b31436488453017c",
	"uniformtrue":   "100003 rows 1c0dd665d9ecb8cc",
	"uniquefalse":   "100003 rows c0204f70a8877981",
	"uniquetrue":    "100003 rows 9643a154d23920bd",
	"zipffalse":     "100003 rows 33c172dc1f596930",
	"zipftrue":      "100003 rows 344b610a7c018b44",
}
