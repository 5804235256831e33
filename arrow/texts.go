package kgenarrow

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

var errNoCode = errors.New("it is not in the dictionary of texts")

// Dictionary returns strings among which are all of a column, each once: of arrays with a
// dictionary those of that, whether rows have them or not. Of these NewTexts is made where a
// string for each row would be many, and [Codes] then reads the rows.
func Dictionary(c Column) (list []string, err error) {
	if c.err != nil {
		return nil, c.err
	}
	defer damaged(c, &list, &err)
	known := map[string]bool{}
	read := map[arrow.ArrayData]bool{} // dictionaries that chunks share
	for _, chunk := range c.chunks {
		if coded, ok := chunk.(*array.Dictionary); ok {
			if chunk.Len() == 0 || read[coded.Data().Dictionary()] {
				continue
			}
			read[coded.Data().Dictionary()] = true
			chunk = coded.Dictionary()
		}
		if chunk.DataType().ID() == arrow.NULL {
			continue
		}
		more, err := Strings(ArrayColumn(c.name, chunk), Missing(""))
		if err != nil {
			return nil, err
		}
		for row, text := range more {
			if !known[text] && (text != "" || chunk.IsValid(row)) {
				known[text] = true
				list = append(list, text)
			}
		}
	}
	return list, nil
}

// Codes returns a column of strings as their codes in a dictionary, the emitted type Texts.
// A string that it does not have is a [ValueError].
func Codes(c Column, texts interface {
	Code(text string) (int32, bool)
}, given ...Option[int32]) ([]int32, error) {
	return kind[int32]{name: "text", open: func(a arrow.Array, _ options[int32]) reader[int32] {
		bytes := openBytes(a)
		if bytes == nil {
			return nil
		}
		known := map[string]int32{}
		return func(row int) (int32, error) {
			text := bytes(row)
			code, ok := known[text]
			if ok {
				return code, nil
			}
			if code, ok = texts.Code(text); !ok {
				return 0, errNoCode
			}
			if len(known) < remembered {
				known[text] = code
			}
			return code, nil
		}
	}}.read(c, given)
}
