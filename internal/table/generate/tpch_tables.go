package generate

import (
	"fmt"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/ir"
)

// TPCH is the relations of TPC-H for one scale and seed, with its texts and decimals. Left out are comments that no query
// reads.
type TPCH struct{ Lineitem, Orders, Customer, Part, PartSupp, Supplier, Nation, Region Generator }

// NewTPCH returns the tables for a scale factor: about 6,000,000 lines times scale.
func NewTPCH(scale float64, seed uint64) (*TPCH, error) {
	t, err := newTPCH(scale, seed)
	if err != nil {
		return nil, err
	}
	d := &dimensions{tpch: t}
	for name, s := range map[string]*stream{
		"s_nationkey": &d.supplierNation, "s_phone": &d.supplierPhone, "s_acctbal": &d.supplierBalance, "s_address": &d.supplierAddress, "s_comment": &d.supplierComment,
		"c_nationkey": &d.customerNation, "c_phone": &d.customerPhone, "c_acctbal": &d.customerBalance, "c_address": &d.customerAddress, "c_comment": &d.customerComment,
		"c_mktsegment": &d.segment, "p_name": &d.partName, "p_brand": &d.brand, "p_type": &d.kind, "p_size": &d.size, "p_container": &d.container,
		"o_comment": &d.orderComment, "ps_availqty": &d.available, "ps_supplycost": &d.cost,
	} {
		*s = newStream(seed, "tpch "+name)
	}
	d.supplierNames, d.customerNames = numbered("Supplier", t.suppliers), numbered("Customer", t.customers)
	d.supplierPhones = phones(t.suppliers, d.supplierNation, d.supplierPhone)
	d.customerPhones = phones(t.customers, d.customerNation, d.customerPhone)
	d.names = sync.OnceValue(func() words {
		list := make([]string, t.parts)
		for i := range list {
			list[i] = partName(d.partName, int64(i))
		}
		return newWords(list...)
	})
	d.commentsOfSuppliers = sync.OnceValue(func() words { return newWords(supplierComments(newStream(seed, "tpch s_comment text"))...) })
	d.commentsOfCustomers = sync.OnceValue(func() words { return newWords(comments(newStream(seed, "tpch c_comment text"))...) })
	d.commentsOfOrders = sync.OnceValue(func() words { return newWords(orderComments(newStream(seed, "tpch o_comment text"))...) })
	d.addresses = sync.OnceValue(func() words { return newWords(addresses(newStream(seed, "tpch address text"))...) })
	return &TPCH{
		Lineitem: &batched{columns: withTexts(lineitemColumns), rows: t.orders * (1 + maxLines) / 2, batches: t.batches(), fill: t.fillLines},
		Orders: &batched{columns: append(withTexts(ordersColumns), Column{"o_comment", ir.Text, "words; of 1 in 100 special ... requests"}),
			rows: t.orders, batches: t.batches(), fill: d.fillOrders},
		Customer: byRows(customerColumns, t.customers, d.fillCustomers),
		Part:     byRows(partTableColumns, t.parts, d.fillParts),
		PartSupp: byRows(partSuppColumns, t.parts*suppliersOfPart, d.fillPartSupp),
		Supplier: byRows(supplierColumns, t.suppliers, d.fillSuppliers),
		Nation:   byRows(nationColumns, int64(len(nationTable)), fillNations),
		Region:   byRows(regionColumns, int64(len(regionWords.place)), fillRegions),
	}, nil
}

// withTexts returns columns of lineitem or orders with the types of TPC-H.
func withTexts(columns []Column) []Column {
	columns = slices.Clone(columns)
	for i, c := range columns {
		switch {
		case c.Kind == ir.Char8:
			columns[i].Kind = ir.Text
		case c.Kind == ir.F64, c.Name == "l_quantity":
			columns[i].Kind = ir.DecimalOf(2)
		case c.Name == "o_clerk":
			columns[i] = Column{c.Name, ir.Text, "Clerk# and nine digits"}
		}
		switch c.Name {
		case "l_orderkey":
			columns[i].Meaning = "key of the order, ascending"
		case "l_shipinstruct":
			columns[i].Meaning = "one of four, as DELIVER IN PERSON"
		case "o_totalprice":
			columns[i].Meaning = "sum of the lines, with discount and tax"
		case "o_orderpriority":
			columns[i].Meaning = "one of five, as 4-NOT SPECIFIED"
		}
	}
	return columns
}

// dimensions makes the tables beside lineitem. Their rows are numbered from 0, keys from 1.
type dimensions struct {
	*tpch
	supplierNation, supplierPhone, supplierBalance, supplierAddress, supplierComment stream
	customerNation, customerPhone, customerBalance, customerAddress, customerComment stream
	segment, partName, brand, kind, size, container, orderComment, available, cost   stream

	// Dictionaries are made when they are needed. Those of names and phones grow with the scale.
	supplierNames, customerNames, supplierPhones, customerPhones, names, addresses func() words
	commentsOfSuppliers, commentsOfCustomers, commentsOfOrders                     func() words
}

// nationTable has the nations by key, and their regions, which are numbered by name.
var nationTable = []struct {
	name   string
	region int32
}{
	{"ALGERIA", 0}, {"ARGENTINA", 1}, {"BRAZIL", 1}, {"CANADA", 1}, {"EGYPT", 4}, {"ETHIOPIA", 0}, {"FRANCE", 3}, {"GERMANY", 3}, {"INDIA", 2},
	{"INDONESIA", 2}, {"IRAN", 4}, {"IRAQ", 4}, {"JAPAN", 2}, {"JORDAN", 4}, {"KENYA", 0}, {"MOROCCO", 0}, {"MOZAMBIQUE", 0}, {"PERU", 1},
	{"CHINA", 2}, {"ROMANIA", 3}, {"SAUDI ARABIA", 4}, {"VIETNAM", 2}, {"RUSSIA", 3}, {"UNITED KINGDOM", 3}, {"UNITED STATES", 1},
}

const (
	firstCountryCode = 10
	leastBalance     = -99_999 // cents
	mostBalance      = 999_999
)

var (
	nationTexts = sync.OnceValue(func() words {
		var names []string
		for _, n := range nationTable {
			names = append(names, n.name)
		}
		return newWords(names...)
	})
	manufacturers = newWords("Manufacturer#1", "Manufacturer#2", "Manufacturer#3", "Manufacturer#4", "Manufacturer#5")
	tpchBrands    = newWords(combined("", []string{"Brand#1", "Brand#2", "Brand#3", "Brand#4", "Brand#5"}, []string{"1", "2", "3", "4", "5"})...)
	partTypes     = newWords(combined(" ", []string{"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"},
		[]string{"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"}, []string{"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"})...)
	containers = newWords(combined(" ", []string{"SM", "LG", "MED", "JUMBO", "WRAP"}, []string{"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"})...)
)

// combined joins a word of each list, in every way.
func combined(between string, lists ...[]string) []string {
	all := lists[0]
	for _, list := range lists[1:] {
		var longer []string
		for _, before := range all {
			for _, word := range list {
				longer = append(longer, before+between+word)
			}
		}
		all = longer
	}
	return all
}

// phones has a telephone number for each row of a table: the code of the nation, and ten digits.
func phones(rows int64, nation, digits stream) func() words {
	return sync.OnceValue(func() words {
		list := make([]string, rows)
		for i := range list {
			n := digits.below(int64(i), 900*900*9000)
			list[i] = fmt.Sprintf("%d-%d-%d-%d", firstCountryCode+nation.below(int64(i), uint64(len(nationTable))), 100+n%900, 100+n/900%900, 1000+n/900/900)
		}
		return newWords(list...)
	})
}

// numbered has a string for each row of a table: a word, and the number of the row from 1 in nine digits.
func numbered(word string, rows int64) func() words {
	return sync.OnceValue(func() words {
		list := make([]string, rows)
		for i := range list {
			list[i] = fmt.Sprintf("%s#%09d", word, i+1)
		}
		return newWords(list...)
	})
}

var customerColumns = []Column{
	{"c_custkey", ir.I64, "from 1"},
	{"c_name", ir.Text, "Customer# and the key in nine digits"},
	{"c_address", ir.Text, "letters and digits"},
	{"c_nationkey", ir.I32, "0 to 24"},
	{"c_phone", ir.Text, "code of the nation, 10 to 34, and ten digits"},
	{"c_acctbal", ir.DecimalOf(2), "-999.99 to 9999.99"},
	{"c_mktsegment", ir.Text, "one of five, as BUILDING"},
	{"c_comment", ir.Text, "words"},
}

func (d *dimensions) fillCustomers(first int64, n int, out []ir.Column) {
	key, nation, balance := room[int64](&out[0], n), room[int32](&out[3], n), room[int64](&out[5], n)
	name, phone := d.customerNames().column(&out[1], n), d.customerPhones().column(&out[4], n)
	address, comment := d.addresses().column(&out[2], n), d.commentsOfCustomers().column(&out[7], n)
	segment := segmentWords.column(&out[6], n)
	for row := range n {
		i := first + int64(row)
		key[row] = i + 1
		name(row, uint64(i))
		phone(row, uint64(i))
		nation[row] = int32(d.customerNation.below(i, uint64(len(nationTable))))
		balance[row] = balanceOf(d.customerBalance, i)
		segment(row, d.segment.below(i, uint64(len(segmentWords.place))))
		address(row, d.customerAddress.below(i, variousTexts))
		comment(row, d.customerComment.below(i, variousTexts))
	}
}

func balanceOf(s stream, i int64) int64 {
	return leastBalance + int64(s.below(i, mostBalance-leastBalance+1))
}

var supplierColumns = []Column{
	{"s_suppkey", ir.I64, "from 1"},
	{"s_name", ir.Text, "Supplier# and the key in nine digits"},
	{"s_address", ir.Text, "letters and digits"},
	{"s_nationkey", ir.I32, "0 to 24"},
	{"s_phone", ir.Text, "code of the nation, 10 to 34, and ten digits"},
	{"s_acctbal", ir.DecimalOf(2), "-999.99 to 9999.99"},
	{"s_comment", ir.Text, "words; of 1 in 2000 Customer ... Complaints"},
}

func (d *dimensions) fillSuppliers(first int64, n int, out []ir.Column) {
	key, nation, balance := room[int64](&out[0], n), room[int32](&out[3], n), room[int64](&out[5], n)
	name, phone := d.supplierNames().column(&out[1], n), d.supplierPhones().column(&out[4], n)
	address, comment := d.addresses().column(&out[2], n), d.commentsOfSuppliers().column(&out[6], n)
	for row := range n {
		i := first + int64(row)
		key[row] = i + 1
		name(row, uint64(i))
		phone(row, uint64(i))
		nation[row] = int32(d.supplierNation.below(i, uint64(len(nationTable))))
		balance[row] = balanceOf(d.supplierBalance, i)
		address(row, d.supplierAddress.below(i, variousTexts))
		comment(row, d.supplierComment.below(i, variousTexts))
	}
}

var partTableColumns = []Column{
	{"p_partkey", ir.I64, "from 1"},
	{"p_name", ir.Text, "five colours"},
	{"p_mfgr", ir.Text, "Manufacturer#1 to Manufacturer#5"},
	{"p_brand", ir.Text, "Brand#11 to Brand#55: five of a manufacturer"},
	{"p_type", ir.Text, "one of 150, as PROMO BRUSHED COPPER"},
	{"p_size", ir.I32, "1 to 50"},
	{"p_container", ir.Text, "one of 40, as MED BAG"},
	{"p_retailprice", ir.DecimalOf(2), "follows from the key: 900.00 to 2099.00"},
}

func (d *dimensions) fillParts(first int64, n int, out []ir.Column) {
	key, size, price := room[int64](&out[0], n), room[int32](&out[5], n), room[int64](&out[7], n)
	name, maker, brand := d.names().column(&out[1], n), manufacturers.column(&out[2], n), tpchBrands.column(&out[3], n)
	kind, container := partTypes.column(&out[4], n), containers.column(&out[6], n)
	for row := range n {
		i := first + int64(row)
		key[row], size[row], price[row] = i+1, 1+int32(d.size.below(i, 50)), retailPrice(i+1)
		number := d.brand.below(i, uint64(len(tpchBrands.place)))
		name(row, uint64(i))
		maker(row, number/5)
		brand(row, number)
		kind(row, d.kind.below(i, uint64(len(partTypes.place))))
		container(row, d.container.below(i, uint64(len(containers.place))))
	}
}

var partSuppColumns = []Column{
	{"ps_partkey", ir.I64, "ascending, four rows of each part"},
	{"ps_suppkey", ir.I64, "the four suppliers of the part"},
	{"ps_availqty", ir.I32, "1 to 9999"},
	{"ps_supplycost", ir.DecimalOf(2), "1.00 to 1000.00"},
}

func (d *dimensions) fillPartSupp(first int64, n int, out []ir.Column) {
	part, supplier, available, cost := room[int64](&out[0], n), room[int64](&out[1], n), room[int32](&out[2], n), room[int64](&out[3], n)
	for row := range n {
		i := first + int64(row)
		part[row] = i/suppliersOfPart + 1
		supplier[row] = d.supplierOf(part[row], i%suppliersOfPart)
		available[row], cost[row] = 1+int32(d.available.below(i, 9999)), 100+int64(d.cost.below(i, 99_901))
	}
}

var nationColumns = []Column{
	{"n_nationkey", ir.I32, "0 to 24"},
	{"n_name", ir.Text, "ALGERIA to UNITED STATES"},
	{"n_regionkey", ir.I32, "0 to 4"},
}

func fillNations(first int64, n int, out []ir.Column) {
	key, region, name := room[int32](&out[0], n), room[int32](&out[2], n), nationTexts().column(&out[1], n)
	for row := range n {
		key[row], region[row] = int32(first)+int32(row), nationTable[first+int64(row)].region
		name(row, uint64(first)+uint64(row))
	}
}

var regionColumns = []Column{
	{"r_regionkey", ir.I32, "0 to 4"},
	{"r_name", ir.Text, "AFRICA to MIDDLE EAST"},
}

func fillRegions(first int64, n int, out []ir.Column) {
	key, name := room[int32](&out[0], n), regionWords.column(&out[1], n)
	for row := range n {
		key[row] = int32(first) + int32(row)
		name(row, uint64(first)+uint64(row))
	}
}

// fillOrders fills orders with their comments.
func (d *dimensions) fillOrders(batch int64, out []ir.Column) {
	last := len(out) - 1
	d.tpch.fillOrders(batch, out[:last])
	first, end := d.ordersOf(batch)
	comment := d.commentsOfOrders().column(&out[last], int(end-first))
	for row := range int(end - first) {
		comment(row, d.orderComment.below(first+int64(row), variousTexts))
	}
}
