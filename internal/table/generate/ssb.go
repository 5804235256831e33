package generate

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// ssb makes the tables of the Star Schema Benchmark (O'Neil, O'Neil and Chen, revision 3, 2009) for one scale factor and seed:
// TPC-H's lines joined with their orders, and four dimensions. Lines, dates and money are made by the rules of TPC-H.
type ssb struct {
	*tpch
	customerCity, supplierCity, segment, brand, size, seller stream
}

// SSB is the relations of the Star Schema Benchmark for one scale and seed.
type SSB struct{ LineOrder, Date, Customer, Supplier, Part Generator }

const (
	firstYear, years = 1992, 7
	citiesOfNation   = 10
	brandsOfCategory = 40
)

// NewSSB returns the tables for a scale factor: about 6,000,000 lines times scale.
func NewSSB(scale float64, seed uint64) (*SSB, error) {
	t, err := newTPCH(scale, seed)
	if err != nil {
		return nil, err
	}
	rows := func(rows float64) int64 { return max(int64(math.Round(float64(scale*rows))), 1) }
	t.customers, t.suppliers, t.parts = rows(30_000), rows(2_000), rows(200_000)
	if scale >= 1 {
		t.parts = 200_000 * int64(bits.Len64(uint64(scale))) // times 1 + the logarithm of scale, rounded down
	}
	s := &ssb{tpch: t}
	for name, stream := range map[string]*stream{
		"c_city": &s.customerCity, "s_city": &s.supplierCity, "c_mktsegment": &s.segment, "p_brand1": &s.brand, "p_size": &s.size, "lo_suppkey": &s.seller,
	} {
		*stream = newStream(seed, "ssb "+name)
	}
	return &SSB{
		LineOrder: &batched{columns: lineOrderColumns, rows: t.orders * (1 + maxLines) / 2, batches: t.batches(), fill: s.fillLineOrders},
		Date:      byRows(dateColumns, int64(day(firstYear+years, 1, 1)-firstOrderDate), fillDates),
		Customer:  byRows(placeColumns("c_custkey", "c_", "c_mktsegment"), t.customers, s.fillCustomers),
		Supplier:  byRows(placeColumns("s_suppkey", "s_", ""), t.suppliers, s.fillSuppliers),
		Part:      byRows(partColumns, t.parts, s.fillParts),
	}, nil
}

// words is a sorted dictionary with the place of each of its strings by number.
type words struct {
	sorted []string
	place  []int32
}

// newWords numbers strings by their place in the list; a string may occur in several places.
func newWords(list ...string) words {
	w := words{slices.Compact(slices.Sorted(slices.Values(list))), make([]int32, len(list))}
	for i, text := range list {
		at, _ := slices.BinarySearch(w.sorted, text)
		w.place[i] = int32(at)
	}
	return w
}

// column gives a text column room for n rows and returns what stores the string of a number.
func (w words) column(c *ir.Column, n int) func(row int, number uint64) {
	c.Texts = w.sorted
	places := room[int32](c, n)
	return func(row int, number uint64) { places[row] = w.place[number] }
}

// The nations of TPC-H, five of each region, in the order of the regions.
var (
	nationNames = []string{
		"ALGERIA", "ETHIOPIA", "KENYA", "MOROCCO", "MOZAMBIQUE",
		"ARGENTINA", "BRAZIL", "CANADA", "PERU", "UNITED STATES",
		"CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM",
		"FRANCE", "GERMANY", "ROMANIA", "RUSSIA", "UNITED KINGDOM",
		"EGYPT", "IRAN", "IRAQ", "JORDAN", "SAUDI ARABIA",
	}
	nationWords   = newWords(nationNames...)
	regionWords   = newWords("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
	cityWords     = newWords(cityNames()...)
	segmentWords  = newWords("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
	priorityWords = newWords("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
	modeWords     = newWords("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
	makerWords    = newWords("MFGR#1", "MFGR#2", "MFGR#3", "MFGR#4", "MFGR#5")
	categoryWords = newWords(categoryNames()...)
	brandWords    = newWords(brandNames()...)
	monthWords    = newWords(monthNames()...)
)

// cityNames are nine letters of each nation and a digit.
func cityNames() (list []string) {
	for _, nation := range nationNames {
		for digit := range citiesOfNation {
			list = append(list, fmt.Sprintf("%-9.9s%d", nation, digit))
		}
	}
	return list
}

func categoryNames() (list []string) {
	for maker := range 5 {
		for category := range 5 {
			list = append(list, fmt.Sprintf("MFGR#%d%d", maker+1, category+1))
		}
	}
	return list
}

func brandNames() (list []string) {
	for _, category := range categoryNames() {
		for brand := range brandsOfCategory {
			list = append(list, fmt.Sprint(category, brand+1))
		}
	}
	return list
}

func monthNames() (list []string) {
	for month := range 12 * years {
		list = append(list, time.Date(firstYear, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC).Format("Jan2006"))
	}
	return list
}

// dateOfDay returns a day that counts from 1970-01-01, and its key, yyyymmdd.
func dateOfDay(day int32) (time.Time, int32) {
	d := time.Unix(int64(day)*(24*60*60), 0).UTC()
	return d, int32(d.Year()*10_000 + int(d.Month())*100 + d.Day())
}

var lineOrderColumns = []Column{
	{"lo_orderkey", ir.I64, "key of the order, ascending; 8 of every 32 are used"},
	{"lo_linenumber", ir.I32, "1 to 7 within the order"},
	{"lo_custkey", ir.I32, "1 to 30,000 x scale, no multiple of 3"},
	{"lo_partkey", ir.I32, "1 to the number of parts"},
	{"lo_suppkey", ir.I32, "1 to 2,000 x scale"},
	{"lo_orderdate", ir.I32, "yyyymmdd, 19920101 to 19980802"},
	{"lo_orderpriority", ir.Text, "1-URGENT, 2-HIGH, 3-MEDIUM, 4-NOT SPECIFIED, 5-LOW"},
	{"lo_shippriority", ir.I32, "0"},
	{"lo_quantity", ir.I32, "1 to 50"},
	{"lo_extendedprice", ir.I32, "quantity x retail price of the part, in cents"},
	{"lo_ordtotalprice", ir.I32, "sum of lo_extendedprice of the order"},
	{"lo_discount", ir.I32, "0 to 10, in percent"},
	{"lo_revenue", ir.I32, "lo_extendedprice x (100 - lo_discount) / 100"},
	{"lo_supplycost", ir.I32, "six tenths of the retail price"},
	{"lo_tax", ir.I32, "0 to 8, in percent"},
	{"lo_commitdate", ir.I32, "yyyymmdd, order date + 30 to 90 days"},
	{"lo_shipmode", ir.Text, "REG AIR, AIR, RAIL, SHIP, TRUCK, MAIL or FOB"},
}

func (s *ssb) fillLineOrders(batch int64, out []ir.Column) {
	first, end := s.ordersOf(batch)
	n := 0
	for order := first; order < end; order++ {
		n += s.linesOf(order)
	}
	key := room[int64](&out[0], n)
	var whole [17][]int32 // the columns of integers
	for i, c := range lineOrderColumns {
		if c.Kind == ir.I32 {
			whole[i] = room[int32](&out[i], n)
		}
	}
	priority, mode := priorityWords.column(&out[6], n), modeWords.column(&out[16], n)
	row := 0
	for order := first; order < end; order++ {
		date, total, begin := s.dateOf(order), int64(0), row
		_, ordered := dateOfDay(date)
		customer, urgency := s.customerOf(order), s.priority.below(order, uint64(len(priorityWords.place)))
		for line := range s.linesOf(order) {
			i := order*linePlaces + int64(line)
			m := s.moneyOf(order, line)
			total += m.price
			_, committed := dateOfDay(date + 30 + int32(s.commitDelay.below(i, 61)))
			key[row] = orderKey(order)
			for column, value := range [17]int64{
				1: int64(line + 1), 2: customer, 3: m.part, 4: 1 + int64(s.seller.below(i, uint64(s.suppliers))), 5: int64(ordered), 8: m.quantity,
				9: m.price, 11: m.discount, 12: m.price * (100 - m.discount) / 100, 13: m.price / m.quantity * 6 / 10, 14: m.tax, 15: int64(committed),
			} {
				if whole[column] != nil {
					whole[column][row] = int32(value)
				}
			}
			priority(row, urgency)
			mode(row, s.shipMode.below(i, uint64(len(modeWords.place))))
			row++
		}
		for ; begin < row; begin++ {
			whole[10][begin] = int32(total)
		}
	}
}

var dateColumns = []Column{
	{"d_datekey", ir.I32, "yyyymmdd, 19920101 to 19981231"},
	{"d_year", ir.I32, "1992 to 1998"},
	{"d_yearmonthnum", ir.I32, "yyyymm"},
	{"d_yearmonth", ir.Text, "Jan1992 to Dec1998"},
	{"d_monthnuminyear", ir.I32, "1 to 12"},
	{"d_daynuminmonth", ir.I32, "1 to 31"},
	{"d_daynuminyear", ir.I32, "1 to 366"},
	{"d_weeknuminyear", ir.I32, "1 to 53: the day in the year, by sevens"},
}

func fillDates(first int64, n int, out []ir.Column) {
	key, year, month := room[int32](&out[0], n), room[int32](&out[1], n), room[int32](&out[2], n)
	name := monthWords.column(&out[3], n)
	ofYear, ofMonth, inYear, week := room[int32](&out[4], n), room[int32](&out[5], n), room[int32](&out[6], n), room[int32](&out[7], n)
	for row := range n {
		var d time.Time
		d, key[row] = dateOfDay(firstOrderDate + int32(first) + int32(row))
		year[row], month[row] = int32(d.Year()), int32(d.Year()*100+int(d.Month()))
		name(row, uint64((d.Year()-firstYear)*12+int(d.Month())-1))
		ofYear[row], ofMonth[row], inYear[row] = int32(d.Month()), int32(d.Day()), int32(d.YearDay())
		week[row] = (inYear[row]-1)/7 + 1
	}
}

// placeColumns are those of customers and suppliers.
func placeColumns(key, prefix, segment string) []Column {
	columns := []Column{
		{key, ir.I32, "from 1"},
		{prefix + "city", ir.Text, "nine letters of the nation and a digit"},
		{prefix + "nation", ir.Text, "one of 25"},
		{prefix + "region", ir.Text, "AFRICA, AMERICA, ASIA, EUROPE or MIDDLE EAST"},
	}
	if segment != "" {
		columns = append(columns, Column{segment, ir.Text, "AUTOMOBILE, BUILDING, FURNITURE, HOUSEHOLD or MACHINERY"})
	}
	return columns
}

func (s *ssb) fillCustomers(first int64, n int, out []ir.Column) {
	fillPlaces(s.customerCity, first, n, out)
	segment := segmentWords.column(&out[4], n)
	for row := range n {
		segment(row, s.segment.below(first+int64(row), uint64(len(segmentWords.place))))
	}
}

func (s *ssb) fillSuppliers(first int64, n int, out []ir.Column) {
	fillPlaces(s.supplierCity, first, n, out)
}

func fillPlaces(cities stream, first int64, n int, out []ir.Column) {
	key := room[int32](&out[0], n)
	city, nation, region := cityWords.column(&out[1], n), nationWords.column(&out[2], n), regionWords.column(&out[3], n)
	for row := range n {
		key[row] = int32(first) + int32(row) + 1
		number := cities.below(first+int64(row), uint64(len(cityWords.place)))
		city(row, number)
		nation(row, number/citiesOfNation)
		region(row, number/citiesOfNation/5)
	}
}

var partColumns = []Column{
	{"p_partkey", ir.I32, "from 1"},
	{"p_mfgr", ir.Text, "MFGR#1 to MFGR#5"},
	{"p_category", ir.Text, "MFGR#11 to MFGR#55: five of a manufacturer"},
	{"p_brand1", ir.Text, "MFGR#111 to MFGR#5540: forty of a category"},
	{"p_size", ir.I32, "1 to 50"},
}

func (s *ssb) fillParts(first int64, n int, out []ir.Column) {
	key, size := room[int32](&out[0], n), room[int32](&out[4], n)
	maker, category, brand := makerWords.column(&out[1], n), categoryWords.column(&out[2], n), brandWords.column(&out[3], n)
	for row := range n {
		part := first + int64(row)
		key[row], size[row] = int32(part)+1, 1+int32(s.size.below(part, 50))
		number := s.brand.below(part, uint64(len(brandWords.place)))
		brand(row, number)
		category(row, number/brandsOfCategory)
		maker(row, number/brandsOfCategory/5)
	}
}
