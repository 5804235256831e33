package support

//lint:file-ignore U1000 The tests of a pipeline use some of these.

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"
)

// kgenSharded is a subject that can also be computed in shards.
type kgenSharded interface {
	kgenSubject
	lengths() []int       // of the columns over each domain
	partial() kgenPartial // with the parameters of the call and no rows
	blank() kgenPartial   // without parameters, to decode into
}

// kgenPartial is a partial of some of the rows of a subject's call.
type kgenPartial interface {
	add(rows []kgenRange, options ...Option) error // a range for each domain
	merge(later kgenPartial) error
	result(options ...Option) error // the results become those of the call
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// kgenRange is the rows from lo to hi.
type kgenRange struct{ lo, hi int }

// kgenTestPartial requires that shards combine to the results of the reference
// for all rows, however rows are divided and partials are merged and encoded, and
// that damaged bytes are refused.
func kgenTestPartial(t *testing.T, make func() kgenSubject) {
	t.Run("agrees", func(t *testing.T) { kgenTestSeeds(t, make, kgenCompareShards) })
	t.Run("damaged bytes", func(t *testing.T) { kgenTestDamage(t, make().(kgenSharded)) })
}

// kgenCompareShards computes a call in shards and describes a difference, or
// returns "".
func kgenCompareShards(subject kgenSubject, d *kgenData) string {
	s := subject.(kgenSharded)
	s.draw(d)
	shards := 1 + d.IntN(6)
	if d.IntN(4) == 0 {
		shards = 1 + min(d.rows, 40)
	}
	options := []Option{WithWorkers(1 + d.IntN(3)), {block: 1 + d.IntN(20)}}
	ends := kgenCuts(d, s.lengths(), shards)
	var parts []kgenPartial
	begin := make([]int, len(ends))
	for i := range shards {
		if i == 0 || d.IntN(3) > 0 { // otherwise the rows go to the previous partial
			parts = append(parts, s.partial())
		}
		rows := make([]kgenRange, len(ends))
		for domain, end := range ends {
			rows[domain] = kgenRange{begin[domain], end[i]}
			begin[domain] = end[i]
		}
		p := &parts[len(parts)-1]
		if err := (*p).add(rows, options...); err != nil {
			return fmt.Sprintf("Add of rows %v: %v", rows, err)
		}
		if difference := kgenSend(s, d, p); difference != "" {
			return difference
		}
	}
	for len(parts) > 1 {
		i := d.IntN(len(parts) - 1)
		later, _ := parts[i+1].MarshalBinary()
		if err := parts[i].merge(parts[i+1]); err != nil {
			return fmt.Sprintf("Merge: %v", err)
		}
		if after, _ := parts[i+1].MarshalBinary(); !bytes.Equal(later, after) {
			return "Merge has changed the later partial"
		}
		parts = slices.Delete(parts, i+1, i+2)
		if difference := kgenSend(s, d, &parts[i]); difference != "" {
			return difference
		}
	}
	for _, again := range []string{"", ", called again"} {
		if difference := s.differ(parts[0].result(options...)); difference != "" {
			return fmt.Sprintf("Result of %d shards%s: %s", shards, again, difference)
		}
	}
	data, _ := parts[0].MarshalBinary()
	same, twin := s.blank(), s.blank()
	if err := errors.Join(same.UnmarshalBinary(data), twin.UnmarshalBinary(data), same.merge(same), parts[0].merge(twin)); err != nil {
		return fmt.Sprintf("merged with itself: %v", err)
	}
	itself, _ := same.MarshalBinary()
	if both, _ := parts[0].MarshalBinary(); !bytes.Equal(itself, both) {
		return "merged with itself a partial is another than merged with its twin"
	}
	return ""
}

// kgenCuts divides columns into shards, some of them without rows, and returns
// the end of each shard.
func kgenCuts(d *kgenData, lengths []int, shards int) (ends [][]int) {
	for _, n := range lengths {
		list := make([]int, shards)
		for i := range list {
			list[i] = d.IntN(n + 1)
		}
		slices.Sort(list)
		list[shards-1] = n
		ends = append(ends, list)
	}
	return ends
}

// kgenSend encodes and decodes some of the partials.
func kgenSend(s kgenSharded, d *kgenData, p *kgenPartial) string {
	if d.IntN(2) == 0 {
		return ""
	}
	data, err := (*p).MarshalBinary()
	received := s.blank()
	if err = errors.Join(err, received.UnmarshalBinary(data)); err != nil {
		return fmt.Sprintf("sent as bytes: %v", err)
	}
	if again, _ := received.MarshalBinary(); !bytes.Equal(data, again) {
		return fmt.Sprintf("%d bytes become %d others when they are sent", len(data), len(again))
	}
	*p = received
	return ""
}

// kgenWhole returns arguments of few rows, a partial of all of them, and its bytes.
func kgenWhole(t testing.TB, s kgenSharded) (all []kgenRange, p kgenPartial, data []byte) {
	d := kgenSeeded(3, 20)
	d.careless = false
	s.draw(d)
	for _, n := range s.lengths() {
		all = append(all, kgenRange{0, n})
	}
	p = s.partial()
	if err := p.add(all); err != nil {
		t.Fatal(err)
	}
	data, _ = p.MarshalBinary()
	return all, p, data
}

// kgenTestDamage requires that damaged bytes are an error that leaves a partial
// unchanged.
func kgenTestDamage(t *testing.T, s kgenSharded) {
	_, p, data := kgenWhole(t, s)
	body := data[:len(data)-crc32.Size]
	one := bytes.Clone(data)
	one[len(one)/2] ^= 1
	for name, damaged := range map[string][]byte{
		"nothing": nil, "a text": []byte("hello"), "a bit": one, "cut": data[:len(data)-1], "longer": append(bytes.Clone(data), 0),
		"of another version": kgenSeal(bytes.Replace(body, []byte(" 1 "), []byte(" 2 "), 1)),
		"a byte too few":     kgenSeal(bytes.Clone(body[:len(body)-1])),
		"a byte too many":    kgenSeal(append(bytes.Clone(body), 0)),
	} {
		if p.UnmarshalBinary(damaged) == nil {
			t.Errorf("%s: it is accepted", name)
		}
		if after, _ := p.MarshalBinary(); !bytes.Equal(data, after) {
			t.Errorf("%s: the partial has changed", name)
		}
	}
}

// kgenFuzzPartial lets the fuzzer choose bytes. They are refused, or decode to a
// partial that can be used and encoded again. The test adds the header and the
// checksum, which a fuzzer would hardly find.
func kgenFuzzPartial(f *testing.F, make func() kgenSubject) {
	s := make().(kgenSharded)
	all, _, full := kgenWhole(f, s)
	empty, _ := s.partial().MarshalBinary()
	header := full[:bytes.IndexByte(full, '\n')+1]
	fields := func(data []byte) []byte { return data[len(header) : len(data)-crc32.Size] }
	f.Add(fields(full))
	f.Add(fields(empty))
	f.Add(fields(full)[:len(fields(full))/2])
	f.Add(append(bytes.Clone(fields(full)), 0))
	f.Fuzz(func(t *testing.T, fields []byte) {
		p := s.blank()
		if !bytes.HasPrefix(fields, header) && p.UnmarshalBinary(fields) == nil {
			t.Fatal("bytes without a header are accepted")
		}
		data := kgenSeal(append(bytes.Clone(header), fields...))
		data[len(data)-1]++
		if p.UnmarshalBinary(data) == nil {
			t.Fatal("bytes with a wrong checksum are accepted")
		}
		data[len(data)-1]--
		if p.UnmarshalBinary(data) != nil {
			return
		}
		once, err := p.MarshalBinary()
		if err = errors.Join(err, p.UnmarshalBinary(once)); err != nil {
			t.Fatal("a partial that was received cannot be sent:", err)
		}
		if twice, _ := p.MarshalBinary(); !bytes.Equal(once, twice) {
			t.Fatal("a partial that is sent twice changes")
		}
		q := s.partial()
		if err := q.add(all); err != nil {
			t.Fatal(err)
		}
		if q.merge(p) != nil {
			return // has other parameters, perhaps more bins than fit the memory
		}
		for _, use := range []func() error{
			func() error { return q.result() }, func() error { return p.add(all) }, func() error { return p.merge(q) }, func() error { return p.result() },
		} {
			_ = use() // an error is fine; a panic is not
		}
	})
}
