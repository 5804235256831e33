// Package tpch is what kgen emits for the pipelines of examples/tpch, checked
// in to be read and imported.
package tpch

//go:generate go run ../../cmd/kgen emit ../../examples/tpch/orders.kg --backend gocpu --package tpch -o .
//go:generate go run ../../cmd/kgen emit ../../examples/tpch/q6.kg --backend gocpu --package tpch -o .
