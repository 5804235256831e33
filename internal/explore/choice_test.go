package explore

import (
	"bytes"
	"strings"
	"testing"
)

func TestChoices(t *testing.T) {
	result := func(pipeline, device, level, schedule, plan string, time float64) Result {
		return Result{Configuration: Configuration{pipeline, "auto", 1000, device, level, schedule}, Status: Agrees, Summary: Summary{Median: time, Count: 9}, Plan: plan}
	}
	r := &Report{Results: []Result{
		result("good", "gocpu", "none", "", "a | b", 200), result("good", "gocpu", "auto", "", "a b", 100),
		result("noise", "gocpu", "none", "", "a b", 80), result("noise", "gocpu", "auto", "", "a b", 100), // the same kernels
		result("near", "gocpu", "none", "", "a | b", 95), result("near", "gocpu", "auto", "", "a b", 100),
		result("bad", "gocpu", "none", "", "a | b", 100), result("bad", "gocpu", "auto", "", "a b", 250),
		result("scheme", "opencl:0", "auto", "", "a b", 150), result("scheme", "opencl:0", "auto", "scheme=published", "a b", 100),
		result("alone", "opencl:0", "none", "", "a b", 1), // auto did not run
	}}
	r.Results[1].Predicted, r.Results[7].Predicted = 5e3, 7e3
	list := r.Choices()
	if len(list) != 5 || list[0].Pipeline != "bad" || list[0].Over != 1.5 || list[1].Pipeline != "scheme" || list[1].Over != 0.5 || list[2].Pipeline != "near" || list[3].Over != 0 || list[4].Over != 0 {
		t.Errorf("%+v", list)
	}
	var out bytes.Buffer
	if err := r.WriteChoices(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gocpu: auto is within 10 % of the best measured in 3 of 4 cases (75.0 %)", "opencl:0: auto is within 10 % of the best measured in 0 of 1 cases",
		"bad ", "+150 %  7.0 µs", "auto scheme=published"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}
