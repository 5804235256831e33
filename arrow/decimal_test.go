package kgenarrow

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// A parameter decimal(2) takes 1250 for 12.50, whatever the scale of the column.
func TestDecimals(t *testing.T) {
	column := func(scale int32, values ...int64) Column {
		b := array.NewDecimal128Builder(goMemory, &arrow.Decimal128Type{Precision: 30, Scale: scale})
		for _, v := range values {
			b.Append(decimal128.FromI64(v))
		}
		return ArrayColumn("price", b.NewArray())
	}
	withNull := func() Column {
		b := array.NewDecimal128Builder(goMemory, &arrow.Decimal128Type{Precision: 12, Scale: 2})
		b.Append(decimal128.FromI64(1250))
		b.AppendNull()
		return ArrayColumn("price", b.NewArray())
	}
	whole := func(values ...uint64) Column {
		b := array.NewUint64Builder(goMemory)
		b.AppendValues(values, nil)
		return ArrayColumn("price", b.NewArray())
	}
	for name, c := range map[string]struct {
		column Column
		want   []int64
		fault  string
	}{
		"same scale":   {column(2, 1200, 300, -1), []int64{1200, 300, -1}, ""},
		"fewer digits": {column(1, 125, -1), []int64{1250, -10}, ""},
		"no digits":    {column(-1, 3), []int64{3000}, ""},
		"more digits":  {column(3, 12500, -10), []int64{1250, -1}, ""},
		"lost digits":  {column(3, 12500, 12505), nil, `column "price", row 1: 12.505 does not fit decimal(2): it has more digits after the point`},
		"64 bits":      {column(2, math.MaxInt64, math.MinInt64), []int64{math.MaxInt64, math.MinInt64}, ""},
		"beyond":       {column(1, math.MaxInt64/10+1), nil, "it is out of range"},
		"integers":     {whole(12, 0), []int64{1200, 0}, ""},
		"far integers": {whole(math.MaxUint64), nil, "it is out of range"},
		"NULL":         {withNull(), nil, `column "price", row 1`},
	} {
		got, err := Decimals(c.column, 2)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, %v, want %s", name, got, err, c.fault)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	if got, err := Decimals(withNull(), 2, Missing(int64(-1))); err != nil || !slices.Equal(got, []int64{1250, -1}) {
		t.Errorf("NULL: %v, %v", got, err)
	}
	if _, err := Decimals(column(2, 1), 19); err == nil {
		t.Error("a scale of 19")
	}
	record, err := NewRecord(DecimalResult("price", 2, []int64{1250, math.MinInt64}))
	if err != nil {
		t.Fatal(err)
	}
	if got := record.Column(0).ValueStr(0); got != "12.5" {
		t.Errorf("1250 of a scale of 2 is written %s", got)
	}
	if back, err := Decimals(RecordColumn(record, "price"), 2); err != nil || !slices.Equal(back, []int64{1250, math.MinInt64}) {
		t.Errorf("%v, %v", back, err)
	}
}
