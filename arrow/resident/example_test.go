package resident_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/arrow/resident"
)

const revenueText = `pipeline revenue(product: [n]text, amount: [n]i64 missing 0, paid: [n]bool present amount, least: i64 = 0) {
	g = groups(product)
	total = sum(amount, by: g)
	name = first(product, by: g)
	large = total >= least
	return product: name[large], revenue: total[large], sold: count(paid, by: g)[large]
}
`

func Example() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "product", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "amount", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	products := b.Field(0).(*array.BinaryDictionaryBuilder)
	for _, product := range []string{"tea", "mug", "tea", "mug"} {
		if err := products.AppendString(product); err != nil {
			panic(err)
		}
	}
	b.Field(1).(*array.Int64Builder).AppendValues([]int64{250, 900, 300, 0}, []bool{true, true, true, false})

	ctx := context.Background()
	device, err := kgen.Open(ctx, "vector") // or cuda:0, opencl:0, gocpu
	if err != nil {
		panic(err)
	}
	defer device.Close()
	revenue, err := kgen.Compile(revenueText, "")
	if err != nil {
		panic(err)
	}
	executable, err := revenue.On(ctx, device)
	if err != nil {
		panic(err)
	}
	columns, err := resident.Upload(ctx, device, resident.FromRecord(b.NewRecordBatch()), []*kgen.Program{revenue})
	if err != nil {
		panic(err)
	}
	defer columns.Free()
	for _, least := range []int64{0, 600} {
		out, err := executable.Run(ctx, columns.Args(revenue, kgen.Args{"least": least}))
		if err != nil {
			panic(err)
		}
		record, err := resident.NewRecord(ctx, out)
		if err != nil {
			panic(err)
		}
		for i, field := range record.Schema().Fields() {
			fmt.Println(field.Name, field.Type.Name(), record.Column(i))
		}
	}
	// Output:
	// product dictionary { dictionary: ["mug" "tea"]
	//   indices: [0 1] }
	// revenue int64 [900 550]
	// sold int64 [1 2]
	// product dictionary { dictionary: ["mug"]
	//   indices: [0] }
	// revenue int64 [900]
	// sold int64 [1]
}
