package prices_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/kgen-go/kgen"

	"example.com/consumer/prices"
)

// Two pipelines on a device: what the first computes stays there for the second.
func Example() {
	ctx := context.Background()
	device, err := kgen.Open(ctx, cmp.Or(os.Getenv("KGEN_TEST_DEVICE"), "interp")) // cuda:0, opencl:0, cudaemu, ...
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	products, err := prices.ProductsOn(ctx, device)
	if err != nil {
		log.Fatal(err)
	}
	share, err := prices.ShareOn(ctx, device)
	if err != nil {
		log.Fatal(err)
	}

	sold := []string{"tea", "tea", "sample", "cups", "cups"}
	texts := prices.NewTexts(sold, prices.ProductsTexts())
	product, err := kgen.Upload(ctx, device, texts.Codes(sold))
	if err != nil {
		log.Fatal(err)
	}
	defer product.Free()
	day, err := kgen.Upload(ctx, device, []int32{20000, 20003, 20003, 20001, 20002})
	if err != nil {
		log.Fatal(err)
	}
	defer day.Free()
	price, err := kgen.Upload(ctx, device, []int64{250, 350, 0, 900, 900}) // cents
	if err != nil {
		log.Fatal(err)
	}
	defer price.Free()

	sums, err := products.RunColumns(ctx, product, day, price, texts.Codes(prices.ProductsTexts())[0])
	if err != nil {
		log.Fatal(err)
	}
	defer sums.Free()
	shares, err := share.RunColumns(ctx, sums.Revenue)
	if err != nil {
		log.Fatal(err)
	}
	defer shares.Free()

	names, err := kgen.Read[int32](ctx, sums.Product)
	if err != nil {
		log.Fatal(err)
	}
	parts, err := kgen.Read[int64](ctx, shares.Share)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(texts.Strings(names), parts, shares.Mean)

	_, err = share.Run(ctx, nil)
	fmt.Println(err)
	// Output:
	// [tea cups] [250 750] 12
	// prices.kg:17:91: division by zero in i64(f64(sum(revenue))) / len(revenue); && and select around it do not guard: divide by select(d == 0, 1, d), where d is len(revenue), or compact both operands first
}
