package gotest

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/irtest"
)

// Emitted tests make up no result for a Finish that they do not know.
func TestUnknownFinishPanics(t *testing.T) {
	for op, p := range irtest.Aggregates(t, "pipeline p(x: [n]%[2]v) {\n\treturn r: %[1]v(x)\n}\n") {
		said := irtest.UnknownFinish(op, func() { new(writer).aggregate(p.Results[0].Value) })
		if want := fmt.Sprintf("gotest: no finish 99 of %v", op); said != want {
			t.Errorf("%s, not %s", said, want)
		}
	}
}
