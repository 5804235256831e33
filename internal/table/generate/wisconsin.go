package generate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// The sizes of a row of the Wisconsin relation.
const (
	Small    = "small"    // 24 bytes: an identifier, two integers, a float, a string
	Numbers  = "numbers"  // 52 bytes: the 13 numbers of the benchmark
	Standard = "standard" // 80 bytes: an identifier and the 16 columns of the benchmark
	Large    = "large"    // 136 bytes: the columns of Standard with 8 bytes each
)

// letterRows is the number of texts of seven letters.
const letterRows = 26 * 26 * 26 * 26 * 26 * 26 * 26

// Wisconsin returns the relation of the Wisconsin benchmark (DeWitt, The
// Wisconsin Benchmark: Past, Present, and Future, 1993) in rows of the given
// size: [Small], [Numbers], [Standard] or [Large]. The benchmark's strings have 52 letters;
// only the significant ones are kept: seven, and four of string4.
func Wisconsin(rows int64, size string, seed uint64) (Generator, error) {
	integer, float := ir.I32, ir.F32
	most := int64(math.MaxInt32)
	switch size {
	case Small, Numbers, Standard:
	case Large:
		integer, float, most = ir.I64, ir.F64, letterRows
	default:
		return nil, fmt.Errorf("size %s: choose %s", size, strings.Join([]string{Small, Numbers, Standard, Large}, ", "))
	}
	if rows < 1 || rows > most {
		return nil, fmt.Errorf("rows %d: 1 to %d at size %s", rows, most, size)
	}
	columns := []Column{
		{"tid", integer, "number of the row, from 0"},
		{"unique1", integer, "0 to rows - 1 in random order"},
		{"unique2", integer, "0 to rows - 1 ascending"},
		{"two", integer, "unique1 mod 2"},
		{"four", integer, "unique1 mod 4"},
		{"ten", integer, "unique1 mod 10"},
		{"twenty", integer, "unique1 mod 20"},
		{"onePercent", float, "unique1 mod 100"},
		{"tenPercent", float, "unique1 mod 10"},
		{"twentyPercent", float, "unique1 mod 5"},
		{"fiftyPercent", float, "unique1 mod 2"},
		{"unique3", integer, "unique1"},
		{"evenOnePercent", integer, "onePercent x 2"},
		{"oddOnePercent", integer, "onePercent x 2 + 1"},
		{"stringu1", ir.Char8, "unique1 in seven letters: AAAAAAA, AAAAAAB, ..."},
		{"stringu2", ir.Char8, "unique2 in seven letters"},
		{"string4", ir.Char8, "AAAA, HHHH, OOOO, VVVV in turn"},
	}
	switch size {
	case Small:
		columns = slices.DeleteFunc(columns, func(c Column) bool {
			return !slices.Contains([]string{"tid", "unique1", "unique2", "tenPercent", "stringu1"}, c.Name)
		})
	case Numbers:
		columns = slices.DeleteFunc(columns, func(c Column) bool { return c.Name == "tid" || c.Kind == ir.Char8 })
	}
	order := newPermutation(newStream(seed, "wisconsin unique1"), rows)
	return byRows(columns, rows, func(first int64, n int, out []ir.Column) {
		unique1 := make([]int64, n)
		for i := range unique1 {
			unique1[i] = int64(order.at(uint64(first + int64(i))))
		}
		for i, c := range columns {
			if c.Kind == ir.Char8 {
				fillWisconsinText(c.Name, first, unique1, room[[8]byte](&out[i], n))
				continue
			}
			switch c.Kind {
			case ir.I32:
				fillWisconsin(c.Name, first, unique1, room[int32](&out[i], n))
			case ir.I64:
				fillWisconsin(c.Name, first, unique1, room[int64](&out[i], n))
			case ir.F32:
				fillWisconsin(c.Name, first, unique1, room[float32](&out[i], n))
			case ir.F64:
				fillWisconsin(c.Name, first, unique1, room[float64](&out[i], n))
			}
		}
	}), nil
}

// fillWisconsin makes the rows of a numeric column from first on.
func fillWisconsin[T int32 | int64 | float32 | float64](name string, first int64, unique1 []int64, out []T) {
	if name == "tid" || name == "unique2" {
		for i := range out {
			out[i] = T(first + int64(i))
		}
		return
	}
	modulus, factor, add := int64(letterRows), int64(1), int64(0)
	switch name {
	case "two", "fiftyPercent":
		modulus = 2
	case "four":
		modulus = 4
	case "twentyPercent":
		modulus = 5
	case "ten", "tenPercent":
		modulus = 10
	case "twenty":
		modulus = 20
	case "onePercent":
		modulus = 100
	case "evenOnePercent":
		modulus, factor = 100, 2
	case "oddOnePercent":
		modulus, factor, add = 100, 2, 1
	}
	for i, u := range unique1 {
		out[i] = T(u%modulus*factor + add)
	}
}

var fourStrings = texts("AAAA", "HHHH", "OOOO", "VVVV")

func fillWisconsinText(name string, first int64, unique1 []int64, out [][8]byte) {
	for i := range out {
		switch name {
		case "stringu1":
			out[i] = sevenLetters(unique1[i])
		case "stringu2":
			out[i] = sevenLetters(first + int64(i))
		default:
			out[i] = fourStrings[(first+int64(i))%4]
		}
	}
}

// sevenLetters returns u in base 26, with the digits A to Z.
func sevenLetters(u int64) (text [8]byte) {
	for i := 6; i >= 0; i-- {
		text[i] = 'A' + byte(u%26)
		u /= 26
	}
	return text
}
