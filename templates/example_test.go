package templates_test

import (
	"fmt"

	"github.com/kgen-go/kgen/templates"
)

func ExampleHelpers_Lookup() {
	helper, ok := templates.OpenCL().Lookup("count_ones_u64")
	fmt.Println(ok, templates.HelperPrefix+helper.Signature.Name)
	// Output: true kgen_count_ones_u64
}
