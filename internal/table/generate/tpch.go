package generate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// tpch holds what lineitem and orders of TPC-H share: the rules of section
// 4.2.3 of its specification for one scale factor and seed. Orders are numbered
// from 1 and their lines from 0. Money is in cents, discount and tax are in
// percent.
type tpch struct {
	orders, customers, parts, suppliers, clerks int64
	clerkNames                                  func() words

	lineCount, orderDate, customer, priority, clerk             stream // by order
	part, supplier, quantity, discount, tax, returned           stream // by line
	shipDelay, commitDelay, receiptDelay, instruction, shipMode stream
}

const (
	maxLines = 7

	suppliersOfPart = 4
	linePlaces      = 8 // numbers of a stream that are reserved for the lines of an order
	ordersAtOnce    = batchRows / 16
	maxScale        = 100_000
)

var (
	firstOrderDate = day(1992, 1, 1)
	lastOrderDate  = day(1998, 12, 31) - 151
	currentDate    = day(1995, 6, 17)

	priorities   = choice{texts("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT", "5-LOW"), priorityWords}
	instructions = choice{texts("DELIVER", "COLLECT", "NONE", "TAKE"), newWords("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")}
	modes        = choice{texts("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"), modeWords}
	letters      = choice{texts("A", "F", "N", "O", "P", "R"), newWords("A", "F", "N", "O", "P", "R")}
)

// The numbers of letters.
const letterA, letterF, letterN, letterO, letterP, letterR = 0, 1, 2, 3, 4, 5

// clerkColumn gives a column room for n clerks, by their number or by name, and returns what stores one that counts from 0.
func (t *tpch) clerkColumn(c *ir.Column, n int) func(row int, number uint64) {
	if c.Kind == ir.Text {
		return t.clerkNames().column(c, n)
	}
	numbers := room[int64](c, n)
	return func(row int, number uint64) { numbers[row] = int64(number) + 1 }
}

// choice is a list of strings, which a column has as texts or, of at most 8 bytes, as char8.
type choice struct {
	short [][8]byte
	words words
}

func (c choice) len() uint64 { return uint64(len(c.short)) }

// column gives a column room for n rows and returns what stores the string of a number.
func (c choice) column(column *ir.Column, n int) func(row int, number uint64) {
	if column.Kind == ir.Text {
		return c.words.column(column, n)
	}
	strings := room[[8]byte](column, n)
	return func(row int, number uint64) { strings[row] = c.short[number] }
}

// day returns a date as the number of days since 1970-01-01.
func day(year int, month time.Month, day int) int32 {
	return int32(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// texts returns strings as char8.
func texts(list ...string) [][8]byte {
	out := make([][8]byte, len(list))
	for i, text := range list {
		copy(out[i][:], text)
	}
	return out
}

func newTPCH(scale float64, seed uint64) (*tpch, error) {
	if !(scale > 0 && scale <= maxScale) {
		return nil, fmt.Errorf("scale %v: more than 0 and at most %d", scale, maxScale)
	}
	table := func(rows float64) int64 { return max(int64(math.Round(float64(scale*rows))), 1) }
	t := &tpch{orders: table(1_500_000), customers: table(150_000), parts: table(200_000), suppliers: table(10_000), clerks: table(1_000)}
	t.clerkNames = numbered("Clerk", t.clerks)
	for name, s := range map[string]*stream{
		"lines": &t.lineCount, "o_orderdate": &t.orderDate, "o_custkey": &t.customer, "o_orderpriority": &t.priority, "o_clerk": &t.clerk,
		"l_partkey": &t.part, "l_suppkey": &t.supplier, "l_quantity": &t.quantity, "l_discount": &t.discount, "l_tax": &t.tax,
		"l_returnflag": &t.returned, "l_shipdate": &t.shipDelay, "l_commitdate": &t.commitDelay, "l_receiptdate": &t.receiptDelay,
		"l_shipinstruct": &t.instruction, "l_shipmode": &t.shipMode,
	} {
		*s = newStream(seed, "tpch "+name)
	}
	return t, nil
}

// orderKey returns the key of an order. Of every 32 keys only 8 are used, those
// of TPC-H's own generator: 1 to 7, 32 to 39, 64 to 71 and so on.
func orderKey(order int64) int64 { return order/8*32 + order%8 }

func (t *tpch) linesOf(order int64) int { return 1 + int(t.lineCount.below(order, maxLines)) }

func (t *tpch) dateOf(order int64) int32 {
	return firstOrderDate + int32(t.orderDate.below(order, uint64(lastOrderDate-firstOrderDate+1)))
}

// customerOf returns the key of a customer. Customers whose keys are multiples
// of 3 never order.
func (t *tpch) customerOf(order int64) int64 {
	k := int64(t.customer.below(order, uint64(t.customers-t.customers/3)))
	return k/2*3 + k%2 + 1
}

// shipDate returns the day on which a line of an order made on date is shipped.
func (t *tpch) shipDate(order int64, line int, date int32) int32 {
	return date + 1 + int32(t.shipDelay.below(order*linePlaces+int64(line), 121))
}

// supplierOf returns one of the four suppliers of a part.
func (t *tpch) supplierOf(part, number int64) int64 {
	return (part+number*(t.suppliers/4+(part-1)/t.suppliers))%t.suppliers + 1
}

// retailPrice returns what a part costs, in cents.
func retailPrice(part int64) int64 { return 90_000 + part/10%20_001 + 100*(part%1_000) }

// money has the part of a line and what the line costs.
type money struct{ part, quantity, price, discount, tax int64 }

func (t *tpch) moneyOf(order int64, line int) money {
	i := order*linePlaces + int64(line)
	m := money{
		part:     1 + int64(t.part.below(i, uint64(t.parts))),
		quantity: 1 + int64(t.quantity.below(i, 50)),
		discount: int64(t.discount.below(i, 11)),
		tax:      int64(t.tax.below(i, 9)),
	}
	m.price = m.quantity * retailPrice(m.part)
	return m
}

// charge returns the price of a line with discount and tax. It drops fractions
// of a cent where TPC-H's own generator does.
func (m money) charge() int64 { return m.price * (100 - m.discount) / 100 * (100 + m.tax) / 100 }

// ordersOf returns the orders of a batch: first to end - 1.
func (t *tpch) ordersOf(batch int64) (first, end int64) {
	first = 1 + batch*ordersAtOnce
	return first, min(first+ordersAtOnce, t.orders+1)
}

func (t *tpch) batches() int64 { return (t.orders + ordersAtOnce - 1) / ordersAtOnce }

// hundredths gives a column room for n numbers with two digits after the point, and
// returns what stores one as a decimal(2) or, rounded, as an f64.
func hundredths(c *ir.Column, n int) func(row int, number int64) {
	if c.Kind.IsDecimal() {
		numbers := room[int64](c, n)
		return func(row int, number int64) { numbers[row] = number }
	}
	numbers := room[float64](c, n)
	return func(row int, number int64) { numbers[row] = float64(number) / 100 }
}

// WithDecimals returns the relation of Lineitem or Orders with its quantities, prices and
// rates as decimal(2), which TPC-H has, in place of i64 and f64.
func WithDecimals(g Generator) Generator {
	b := *g.(*batched)
	b.columns = slices.Clone(b.columns)
	for i, c := range b.columns {
		if c.Kind == ir.F64 || c.Name == "l_quantity" {
			b.columns[i].Kind = ir.DecimalOf(2)
		}
	}
	return &b
}

// Lineitem returns TPC-H's lineitem: about 6,000,000 rows times scale, sorted
// by l_orderkey and l_linenumber.
func Lineitem(scale float64, seed uint64) (Generator, error) {
	t, err := newTPCH(scale, seed)
	if err != nil {
		return nil, err
	}
	return &batched{columns: lineitemColumns, rows: t.orders * (1 + maxLines) / 2, batches: t.batches(), fill: t.fillLines}, nil
}

var lineitemColumns = []Column{
	{"l_orderkey", ir.I64, "key of the order, ascending; 8 of every 32 are used"},
	{"l_partkey", ir.I64, "1 to 200,000 x scale"},
	{"l_suppkey", ir.I64, "one of the four suppliers of the part"},
	{"l_linenumber", ir.I32, "1 to 7 within the order"},
	{"l_quantity", ir.I64, "1 to 50"},
	{"l_extendedprice", ir.F64, "quantity x retail price of the part"},
	{"l_discount", ir.F64, "0.00 to 0.10"},
	{"l_tax", ir.F64, "0.00 to 0.08"},
	{"l_returnflag", ir.Char8, "R or A if received by 1995-06-17, else N"},
	{"l_linestatus", ir.Char8, "O if shipped after 1995-06-17, else F"},
	{"l_shipdate", ir.Date, "order date + 1 to 121 days"},
	{"l_commitdate", ir.Date, "order date + 30 to 90 days"},
	{"l_receiptdate", ir.Date, "ship date + 1 to 30 days"},
	{"l_shipinstruct", ir.Char8, "DELIVER, COLLECT, NONE or TAKE: the first word"},
	{"l_shipmode", ir.Char8, "REG AIR, AIR, RAIL, SHIP, TRUCK, MAIL or FOB"},
}

func (t *tpch) fillLines(batch int64, out []ir.Column) {
	first, end := t.ordersOf(batch)
	n := 0
	for order := first; order < end; order++ {
		n += t.linesOf(order)
	}
	key, part, supplier := room[int64](&out[0], n), room[int64](&out[1], n), room[int64](&out[2], n)
	number, quantity, whole := room[int32](&out[3], n), room[int64](&out[4], n), ir.PowerOfTen(out[4].Kind.Scale())
	price, discount, tax := hundredths(&out[5], n), hundredths(&out[6], n), hundredths(&out[7], n)
	flag, status := letters.column(&out[8], n), letters.column(&out[9], n)
	shipped, committed, received := room[int32](&out[10], n), room[int32](&out[11], n), room[int32](&out[12], n)
	instruction, mode := instructions.column(&out[13], n), modes.column(&out[14], n)
	row := 0
	for order := first; order < end; order++ {
		date := t.dateOf(order)
		for line := range t.linesOf(order) {
			i := order*linePlaces + int64(line)
			m := t.moneyOf(order, line)
			key[row], part[row], number[row], quantity[row] = orderKey(order), m.part, int32(line+1), m.quantity*whole
			supplier[row] = t.supplierOf(m.part, int64(t.supplier.below(i, suppliersOfPart)))
			price(row, m.price)
			discount(row, m.discount)
			tax(row, m.tax)
			ship := t.shipDate(order, line, date)
			receipt := ship + 1 + int32(t.receiptDelay.below(i, 30))
			shipped[row], committed[row], received[row] = ship, date+30+int32(t.commitDelay.below(i, 61)), receipt
			isReturned, isShipped := uint64(letterN), uint64(letterF)
			if receipt <= currentDate {
				isReturned = letterA
				if t.returned.below(i, 2) == 0 {
					isReturned = letterR
				}
			}
			if ship > currentDate {
				isShipped = letterO
			}
			flag(row, isReturned)
			status(row, isShipped)
			instruction(row, t.instruction.below(i, instructions.len()))
			mode(row, t.shipMode.below(i, modes.len()))
			row++
		}
	}
}

// Orders returns TPC-H's orders: 1,500,000 rows times scale, sorted by
// o_orderkey. They are the orders of the lines that Lineitem makes for the same
// scale and seed.
func Orders(scale float64, seed uint64) (Generator, error) {
	t, err := newTPCH(scale, seed)
	if err != nil {
		return nil, err
	}
	return &batched{columns: ordersColumns, rows: t.orders, batches: t.batches(), fill: t.fillOrders}, nil
}

var ordersColumns = []Column{
	{"o_orderkey", ir.I64, "key, ascending; 8 of every 32 are used"},
	{"o_custkey", ir.I64, "1 to 150,000 x scale, no multiple of 3"},
	{"o_orderstatus", ir.Char8, "F or O if all lines have that status, else P"},
	{"o_totalprice", ir.F64, "sum of price x (1 - discount) x (1 + tax) of the lines"},
	{"o_orderdate", ir.Date, "1992-01-01 to 1998-08-02"},
	{"o_orderpriority", ir.Char8, "1-URGENT, 2-HIGH, 3-MEDIUM, 4-NOT, 5-LOW (one word)"},
	{"o_clerk", ir.I64, "1 to 1,000 x scale: the number in the clerk's name"},
	{"o_shippriority", ir.I32, "0"},
}

func (t *tpch) fillOrders(batch int64, out []ir.Column) {
	first, end := t.ordersOf(batch)
	n := int(end - first)
	key, customer, status := room[int64](&out[0], n), room[int64](&out[1], n), letters.column(&out[2], n)
	total, made := hundredths(&out[3], n), room[int32](&out[4], n)
	priority, clerk := priorities.column(&out[5], n), t.clerkColumn(&out[6], n)
	clear(room[int32](&out[7], n))
	for row := range n {
		order := first + int64(row)
		date, lines := t.dateOf(order), t.linesOf(order)
		cents, open := int64(0), 0
		for line := range lines {
			cents += t.moneyOf(order, line).charge()
			if t.shipDate(order, line, date) > currentDate {
				open++
			}
		}
		key[row], customer[row], made[row] = orderKey(order), t.customerOf(order), date
		total(row, cents)
		switch open {
		case 0:
			status(row, letterF)
		case lines:
			status(row, letterO)
		default:
			status(row, letterP)
		}
		priority(row, t.priority.below(order, priorities.len()))
		clerk(row, t.clerk.below(order, uint64(t.clerks)))
	}
}
