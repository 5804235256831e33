package main

import (
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// The Star Schema Benchmark (O'Neil, O'Neil, Chen, 2009) at scale 20. Columns have the names
// of the parameters of ssb.kg. The rows of suppliers, customers and parts have the keys 1, 2,
// 3; a day has the number yyyymmdd.
const (
	starOrders    = 120_000_000
	starSuppliers = 2_000 * 20
	starCustomers = 30_000 * 20
	starParts     = 1_000_000
	starDays      = 7*365 + 2
)

// day is day i since the beginning of 1992.
func day(i int64) time.Time { return time.Date(1992, 1, 1+int(i), 0, 0, 0, 0, time.UTC) }

func dayKey(i int64) int32 {
	d := day(i)
	return int32(d.Year()*10_000 + int(d.Month())*100 + d.Day())
}

// starDay is a row of the days.
type starDay struct{ year, yearMonth, week int }

func dayOf(i int64) starDay {
	d := day(i)
	return starDay{d.Year(), d.Year()*100 + int(d.Month()), (d.YearDay()-1)/7 + 1}
}

// cityOf and brandOf are attributes of dimensions; a nation is a city's tens, a region five
// nations, and a category 40 brands.
func cityOf(seed, i int64) int { return int(random(seed, i) % 250) }
func brandOf(i int64) int      { return int(random(22, i) % 1000) }
func nationOf(city int) int    { return city / 10 }
func regionOf(city int) int    { return city / 50 }
func categoryOf(brand int) int { return brand / 40 }
func below(seed, n int64) func(i int64) int {
	return func(i int64) int { return int(random(seed, i) % uint64(n)) }
}

const (
	suppliersSeed = 20
	customersSeed = 21
)

func init() {
	column := func(most int64, names map[string]func(i int64) int) {
		for name, value := range names {
			distributions["ssb "+name] = distribution{kind: plan.I32, most: most, fill: each(func(i int64) int32 { return int32(value(i)) })}
		}
	}
	days := make([]int32, starDays)
	for i := range days {
		days[i] = dayKey(int64(i))
	}
	anyDay := below(23, starDays)
	column(starOrders, map[string]func(i int64) int{
		"orderdate": func(i int64) int { return int(days[anyDay(i)]) },
		"suppkey":   func(i int64) int { return 1 + below(24, starSuppliers)(i) },
		"custkey":   func(i int64) int { return 1 + below(25, starCustomers)(i) },
		"partkey":   func(i int64) int { return 1 + below(26, starParts)(i) },
		"discount":  below(27, 11),
		"quantity":  func(i int64) int { return 1 + below(28, 50)(i) },
		"price":     func(i int64) int { return 90_000 + below(29, 10_000_000)(i) },
		"revenue":   func(i int64) int { return 80_000 + below(30, 10_000_000)(i) },
		"cost":      func(i int64) int { return 50_000 + below(31, 70_000)(i) },
	})
	key := func(i int64) int { return int(i) + 1 }
	for _, side := range []struct {
		prefix     string
		rows, seed int64
	}{{"s", starSuppliers, suppliersSeed}, {"c", starCustomers, customersSeed}} {
		column(side.rows, map[string]func(i int64) int{
			side.prefix + "key":    key,
			side.prefix + "city":   func(i int64) int { return cityOf(side.seed, i) },
			side.prefix + "nation": func(i int64) int { return nationOf(cityOf(side.seed, i)) },
			side.prefix + "region": func(i int64) int { return regionOf(cityOf(side.seed, i)) },
		})
	}
	column(starParts, map[string]func(i int64) int{
		"pkey":     key,
		"brand":    brandOf,
		"category": func(i int64) int { return categoryOf(brandOf(i)) },
	})
	column(starDays, map[string]func(i int64) int{
		"datekey":   func(i int64) int { return int(dayKey(i)) },
		"year":      func(i int64) int { return dayOf(i).year },
		"yearmonth": func(i int64) int { return dayOf(i).yearMonth },
		"week":      func(i int64) int { return dayOf(i).week },
	})
}

// starRow is a row of the orders joined with its day, supplier, customer and part; what a
// query does not read is zero.
type starRow struct {
	starDay
	from, to, brand                          int // cities of the supplier and of the customer
	discount, quantity, price, revenue, cost int64
}

// starQuery is a query as a loop over rows: which rows it keeps, in which group each one is,
// and what it adds.
type starQuery struct {
	name   string
	groups int // 0 if there is one sum, which is a float
	keeps  func(*starRow) bool
	group  func(*starRow) int
	value  func(*starRow) int64
}

func starQueries() []starQuery {
	discounted := func(r *starRow) int64 { return r.price * r.discount }
	revenue := func(r *starRow) int64 { return r.revenue }
	profit := func(r *starRow) int64 { return r.revenue - r.cost }
	byBrand := func(r *starRow) int { return (r.year-1992)*1000 + r.brand }
	byCities := func(from, to int) func(*starRow) int {
		return func(r *starRow) int { return (r.year-1992)*100 + (r.to-to)*10 + r.from - from }
	}
	twoOf := func(city int) bool { return city == 231 || city == 235 }
	between := func(x, low, high int64) bool { return low <= x && x <= high }
	return []starQuery{
		{"11", 0, func(r *starRow) bool { return r.year == 1993 && between(r.discount, 1, 3) && r.quantity < 25 }, nil, discounted},
		{"12", 0, func(r *starRow) bool {
			return r.yearMonth == 199401 && between(r.discount, 4, 6) && between(r.quantity, 26, 35)
		}, nil, discounted},
		{"13", 0, func(r *starRow) bool {
			return r.year == 1994 && r.week == 6 && between(r.discount, 5, 7) && between(r.quantity, 26, 35)
		}, nil, discounted},
		{"21", 7000, func(r *starRow) bool { return regionOf(r.from) == 1 && categoryOf(r.brand) == 1 }, byBrand, revenue},
		{"22", 7000, func(r *starRow) bool { return regionOf(r.from) == 2 && 260 <= r.brand && r.brand <= 267 }, byBrand, revenue},
		{"23", 7000, func(r *starRow) bool { return regionOf(r.from) == 3 && r.brand == 260 }, byBrand, revenue},
		{"31", 4375, func(r *starRow) bool { return regionOf(r.from) == 2 && regionOf(r.to) == 2 && r.year <= 1997 },
			func(r *starRow) int { return (r.year-1992)*625 + nationOf(r.to)*25 + nationOf(r.from) }, revenue},
		{"32", 700, func(r *starRow) bool { return nationOf(r.from) == 24 && nationOf(r.to) == 24 && r.year <= 1997 }, byCities(240, 240), revenue},
		{"33", 700, func(r *starRow) bool { return twoOf(r.from) && twoOf(r.to) && r.year <= 1997 }, byCities(230, 230), revenue},
		{"34", 700, func(r *starRow) bool { return twoOf(r.from) && twoOf(r.to) && r.yearMonth == 199712 }, byCities(230, 230), revenue},
		{"41", 175, func(r *starRow) bool { return regionOf(r.from) == 1 && regionOf(r.to) == 1 && categoryOf(r.brand) < 10 },
			func(r *starRow) int { return (r.year-1992)*25 + nationOf(r.to) }, profit},
		{"42", 1250, func(r *starRow) bool {
			return regionOf(r.from) == 1 && regionOf(r.to) == 1 && categoryOf(r.brand) < 10 && r.year >= 1997
		}, func(r *starRow) int { return (r.year-1997)*625 + nationOf(r.from)*25 + categoryOf(r.brand) }, profit},
		{"43", 20000, func(r *starRow) bool {
			return nationOf(r.from) == 24 && regionOf(r.to) == 1 && categoryOf(r.brand) == 3 && r.year >= 1997
		}, func(r *starRow) int { return (r.year-1997)*10000 + (r.from-240)*1000 + r.brand }, profit},
	}
}

// byStar are the queries of the Star Schema Benchmark.
func byStar() (list []workload) {
	loaded, errs := ir.Load("ssb.kg", star)
	if err := errs.Err(); err != nil {
		panic(err) // the file is part of the program
	}
	parameters := map[string][]*ir.Value{}
	for _, p := range loaded {
		parameters[p.Name] = p.Params
	}
	for _, query := range starQueries() {
		w := workload{name: "star query " + query.name[:1] + "." + query.name[1:], pipeline: "ssb" + query.name, within: .47, asked: true}
		for _, p := range parameters[w.pipeline] {
			w.columns = append(w.columns, column{p.Name, "ssb " + p.Name})
		}
		columns := w.columns
		w.expect = func(a args) answer { return query.answer(columns, a) }
		list = append(list, w)
	}
	return list
}

// answer runs a query row by row: the row with key k of a dimension is row k - 1, and a row
// whose key is in none of those rows is in no join.
func (q *starQuery) answer(columns []column, a args) answer {
	read := map[string][]int32{}
	for i, c := range columns {
		read[c.param] = ints(a, i)
	}
	at := func(name string) func(i int64) int64 {
		list := read[name]
		if list == nil {
			return func(int64) int64 { return 0 }
		}
		return func(i int64) int64 { return int64(list[i]) }
	}
	days := make([]*starDay, 1+dayKey(starDays-1)-dayKey(0))
	for i, key := range read["datekey"] {
		d := dayOf(int64(i))
		days[key-dayKey(0)] = &d
	}
	suppliers, customers, parts := int64(len(read["skey"])), int64(len(read["ckey"])), int64(len(read["pkey"]))
	suppkey, custkey, partkey := at("suppkey"), at("custkey"), at("partkey")
	discount, quantity, price, revenue, cost := at("discount"), at("quantity"), at("price"), at("revenue"), at("cost")
	first := dayKey(0)
	orderdate := read["orderdate"]
	totals := make([]atomic.Int64, max(q.groups, 1))
	parallel(int64(len(orderdate)), func(_ int, lo, hi int64) {
		for i := lo; i < hi; i++ {
			d, s, c, p := days[orderdate[i]-first], suppkey(i), custkey(i), partkey(i)
			if d == nil || s > suppliers || c > customers || p > parts {
				continue
			}
			r := starRow{starDay: *d, discount: discount(i), quantity: quantity(i), price: price(i), revenue: revenue(i), cost: cost(i)}
			if s > 0 {
				r.from = cityOf(suppliersSeed, s-1)
			}
			if c > 0 {
				r.to = cityOf(customersSeed, c-1)
			}
			if p > 0 {
				r.brand = brandOf(p - 1)
			}
			if q.keeps(&r) {
				group := 0
				if q.groups > 0 {
					group = q.group(&r)
				}
				totals[group].Add(q.value(&r))
			}
		}
	})
	if q.groups == 0 {
		return answer{Scalar: float64(totals[0].Load())}
	}
	var d digest
	for i := range totals {
		d.add(totals[i].Load())
	}
	return one(d)
}
