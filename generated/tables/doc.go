// Package tables is what kgen emits for the workloads with groups and joins that
// docs/comparison.md reports.
package tables

//go:generate go run ../../cmd/kgen emit tables.kg --backend gocpu --tests --package tables -o .
