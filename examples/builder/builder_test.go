package builder_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kgen-go/kgen/examples/builder"
)

func ExampleSummary() {
	result, err := builder.Summary([]int64{7, 7, 9}, []float64{2, 3, 1}, []float64{10, 20, 30}, []float64{0, 0.1, 0.05})
	fmt.Println(result.Order, result.Lines, result.MeanQuantity, result.TotalPrice, result.FirstDiscount, err)
	// Output: [7 9] [2 1] [2.5 1] [30 30] [0 0.05] <nil>
}

func TestSine(t *testing.T) {
	var x []float64
	for i := -157; i <= 157; i++ {
		x = append(x, float64(i)/100)
	}
	result, err := builder.Sine(x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if math.Abs(result.Y[i]-math.Sin(x[i])) > 1e-6 {
			t.Errorf("sine(%v) is %v, not %v", x[i], result.Y[i], math.Sin(x[i]))
		}
	}
}
