package backends

import (
	"strings"
	"testing"
)

func TestFileNames(t *testing.T) {
	names := FileNames{}
	for _, c := range [][2]string{
		{"orders", "orders"}, {"Orders", "Orders_2"}, {"ORDERS", "ORDERS_3"}, {"orders_2", "orders_2_2"}, {"q6", "q6"},
		{"_hidden", "pipeline_hidden"}, {"pipeline_hidden", "pipeline_hidden_2"}, {"__", "pipeline__"},
		{"con", "con_pipeline"}, {"AUX", "AUX_pipeline"}, {"Com1", "Com1_pipeline"}, {"lpt9", "lpt9_pipeline"}, {"aux_pipeline", "aux_pipeline_2"},
		{"taken", "taken_pipeline"}, {"console", "console"}, {"com", "com"}, {"com10", "com10"}, {"null", "null"},
		{strings.Repeat("x", 300), strings.Repeat("x", 100)}, {strings.Repeat("x", 301), strings.Repeat("x", 100) + "_2"},
	} {
		if got := names.Base(c[0], func(base string) bool { return base == "taken" }); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
