// Package oracle compares kgen with a database that shares nothing with it.
// The relational pipelines of the corpus are written a second time, by hand,
// as SQL, and DuckDB runs them on the same data.
//
//	cd testsuite/oracle && go test ./...
//
// It is a module of its own, because DuckDB is a library of C++: it needs cgo,
// gcc and libstdc++, and nothing else of kgen does.
//
// queries/NAME.sql is the pipeline testsuite/corpus/NAME.kg. A domain is a
// table of its name: a column per parameter, and row, the number of the row,
// because SQL tables have no order. Scalar parameters are the columns of
// scalars, a table of one row. Lines of these forms begin a section or restrict
// random data:
//
//	-- range PARAMETER LOW HIGH    values are folded into LOW to HIGH
//	-- choose PARAMETER VALUE ...  values are some of these
//	-- offsets PARAMETER OTHER     values ascend from 0 to the rows of the other
//	-- rows N                      not more rows than that
//	-- view NAME                   a query that others may use
//	-- fails                       a query for one bool: whether a check fails
//	-- table NAME                  a table of results, columns and rows in order
//
// The queries can ignore some differences between SQL and kgen: integers wider
// than a result are cut to its low bits, because kgen wraps; both zeros are
// equal; and a NULL in a result means that a check of kgen fails.
//
// More tests need files. In some, kgen writes TPC-H's tables, those of the Star
// Schema Benchmark or events as Parquet, and both read them. In another, each
// reads files written by the other, with a column of each type.
package oracle
