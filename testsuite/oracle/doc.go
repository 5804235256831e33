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
// since tables of SQL have no order. Scalar parameters are the columns of
// scalars, a table of one row. The file is cut by lines that begin a section
// or say what random data has to be like:
//
//	-- range PARAMETER LOW HIGH    values are folded into LOW to HIGH
//	-- choose PARAMETER VALUE ...  values are some of these
//	-- offsets PARAMETER OTHER     values ascend from 0 to the rows of the other
//	-- rows N                      not more rows than that
//	-- view NAME                   a query that others may use
//	-- fails                       a query for one bool: whether a check fails
//	-- table NAME                  a table of results, columns and rows in order
//
// SQL differs from kgen in what the queries do not have to care for: integers
// wider than a result are cut to its low bits, since kgen wraps; both zeros are
// one; and a NULL in a result says that a check of kgen fails.
//
// Two more tests need files. TPC-H's lineitem is written by kgen as Parquet and
// read by both. And files that one of them writes are read by the other, with a
// column of each type.
package oracle
