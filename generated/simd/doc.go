// Package simd is what kgen emits with --simd: the plain functions, and beside
// them functions with AVX-512. Package simd/plain is the same without.
package simd

//go:generate go run ../../cmd/kgen emit simd.kg --backend gocpu --simd --package simd -o .
//go:generate go run ../../cmd/kgen emit simd.kg --backend gocpu --package plain -o plain
