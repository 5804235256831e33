package explore

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestChoices(t *testing.T) {
	result := func(pipeline, device, level, schedule, plan string, time float64) Result {
		return Result{Configuration: Configuration{Pipeline: pipeline, Data: "auto", Rows: 1000, Device: device, Level: level, Schedule: schedule}, Status: Agrees, Summary: Summary{Median: time, Count: 9}, Plan: plan}
	}
	r := &Report{Results: []Result{
		result("good", "gocpu", "none", "", "a | b", 200), result("good", "gocpu", "auto", "", "a b", 100),
		result("noise", "gocpu", "none", "", "a b", 80), result("noise", "gocpu", "auto", "", "a b", 100), // the same kernels
		result("near", "gocpu", "none", "", "a | b", 95), result("near", "gocpu", "auto", "", "a b", 100),
		result("bad", "gocpu", "none", "", "a | b", 100), result("bad", "gocpu", "auto", "", "a b", 250),
		result("scheme", "opencl:0", "auto", "", "a b", 150), result("scheme", "opencl:0", "auto", "scheme=published", "a b", 100),
		result("chance", "gocpu", "none", "", "a | b", 100), result("chance", "gocpu", "auto", "", "a b", 130), result("chance", "gocpu", "auto", "", "a b", 104),
		result("undecided", "gocpu", "none", "", "a | b", 100), result("undecided", "gocpu", "auto", "", "a b", 120), result("undecided", "gocpu", "auto", "", "a b", 150),
		result("alone", "opencl:0", "none", "", "a b", 1), // auto did not run
	}}
	r.Results[12].Control, r.Results[15].Control = true, true
	r.Results[1].Predicted, r.Results[7].Predicted = 5e3, 7e3
	r.Results[6].Predicted, r.Results[7].Kernels = 8e3, []KernelResult{
		{Stages: []string{"a"}, Predicted: 4e4, Median: 6e4}, {Stages: []string{"b"}, Predicted: 3e4, Median: 18e4}}
	r.Results[9].Samples = []int64{90, 100, 110} // of which the least counts
	list := r.Choices()
	if len(list) != 7 || list[0].Pipeline != "bad" || list[0].Over != 1.5 || list[1].Pipeline != "scheme" || list[1].Over < 0.66 || list[1].Over > 0.67 || list[2].Pipeline != "undecided" || list[3].Pipeline != "near" || list[4].Pipeline != "chance" || list[4].Over < 0.039 || list[4].Over > 0.041 || list[5].Over != 0 || list[6].Over != 0 {
		t.Errorf("%+v", list)
	}
	var out bytes.Buffer
	if err := r.WriteChoices(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gocpu: auto is within 10 % of the best measured in 4 of 6 cases (66.7 %)", "gocpu: measured a second time, auto took over 10 % more or less by chance in 2 of 2 cases, which leaves 1 of the others undecided", "opencl:0: auto is within 10 % of the best measured in 0 of 1 cases",
		"bad ", "+150 %  7.0 µs", "auto scheme=published", "b of auto took 6 times its 30.0 µs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}

func TestReason(t *testing.T) {
	result := func(predicted float64, kernels ...KernelResult) *Result {
		return &Result{Predicted: predicted, Kernels: kernels}
	}
	for _, c := range []struct {
		over       float64
		auto, best *Result
		want       string
	}{
		{0, result(1), result(2), ""},
		{1, result(2), result(1), "it was predicted to be better, and not tried"},
		{1, result(1), result(2), "what lies between kernels"}, // the device does not tell times of kernels
		{1, result(50, KernelResult{Stages: []string{"a"}, Predicted: 50, Median: 60}), result(100, KernelResult{Stages: []string{"b"}, Predicted: 100, Median: 30}),
			"b of the best took 0.3 times its 0.1 µs"},
	} {
		if got := (&Choice{Over: c.over, Auto: c.auto, Best: c.best}).Reason(); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestScatter(t *testing.T) {
	point := func(device string, status Status, predicted, measured float64) Result {
		return Result{Configuration: Configuration{Device: device}, Status: status, Predicted: predicted, Summary: Summary{Median: measured, Count: 9}}
	}
	r := &Report{Results: []Result{point("a<b", Agrees, 1e3, 1e3), point("a<b", Agrees, 1e4, 1e5), point("gocpu", Agrees, 1e5, 1e3), point("gocpu", Failed, 1, 1)}}
	write := func() string {
		var out bytes.Buffer
		if err := r.WriteScatter(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	text := write()
	// Two decades on a side of 480: what took as long as predicted is on the diagonal.
	for _, want := range []string{`d="M0.0 480.0h0M240.0 0.0h0"`, `d="M480.0 480.0h0"`, "a&lt;b: 2, half of them within a factor of 10.00", "gocpu: 1,", ">1 µs<", ">100 µs<"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	slices.Reverse(r.Results)
	if write() != text {
		t.Error("the picture depends on the order of results")
	}
	if err := (&Report{}).WriteScatter(&bytes.Buffer{}); err == nil {
		t.Error("a picture of nothing")
	}
}
