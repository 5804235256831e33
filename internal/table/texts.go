package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// Texts is the dictionary that all text columns of a run share. While files are read, its
// strings have codes in the order in which they were met; then it is sorted, so that codes
// compare as strings do, byte by byte.
type Texts struct {
	mutex sync.Mutex
	codes map[string]int32
	list  []string
	space *memory.Space // whose limit its strings count towards; nil for none
	full  error         // why it took no more
}

// textBytes is about what a string takes beside its bytes: its place in the list and in
// the map.
const textBytes = 64

// maxTexts is how many strings a dictionary holds.
const maxTexts = math.MaxInt32

// Code returns the code of a text, until Finish.
func (t *Texts) Code(text string) (int32, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if code, ok := t.codes[text]; ok {
		return code, nil
	}
	if len(t.list) == maxTexts {
		t.full = fmt.Errorf("there are more than %d different texts", maxTexts)
	}
	if t.codes == nil {
		t.codes = map[string]int32{}
	}
	if t.space != nil && t.full == nil {
		t.full = t.space.Count(int64(len(text)) + textBytes)
	}
	if t.full != nil {
		return 0, t.full
	}
	text = strings.Clone(text) // of a reader's buffer
	code := int32(len(t.list))
	t.codes[text], t.list = code, append(t.list, text)
	return code, nil
}

// fullError returns why the dictionary took no more texts, if it did not.
func (t *Texts) fullError() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.full
}

// sort sorts the dictionary, and returns the place of each text by its code.
func (t *Texts) sort() []int32 {
	order := make([]int32, len(t.list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(t.list[a], t.list[b]) })
	sorted, places := make([]string, len(order)), make([]int32, len(order))
	for place, code := range order {
		sorted[place], places[code] = t.list[code], int32(place)
	}
	t.list, t.codes = sorted, nil
	return places
}

// Finish sorts the dictionary, gives the columns of kind Text their final codes, in
// place, and the dictionary.
func (t *Texts) Finish(columns []ir.Column) {
	places := t.sort()
	for i, c := range columns {
		if c.Kind == ir.Text {
			codes := c.Slice.([]int32)
			for row, code := range codes {
				codes[row] = places[code]
			}
			columns[i].Texts = t.list
		}
	}
}

// textBuilder reads the texts of a column. It remembers what it met, because rows repeat.
type textBuilder struct {
	rows[int32]
	texts *Texts
	known map[string]int32
}

// rememberedTexts bounds what a builder remembers.
const rememberedTexts = 1 << 14

func newTextBuilder(texts *Texts) *textBuilder {
	b := &textBuilder{texts: texts, known: map[string]int32{}}
	b.rows = rows[int32]{kind: ir.Text, parse: b.code}
	return b
}

func (b *textBuilder) code(text string) (int32, error) {
	if code, ok := b.known[text]; ok {
		return code, nil
	}
	code, err := b.texts.Code(text)
	if err == nil && len(b.known) < rememberedTexts {
		b.known[strings.Clone(text)] = code
	}
	return code, err
}
