package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// dataKinds are the subcommands of kgen data.
var dataKinds = []dataKind{
	tpchKind("lineitem", "TPC-H's lineitem, about 6,000,000 rows times scale", generate.Lineitem, `Lineitem generates TPC-H's table of that name by the rules of section 4.2.3 of
its specification, sorted by l_orderkey and l_linenumber. Orders of the same
scale and seed are the orders of these lines.

Texts are char8: those of more than 8 bytes keep their first word, and the
comments are left out.`),
	tpchKind("orders", "TPC-H's orders, 1,500,000 rows times scale", generate.Orders, `Orders generates TPC-H's table of that name by the rules of section 4.2.3 of its
specification, sorted by o_orderkey. They are the orders of the lineitem of the
same scale and seed: keys, dates, status and total price agree.

Texts are char8: those of more than 8 bytes keep their first word, a clerk's
name its number, and the comments are left out.`),
	{
		name:  "tpch",
		short: "The eight tables of TPC-H",
		example: `  kgen data tpch --scale 0.1 --out lineitem.parquet \
    --out-orders orders.parquet --out-customer customer.parquet \
    --out-part part.parquet --out-partsupp partsupp.parquet \
    --out-supplier supplier.parquet --out-nation nation.parquet \
    --out-region region.parquet`,
		long: `Tpch generates the tables of TPC-H by the rules of section 4.2.3 of its
specification: lineitem, about 6,000,000 rows times scale, and seven others that
belong to it. Texts and decimals are as there; the texts of comments and
addresses are made of other sentences, 16,384 of a kind. Comments that no query
reads are left out: those of lineitem, part, partsupp, nation and region.

Keys, dates and prices are those of kgen data lineitem and orders of the same
scale and seed. Names and telephone numbers take memory: some 100 bytes for each
customer, part and supplier.`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			scale := f.Float64("scale", 1, "the scale `FACTOR`, fractions allowed")
			paths := map[string]*string{}
			for _, table := range []string{"orders", "customer", "part", "partsupp", "supplier", "nation", "region"} {
				paths[table] = f.String("out-"+table, "", "write the table "+table+" to `FILE`")
			}
			return func(common dataFlags) ([]dataFile, error) {
				t, err := generate.NewTPCH(*scale, common.seed)
				if err != nil {
					return nil, err
				}
				return []dataFile{
					{"out", common.out, t.Lineitem}, {"out-orders", *paths["orders"], t.Orders}, {"out-customer", *paths["customer"], t.Customer},
					{"out-part", *paths["part"], t.Part}, {"out-partsupp", *paths["partsupp"], t.PartSupp}, {"out-supplier", *paths["supplier"], t.Supplier},
					{"out-nation", *paths["nation"], t.Nation}, {"out-region", *paths["region"], t.Region},
				}, nil
			}
		},
	},
	{
		name:  "ssb",
		short: "The five tables of the Star Schema Benchmark",
		example: `  kgen data ssb --scale 1 --out lineorder.parquet --out-date date.parquet \
    --out-customer customer.parquet --out-supplier supplier.parquet \
    --out-part part.parquet`,
		long: `Ssb generates the tables of the Star Schema Benchmark (O'Neil, O'Neil and Chen,
revision 3, 2009): lineorder, about 6,000,000 rows times scale, and its
dimensions date, customer, supplier and part. Lines, dates and prices follow the
rules of TPC-H. Texts that are names, addresses or telephone numbers are left
out, and so are columns of date that no query reads.`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			scale := f.Float64("scale", 1, "the `SCALE` factor")
			paths := map[string]*string{}
			for _, table := range []string{"date", "customer", "supplier", "part"} {
				paths[table] = f.String("out-"+table, "", "write the table "+table+" to `FILE`")
			}
			return func(common dataFlags) ([]dataFile, error) {
				s, err := generate.NewSSB(*scale, common.seed)
				if err != nil {
					return nil, err
				}
				return []dataFile{
					{"out", common.out, s.LineOrder}, {"out-date", *paths["date"], s.Date}, {"out-customer", *paths["customer"], s.Customer},
					{"out-supplier", *paths["supplier"], s.Supplier}, {"out-part", *paths["part"], s.Part},
				}, nil
			}
		},
	},
	{
		name:    "wisconsin",
		short:   "The relation of the Wisconsin benchmark",
		example: "  kgen data wisconsin --rows 1000000 --out w.parquet\n  kgen data wisconsin --rows 1e6 --size small --out - | head",
		long: `Wisconsin generates the relation of the Wisconsin benchmark (DeWitt, 1993): all
columns but three follow from unique1, a random permutation. The strings of the
benchmark have 52 letters; their significant ones are kept, seven or four. The
four percentages are floats.

A row has 80 bytes (standard), or 24 (small: tid, two integers, a float and a
string), or 52 (numbers: without tid and strings), or 136 (large: the columns of
standard with 8 bytes each).`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			rows := rowsFlag(f)
			size := f.String("size", generate.Standard, "the `SIZE` of rows: small, numbers, standard, large")
			return func(common dataFlags) ([]dataFile, error) {
				return common.file(generate.Wisconsin(int64(*rows), *size, common.seed))
			}
		},
	},
	{
		name:    "students",
		short:   "Students sorted by grade, for ordered aggregation",
		example: "  kgen data students --rows 1e6 --mean-run 1000 --out students.csv",
		long: `Students generates students sorted by grade, as in examples/grades. The number
of students in a grade is uniform in 1 to 2 x mean-run - 1, with exactly that
mean.`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			rows, run := rowsFlag(f), count(100)
			f.Var(&run, "mean-run", "students in a grade, on average")
			return func(common dataFlags) ([]dataFile, error) {
				return common.file(generate.Students(int64(*rows), int64(run), common.seed))
			}
		},
	},
	{
		name:    "events",
		short:   "The event log of a web shop, in the order of time",
		example: "  kgen data events --rows 1e6 --out events.parquet\n  kgen data events --rows 1000 --users 50 --out - | head",
		long: `Events generates the log of a web shop from 2024-01-01 on: a timestamp, a user,
a page, and what was paid where the page is pay; other rows have no amount,
which NumPy arrays cannot say. Of each 1,024 events, all are of 64 users, so
that users have sessions.`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			rows, users := rowsFlag(f), count(0)
			f.Var(&users, "users", "how many users there are (default: one for 100 rows)")
			return func(common dataFlags) ([]dataFile, error) {
				if !f.Changed("users") {
					users = max(1, *rows/100)
				}
				return common.file(generate.Events(int64(*rows), int64(users), common.seed))
			}
		},
	},
	{
		name:  "ints",
		short: "Integers: uniform, unique, repeated or Zipf, sorted or not",
		example: `  kgen data ints --rows 1e8 --dist zipf --s 1.1 --sorted --out z.parquet
  kgen data ints --rows 1e6 --type u32 --max 99 --columns key,value --out k.csv
  kgen data ints --rows 1e6 --dist repeated --mean-run 8 --out runs.csv`,
		long: `Ints generates columns of integers that are independent of each other, by a
distribution:

  uniform   each value from min to max (or of so many values from min) alike
  unique    min to min + rows - 1, each once, in random order
  repeated  runs of equal values, no value in two runs; their lengths are
            uniform in 1 to 2 x mean-run - 1 with exactly that mean
  zipf      value min + r - 1 with a probability in proportion to 1 / r^s, for
            the ranks r from 1 to the number of values (default 1,000,000)

With --sorted the first column has the same values in ascending order; the other
columns stay as they are.`,
		flags: intsFlags,
	},
	{
		name:  "cube",
		short: "Facts and weighted hierarchies of an OLAP cube",
		example: `  kgen data cube --shape machines --out facts.parquet --out-hierarchy refs.csv
  kgen data cube --shape biker --fill 0.000042 --out facts.parquet
  kgen data cube --out facts.parquet --out-ancestors ancestors.csv \
    --out-targets targets.csv --targets 228`,
		long: `Cube generates the filled base cells of a data cube, sorted by their
coordinates, and the hierarchies of its dimensions: which element contributes to
which consolidated element, with what weight. Each filled cell is taken at
random from an equal share of all cells. For queries there are the ancestors of
each base element with the product of the weights, and targets: elements of each
dimension, whose combinations are the cells that a query asks for.

  biker     8 dimensions, 6.68e12 cells, of which a fraction of 4.2e-5 is filled
            in practice; in each dimension ten neighbours have a parent, level
            by level, up to one element
  machines  6 dimensions, 2.26e11 cells, of which 1.8e-4 are filled; the 64
            elements of the last contribute to one of 2000 others each, and
            every seventh to 1000 more`,
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			rows := rowsFlag(f)
			shape := f.String("shape", generate.Biker, "the `SHAPE` of the cube: biker, machines")
			fill := f.Float64("fill", 0, "the `FRACTION` of all cells that is filled, instead of --rows")
			hierarchy := f.String("out-hierarchy", "", "write the hierarchies to `FILE`")
			ancestors := f.String("out-ancestors", "", "write base elements with all their ancestors to `FILE`")
			query := f.String("out-targets", "", "write the elements of a query to `FILE`")
			targets := count(1)
			f.Var(&targets, "targets", "how many cells the query asks for, at most")
			return func(common dataFlags) ([]dataFile, error) {
				if f.Changed("fill") {
					if f.Changed("rows") {
						return nil, errors.New("fill, --rows: give one of them")
					}
					filled, err := generate.FillRows(*shape, *fill)
					if err != nil {
						return nil, err
					}
					*rows = count(filled)
				}
				files, err := common.file(generate.CubeFacts(*shape, int64(*rows), common.seed))
				if err != nil {
					return nil, err
				}
				references, err := generate.CubeHierarchies(*shape, common.seed)
				if err != nil {
					return nil, err
				}
				closure, err := generate.CubeAncestors(*shape, common.seed)
				if err != nil {
					return nil, err
				}
				asked, err := generate.CubeTargets(*shape, int64(targets), common.seed)
				return append(files, dataFile{"out-hierarchy", *hierarchy, references}, dataFile{"out-ancestors", *ancestors, closure},
					dataFile{"out-targets", *query, asked}), err
			}
		},
	},
}

// file is the one file of most kinds.
func (d dataFlags) file(g generate.Generator, err error) ([]dataFile, error) {
	return []dataFile{{"out", d.out, g}}, err
}

func rowsFlag(f *pflag.FlagSet) *count {
	rows := count(1_000_000)
	f.Var(&rows, "rows", "how many rows, as in 1e6")
	return &rows
}

func tpchKind(name, short string, make func(scale float64, seed uint64) (generate.Generator, error), long string) dataKind {
	return dataKind{
		name: name, short: short, long: long,
		example: fmt.Sprintf("  kgen data %s --scale 1 --out %[1]s.parquet\n  kgen data %[1]s --scale 0.001 --seed 7 --out -", name),
		flags: func(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
			scale := f.Float64("scale", 1, "the scale `FACTOR`, fractions allowed")
			decimals := f.Bool("decimals", false, "quantities, prices and rates are decimal(2), as TPC-H has them")
			return func(common dataFlags) ([]dataFile, error) {
				g, err := make(*scale, common.seed)
				if err == nil && *decimals {
					g = generate.WithDecimals(g)
				}
				return common.file(g, err)
			}
		},
	}
}

func intsFlags(f *pflag.FlagSet) func(dataFlags) ([]dataFile, error) {
	rows, run := rowsFlag(f), count(10)
	var values count
	var least, most wholeNumber
	columns := f.String("columns", "1", "how many columns, or their `NAMES`, as in key,value")
	kind := f.String("type", "i64", "the `TYPE` of all columns: i8 to i64, u8 to u64")
	distribution := f.String("dist", generate.Uniform, "the `DISTRIBUTION`: "+strings.Join(generate.Distributions(), ", "))
	f.Var(&least, "min", "the least value (default 0)")
	f.Var(&most, "max", "the largest value of uniform and zipf (default the type's, or by --values)")
	f.Var(&values, "values", "how many values uniform and zipf have, instead of --max")
	f.Var(&run, "mean-run", "rows in a run of repeated, on average")
	s := f.Float64("s", 1, "the `EXPONENT` of zipf")
	sorted := f.Bool("sorted", false, "sort the first column")
	return func(common dataFlags) ([]dataFile, error) {
		for flag, of := range map[string]string{"s": generate.Zipf, "mean-run": generate.Repeated} {
			if f.Changed(flag) && *distribution != of {
				return nil, fmt.Errorf("%s: only of --dist %s", flag, of)
			}
		}
		k, ok := ir.KindByName(*kind)
		if !ok {
			return nil, fmt.Errorf("type %s: choose an integer type, i8 to i64 or u8 to u64", *kind)
		}
		return common.file(generate.Ints(generate.IntsOptions{
			Rows: int64(*rows), Names: columnNames(*columns), Kind: k, Distribution: *distribution, Min: least.Int, Max: most.Int,
			Values: int64(values), MeanRun: int64(run), S: *s, Sorted: *sorted, Seed: common.seed,
		}))
	}
}

// columnNames returns the names that text lists, or numbered names if it is a
// number.
func columnNames(text string) []string {
	n, err := strconv.Atoi(text)
	if err != nil {
		return strings.Split(text, ",")
	}
	if n == 1 {
		return []string{"x"}
	}
	var names []string
	for i := range min(n, 1000) { // the number itself refuses more
		names = append(names, fmt.Sprint("x", i+1))
	}
	return names
}
