package table

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

var lineitemFields = []string{"l_orderkey:i64", "l_partkey:i64", "l_suppkey:i64", "l_linenumber:i64", "l_quantity:i64",
	"l_extendedprice:f64", "l_discount:f64", "l_tax:f64", "l_returnflag:char8", "l_linestatus:char8", "l_shipdate:date",
	"l_commitdate:date", "l_receiptdate:date", "l_shipinstruct:char8", "l_shipmode:char8", "l_comment:char8"}

// lineitemText is CSV like TPC-H's lineitem, but for texts of at most 8 bytes
// where short is true, so that all columns can be bound.
func lineitemText(rows int, short bool) []byte {
	var text bytes.Buffer
	for i, f := range lineitemFields {
		name, _, _ := bytes.Cut([]byte(f), []byte(":"))
		text.Write(separate(nil, i))
		text.Write(name)
	}
	instruct, comment := "DELIVER IN PERSON", "egular courts above the iron"
	if short {
		instruct, comment = "NONE", "foxes"
	}
	for i := range rows {
		fmt.Fprintf(&text, "\n%d,%d,%d,%d,%d,%d.%02d,0.0%d,0.0%d,N,O,1996-03-%02d,1995-02-12,1992-1%d-22,%s,TRUCK,%s",
			i/4+1, i*155190%200000+1, i*7706%10000+1, i%7+1, i%50+1, i*21168%100000+900, i*37%100, i%10, i%9, i%28+1, i%3, instruct, comment)
	}
	return text.Bytes()
}

func BenchmarkReadCSV(b *testing.B) {
	long, short := lineitemText(500_000, false), lineitemText(500_000, true)
	for _, c := range []struct {
		name   string
		text   []byte
		fields []string
	}{
		{"2 of 16", long, []string{lineitemFields[0], lineitemFields[4]}},
		{"Q6", long, []string{lineitemFields[10], lineitemFields[6], lineitemFields[4], lineitemFields[5]}},
		{"16 of 16", short, lineitemFields},
	} {
		b.Run(c.name, func(b *testing.B) {
			fields := parseFields(b, c.fields)
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				source := NewSource(b.Context(), bytes.NewReader(c.text))
				if _, err := source.Read(Standard, fields); err != nil {
					b.Fatal(err)
				}
				source.Memory.Close()
			}
		})
	}
}

// lineitemTable is lineitem with short texts.
func lineitemTable(b *testing.B) Table {
	fields := parseFields(b, lineitemFields)
	columns, err := readText(bytes.NewReader(lineitemText(500_000, true)), fields)
	if err != nil {
		b.Fatal(err)
	}
	var all Table
	for i, f := range fields {
		all.Columns = append(all.Columns, Named{f.Column, columns[i]})
	}
	return all
}

func BenchmarkWriteCSV(b *testing.B) {
	all := lineitemTable(b)
	sevenths := ir.NewColumn(ir.F64, all.Rows())
	for i := range sevenths.Len() {
		sevenths.Set(i, ir.Float(ir.F64, float64(i)/7))
	}
	for _, c := range []struct {
		name  string
		table Table
	}{
		{"lineitem", all},
		{"integers", Table{Columns: all.Columns[:2]}},
		{"long floats", Table{Columns: []Named{{"f", sevenths}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var size bytes.Buffer
			if err := writeText(&size, c.table); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size.Len()))
			for b.Loop() {
				if err := writeText(io.Discard, c.table); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
