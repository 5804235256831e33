// Package generate makes the rows of known relations: TPC-H's lineitem and
// orders, the Star Schema Benchmark, the Wisconsin benchmark's relation,
// students, integers of a chosen distribution, and the facts and hierarchies of
// OLAP cubes.
//
// A relation is a function of its parameters and a seed. It has the same bits
// on every machine and with any number of cores: a random number is a function
// of seed, column and row, and values follow from such numbers by integer
// arithmetic. Zipf ranks need floats. They use only additions, multiplications
// and divisions, which IEEE 754 rounds alike everywhere. Each product is
// converted explicitly, which keeps compilers for arm64, ppc64, riscv64 and
// s390x from fusing it with an addition. No function of package math is called
// that has assembly for some processor.
//
// Rows are made in batches whose memory is reused once they are written, so
// memory does not grow with the number of rows.
package generate
