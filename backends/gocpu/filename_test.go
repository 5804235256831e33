package gocpu

import "testing"

func TestFileName(t *testing.T) {
	for pipeline, want := range map[string]string{
		"orders": "orders.go", "windows": "windows.go", "test": "test.go", "latest": "latest.go", "a_b": "a_b.go",
		"a_test": "a_test_pipeline.go", "a_windows": "a_windows_pipeline.go", "a_linux_arm64": "a_linux_arm64_pipeline.go",
		"q_wasm": "q_wasm_pipeline.go", "kgen_support": "kgen_support_pipeline.go", "_hidden": "_hidden_pipeline.go",
	} {
		if got := fileName(pipeline); got != want {
			t.Errorf("%s: %s, want %s", pipeline, got, want)
		}
	}
}
