package kgenarrow_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	kgenarrow "github.com/kgen-go/kgen/arrow"
	"github.com/kgen-go/kgen/arrow/internal/shop"
)

// topProducts calls what kgen emitted of examples/events/shop.kg.
func topProducts(record arrow.RecordBatch) (arrow.RecordBatch, error) {
	product, err := kgenarrow.Strings(kgenarrow.RecordColumn(record, "product"))
	if err != nil {
		return nil, err
	}
	amount, err := kgenarrow.Numbers(kgenarrow.RecordColumn(record, "amount"), kgenarrow.Missing(int64(0)))
	if err != nil {
		return nil, err
	}
	paid, err := kgenarrow.Present(kgenarrow.RecordColumn(record, "amount"))
	if err != nil {
		return nil, err
	}
	texts := shop.NewTexts(product)
	r, err := shop.Products(texts.Codes(product), amount, paid, 10)
	if err != nil {
		return nil, err
	}
	top, err := kgenarrow.NewRecord(
		kgenarrow.TextResult("product", r.Product, texts),
		kgenarrow.NumberResult("revenue", r.Revenue),
		kgenarrow.NumberResult("sold", r.Sold),
		kgenarrow.NumberResult("looked", r.Looked),
	)
	return top, err
}

func Example() {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "product", Type: arrow.BinaryTypes.String},
		{Name: "amount", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, nil))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"kettle", "socks", "kettle", "socks", "tent"}, nil)
	b.Field(1).(*array.Int32Builder).AppendValues([]int32{8900, 0, 0, 1250, 0}, []bool{true, false, false, true, false})
	record := b.NewRecordBatch()
	defer record.Release()

	top, err := topProducts(record)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer top.Release()
	for i, f := range top.Schema().Fields() {
		fmt.Println(f.Name, f.Type, top.Column(i))
	}
	_, err = kgenarrow.Numbers[int64](kgenarrow.RecordColumn(record, "amount"))
	fmt.Println(err)
	// Output:
	// product dictionary<values=utf8, indices=int32, ordered=false> { dictionary: ["kettle" "socks" "tent"]
	//   indices: [0 1 2] }
	// revenue int64 [8900 1250 0]
	// sold int64 [1 1 0]
	// looked int64 [1 1 1]
	// column "amount", row 1: the value is NULL, but every row needs int64; Missing may say what such rows have
}
