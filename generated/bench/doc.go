// Package bench is what kgen emits for the workloads that docs/performance.md
// reports, fused into as few passes as it can; package bench/unfused is the same
// with a kernel per stage.
package bench

//go:generate go run ../../cmd/kgen emit bench.kg --backend gocpu --fuse onepass --package bench -o .
//go:generate go run ../../cmd/kgen emit bench.kg --backend gocpu --fuse none --package unfused -o unfused

import _ "embed"

// Pipelines is the text of bench.kg.
//
//go:embed bench.kg
var Pipelines []byte
