// Package cuda holds what kgen emits in CUDA C++, to be read and launched by
// any host: per pipeline NAME.cu, the kernels; NAME.plan.json, the plan that
// docs/plan.md describes; and NAME.h, its constants. Pipelines of which one
// kernel waits for others have their fallback in NAME.fallback.cu. In tpch are
// the pipelines of examples/tpch, in bench those of generated/bench, and in
// corpus some of testsuite/corpus, at level none, to be compared, in unfused.
package cuda

//go:generate go run ../../cmd/kgen emit ../../examples/tpch/orders.kg --backend cuda --fuse onepass -o tpch
//go:generate go run ../../cmd/kgen emit ../../examples/tpch/q6.kg --backend cuda --fuse onepass -o tpch
//go:generate go run ../../cmd/kgen emit ../../examples/tpch/orders.kg --backend cuda --fuse none -o unfused
//go:generate go run ../../cmd/kgen emit ../bench/bench.kg --backend cuda --fuse onepass -o bench
//go:generate go run ../../cmd/kgen emit ../../testsuite/corpus/histogram_bytes.kg --backend cuda --fuse onepass -o corpus
//go:generate go run ../../cmd/kgen emit ../../testsuite/corpus/moving_average.kg --backend cuda --fuse onepass -o corpus
//go:generate go run ../../cmd/kgen emit ../../testsuite/corpus/string_filter.kg --backend cuda --fuse onepass -o corpus
//go:generate go run ../../cmd/kgen emit ../../testsuite/corpus/date_bins.kg --backend cuda --fuse onepass -o corpus
//go:generate go run ../../cmd/kgen emit ../../testsuite/corpus/check_division_of_filter.kg --backend cuda --fuse onepass -o corpus
