package partials_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/generated/partials"
)

// lines returns n rows of orders of 1 to 7 lines.
func lines(n int) (keys, quantities []int64, dates []int32, discounts, prices []float64) {
	order, left := int64(0), 0
	for i := range n {
		if left == 0 {
			order, left = order+1, 1+int(order*7919%7)
		}
		left--
		keys = append(keys, order)
		quantities = append(quantities, int64(i*31%50+1))
		dates = append(dates, int32(8035+i*17%2500))
		discounts = append(discounts, float64(i%11)/100)
		prices = append(prices, float64(i%997)*1.01)
	}
	return keys, quantities, dates, discounts, prices
}

func marshal(t testing.TB, p interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFloatsAreWithinTheBound(t *testing.T) {
	_, quantities, dates, discounts, prices := lines(100_000)
	const from, to = 8766, 9131
	want, err := partials.Discounts(dates, discounts, quantities, prices, from, to)
	if err != nil {
		t.Fatal(err)
	}
	whole := partials.NewDiscountsPartial(from, to)
	shards := 0
	for lo := 0; lo < len(dates); lo += 333 {
		hi := min(lo+333, len(dates))
		p := partials.NewDiscountsPartial(from, to)
		if err := p.Add(dates[lo:hi], discounts[lo:hi], quantities[lo:hi], prices[lo:hi]); err != nil {
			t.Fatal(err)
		}
		if err := whole.Merge(p); err != nil {
			t.Fatal(err)
		}
		shards++
	}
	got, err := whole.Result()
	bound := 2 * 0x1p-53 * float64(len(dates)+shards+1) * want.Revenue // all terms are positive
	if err != nil || want.Revenue == 0 || math.Abs(got.Revenue-want.Revenue) > bound {
		t.Errorf("%d shards give %v, %v; all rows %v", shards, got.Revenue, err, want.Revenue)
	}
}

func TestArguments(t *testing.T) {
	p := partials.NewMonthsPartial(8035, 84)
	if err := p.Add([]int32{8035}, []int64{1, 2}); err == nil || !strings.Contains(err.Error(), "MonthsPartial.Add: l_quantity has 2 rows and l_shipdate has 1") {
		t.Errorf("columns of different lengths: %v", err)
	}
	before := marshal(t, p)
	for name, later := range map[string]*partials.MonthsPartial{
		"there is no partial": nil, "different parameters": partials.NewMonthsPartial(8035, 85), "of different parameters": {},
	} {
		if err := p.Merge(later); err == nil || !strings.Contains(err.Error(), "lineitem.kg:17:1: MonthsPartial.Merge: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(before, marshal(t, p)) {
		t.Error("an error has changed the partial")
	}
	result, err := p.Result()
	if err != nil || len(result.Lines) != 84 || result.Busy != 0 {
		t.Errorf("no rows: %d bins, %d busy, %v", len(result.Lines), result.Busy, err)
	}
	negative := partials.NewMonthsPartial(8035, -1)
	var check *partials.CheckError
	if _, err := negative.Result(); !errors.As(err, &check) || !strings.Contains(check.Message, "negative size") {
		t.Errorf("a negative number of bins: %v", err)
	}
}

func TestMergeWithItself(t *testing.T) {
	keys, quantities, _, _, _ := lines(50)
	p, twice := partials.NewOrdersPartial(), partials.NewOrdersPartial()
	for _, err := range []error{p.Add(keys, quantities), p.Merge(p), twice.Add(keys, quantities), twice.Add(keys, quantities)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(marshal(t, p), marshal(t, twice)) {
		t.Error("merged with itself a partial is not that of its rows twice")
	}
}

// A result has memory of its own.
func TestResultStays(t *testing.T) {
	keys, quantities, _, _, _ := lines(50)
	p := partials.NewOrdersPartial()
	if err := p.Add(keys[:23], quantities[:23]); err != nil {
		t.Fatal(err)
	}
	result, _ := p.Result()
	again, _ := p.Result()
	if err := p.Add(keys[23:], quantities[23:]); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(result, again) {
		t.Error("rows that were added later have changed a result")
	}
}

func TestForeignBytes(t *testing.T) {
	keys, quantities, _, _, _ := lines(50)
	p := partials.NewOrdersPartial()
	if err := p.Add(keys, quantities); err != nil {
		t.Fatal(err)
	}
	data := marshal(t, p)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":          {nil, "these are not the bytes of a partial"},
		"text":             {[]byte("hello"), "these are not the bytes of a partial"},
		"another pipeline": {marshal(t, partials.NewMonthsPartial(8035, 84)), "these are the bytes of \"kgen partial 1 months "},
		"another version":  {bytes.Replace(data, []byte("partial 1"), []byte("partial 2"), 1), "these are the bytes of \"kgen partial 2 orders "},
		"a bit":            {append(bytes.Clone(data[:90]), append([]byte{data[90] ^ 1}, data[91:]...)...), "their checksum is wrong"},
		"cut":              {data[:len(data)-1], "their checksum is wrong"},
		"longer":           {append(bytes.Clone(data), 0), "their checksum is wrong"},
		"header alone":     {data[:bytes.IndexByte(data, '\n')+1], "their checksum is wrong"},
		"a column longer than the bytes": {seal(append(bytes.Clone(data[:bytes.IndexByte(data, '\n')+1]), 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)),
			"a column does not end where the next begins"},
		"bytes behind the last column": {seal(append(bytes.Clone(data[:len(data)-4]), 0)), "a column does not end where the next begins"},
	} {
		q := partials.NewOrdersPartial()
		err := q.UnmarshalBinary(c.data)
		if err == nil || !strings.HasPrefix(err.Error(), "lineitem.kg:3:1: OrdersPartial.UnmarshalBinary: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(marshal(t, q), marshal(t, partials.NewOrdersPartial())) {
			t.Errorf("%s has changed the partial", name)
		}
	}
}

// seal appends the checksum that data lacks.
func seal(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// Whatever bytes there are, UnmarshalBinary refuses them or makes a partial
// that can be used and has the same bytes again. The fuzzer's bytes get a right
// header and checksum, which it would hardly find.
func FuzzUnmarshalBinary(f *testing.F) {
	_, quantities, dates, _, _ := lines(40)
	p := partials.NewMonthsPartial(8035, 84)
	if err := p.Add(dates, quantities); err != nil {
		f.Fatal(err)
	}
	data := marshal(f, p)
	header := bytes.IndexByte(data, '\n') + 1
	f.Add(data[header : len(data)-4])
	f.Add([]byte{})
	empty := marshal(f, partials.NewMonthsPartial(0, 3))
	f.Add(empty[header : len(empty)-4])
	f.Fuzz(func(t *testing.T, fields []byte) {
		var p partials.MonthsPartial
		if p.UnmarshalBinary(fields) == nil {
			t.Fatal("bytes without a header are accepted")
		}
		sealed := seal(append(bytes.Clone(data[:header]), fields...))
		if err := p.UnmarshalBinary(sealed); err != nil {
			return
		}
		if again := marshal(t, &p); len(again) > len(sealed) {
			t.Fatalf("%d bytes from %d", len(again), len(sealed))
		}
		q := partials.NewMonthsPartial(8035, 84)
		if err := q.Merge(&p); err != nil { // other parameters, perhaps for more bins than there is memory
			return
		}
		var check *partials.CheckError
		if _, err := q.Result(); err != nil && !errors.As(err, &check) {
			t.Fatal(err)
		}
		if err := p.Add(dates, quantities); err != nil && !strings.Contains(err.Error(), "different numbers of bins") {
			t.Fatal(err)
		}
	})
}

// Neighbours across shards, of one row too.
func TestNeighboursOfShards(t *testing.T) {
	keys, _, dates, _, _ := lines(500)
	want, err := partials.Overtaken(keys, dates)
	if err != nil || want.Lines == 0 {
		t.Fatalf("%d lines, %v", want.Lines, err)
	}
	for _, size := range []int{1, 7, 499} {
		whole := partials.NewOvertakenPartial()
		for lo := 0; lo < len(keys); lo += size {
			hi := min(lo+size, len(keys))
			p := partials.NewOvertakenPartial()
			if err := p.Add(keys[lo:hi], dates[lo:hi]); err != nil {
				t.Fatal(err)
			}
			if err := whole.Merge(p); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := whole.Result(); err != nil || got != want {
			t.Errorf("shards of %d rows: %d lines, %v; in one call %d", size, got.Lines, err, want.Lines)
		}
	}
}

func FuzzUnmarshalNeighbours(f *testing.F) {
	keys, _, dates, _, _ := lines(9)
	p := partials.NewOvertakenPartial()
	if err := p.Add(keys, dates); err != nil {
		f.Fatal(err)
	}
	data := marshal(f, p)
	header := bytes.IndexByte(data, '\n') + 1
	f.Add(data[header : len(data)-4])
	f.Fuzz(func(t *testing.T, fields []byte) {
		var p partials.OvertakenPartial
		if err := p.UnmarshalBinary(seal(append(bytes.Clone(data[:header]), fields...))); err != nil {
			return
		}
		q := partials.NewOvertakenPartial()
		for _, err := range []error{q.Add(keys, dates), q.Merge(&p), p.Add(keys, dates), p.Merge(q)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Result(); err != nil {
			t.Fatal(err)
		}
	})
}

// The same orders by one call, and in 16 shards that travel as bytes.
func BenchmarkOrders(b *testing.B) {
	const rows, shards = 1 << 20, 16
	keys, quantities, _, _, _ := lines(rows)
	one := partials.WithWorkers(1)
	run := func(name string, body func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(16 * rows)
			for b.Loop() {
				if err := body(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var result partials.OrdersResult
	run("one call", func() error { return partials.OrdersInto(&result, keys, quantities, one) })
	add := func(p *partials.OrdersPartial, i int) error {
		return p.Add(keys[i*rows/shards:(i+1)*rows/shards], quantities[i*rows/shards:(i+1)*rows/shards], one)
	}
	run("Add", func() error {
		p := partials.NewOrdersPartial()
		for i := range shards {
			if err := add(p, i); err != nil {
				return err
			}
		}
		return nil
	})
	var encoded [shards][]byte
	run("Add and MarshalBinary", func() (err error) {
		for i := range shards {
			p := partials.NewOrdersPartial()
			if err := add(p, i); err != nil {
				return err
			}
			if encoded[i], err = p.MarshalBinary(); err != nil {
				return err
			}
		}
		return nil
	})
	run("UnmarshalBinary, Merge and Result", func() error {
		whole := partials.NewOrdersPartial()
		for _, data := range encoded {
			var p partials.OrdersPartial
			if err := p.UnmarshalBinary(data); err != nil {
				return err
			}
			if err := whole.Merge(&p); err != nil {
				return err
			}
		}
		_, err := whole.Result(one)
		return err
	})
}
