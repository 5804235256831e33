package tune

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"strings"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Class describes data as far as it decides which settings are fast.
type Class struct {
	Rows int64 `json:"rows"` // of the longest column
	Keys []Key `json:"keys,omitempty"`
}

// Key describes a parameter by whose values rows are grouped, ordered or found.
type Key struct {
	Name     string  `json:"name"`
	Distinct int64   `json:"distinct"` // values: few are counted, more are estimated to a few percent
	Share    float64 `json:"share"`    // of the most frequent value, in a sample of rows
}

// ClassOf describes the columns of the parameters of p.
func ClassOf(p *ir.Pipeline, columns []ir.Column) Class {
	keys := keyParams(p)
	var c Class
	for i, v := range p.Params {
		if v.Type.IsScalar() {
			continue
		}
		c.Rows = max(c.Rows, int64(columns[i].Len()))
		if keys[v] {
			c.Keys = append(c.Keys, describe(v.Name, columns[i]))
		}
	}
	return c
}

// keyParams returns the parameters from which keys and numbers of bins are computed.
func keyParams(p *ir.Pipeline) map[*ir.Value]bool {
	keys := map[*ir.Value]bool{}
	seen := map[*ir.Value]bool{}
	var follow func(v *ir.Value)
	follow = func(v *ir.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		if v.Op == ir.OpParam && !v.Type.IsScalar() {
			keys[v] = true
		}
		for _, x := range v.Operands() {
			follow(x)
		}
	}
	for _, v := range p.Values {
		switch v.Op {
		case ir.OpRuns, ir.OpGroups, ir.OpOrder, ir.OpFind, ir.OpJoin:
			for _, x := range v.Args {
				follow(x)
			}
		case ir.OpBins:
			follow(v.Args[0])
		}
	}
	return keys
}

// Sizes of what describe keeps: values that it counts one by one, bits that hashes of
// values set, and rows of the sample.
const (
	countedValues = 1 << 12
	hashBits      = 1 << 23
	sampleRows    = 1 << 12
)

// describe counts distinct values: few of them one by one, more by how many bits their
// hashes leave unset in a table (linear counting: Whang, Vander-Zanden and Taylor, 1990).
func describe(name string, column ir.Column) Key {
	k := Key{Name: name}
	rows, data := column.Len(), raw.Bytes(column)
	if rows == 0 {
		return k
	}
	size := len(data) / rows
	at := func(row int) []byte { return data[row*size:][:size] }
	table := make([]uint64, hashBits/64)
	seed := maphash.MakeSeed()
	few := map[uint64]bool{}           // by hashes of 64 bits, of which so few hardly ever meet
	var last [2 * countedValues]uint64 // by their low bits: what is here need not be looked up
	for row := range rows {
		h := maphash.Bytes(seed, at(row))
		if known := &last[h%uint64(len(last))]; *known != h && len(few) <= countedValues {
			*known, few[h] = h, true
		}
		h %= hashBits
		table[h/64] |= 1 << (h % 64)
	}
	k.Distinct = int64(len(few))
	if len(few) > countedValues {
		set := 0
		for _, word := range table {
			set += bits.OnesCount64(word)
		}
		k.Distinct = min(int64(rows), int64(math.Round(-hashBits*math.Log(max(1-float64(set)/hashBits, 0.5/hashBits)))))
	}
	counts, most, taken := map[string]int{}, 0, min(rows, sampleRows)
	for i := range taken {
		value := string(at(int(int64(i) * int64(rows) / int64(taken))))
		counts[value]++
		most = max(most, counts[value])
	}
	k.Share = float64(most) / float64(taken)
	return k
}

// Like reports whether what was measured over data of class c holds for data of class d:
// numbers are equal within a factor of two, and no value is much more frequent.
func (c Class) Like(d Class) bool {
	if !alike(float64(c.Rows), float64(d.Rows)) || len(c.Keys) != len(d.Keys) {
		return false
	}
	for i, k := range c.Keys {
		other := d.Keys[i]
		if k.Name != other.Name || !alike(float64(k.Distinct), float64(other.Distinct)) || math.Abs(k.Share-other.Share) > 0.1 {
			return false
		}
	}
	return true
}

func alike(a, b float64) bool { return a == b || a <= 2*b && b <= 2*a }

// distance orders classes by how unlike they are: by the factors between their numbers.
func (c Class) distance(d Class) float64 {
	factor := func(a, b float64) float64 { return math.Abs(math.Log2((a + 1) / (b + 1))) }
	sum := factor(float64(c.Rows), float64(d.Rows))
	for i := range min(len(c.Keys), len(d.Keys)) {
		sum += factor(float64(c.Keys[i].Distinct), float64(d.Keys[i].Distinct)) + 10*math.Abs(c.Keys[i].Share-d.Keys[i].Share)
	}
	return sum
}

// String writes the class for messages.
func (c Class) String() string {
	parts := []string{plural(c.Rows, "row")}
	for _, k := range c.Keys {
		text := fmt.Sprintf("%s of %s", k.Name, plural(k.Distinct, "value"))
		if k.Share > 0.1 && k.Share > 2/float64(max(k.Distinct, 1)) {
			text += fmt.Sprintf(" (one in %.0f %% of rows)", 100*k.Share)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
