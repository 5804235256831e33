package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// Messages of which there are thousands a second, a run of a loaded plan and its result, are
// packed: JSON of both takes 20 µs. A packed message begins with a byte that begins no JSON,
// and the length of the rest; fields follow each other, numbers as varints, texts and lists
// behind their lengths.
const packed = 0x01

// maxPacked bounds the length that a reader believes.
const maxPacked = 1 << 28

// pack packs a message, or returns nil for one that is JSON.
func pack(header any) []byte {
	p := &packer{bytes: []byte{packed, 0, 0, 0, 0}}
	switch m := header.(type) {
	case request:
		if m.Run == nil || m.Load != nil || m.Ring != "" || m.Devices {
			return nil
		}
		p.request(&m)
	case response:
		if m.Run == nil || m.Failure != nil || len(m.Run.Steps)+len(m.Run.GaveUp)+len(m.Run.Launches) > 0 {
			return nil
		}
		p.result(m.Run)
	default:
		return nil
	}
	binary.LittleEndian.PutUint32(p.bytes[1:], uint32(len(p.bytes)-5))
	return p.bytes
}

// unpack reads a packed message behind its first byte.
func unpack(in *bufio.Reader, header any) error {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return unexpected(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxPacked {
		return fmt.Errorf("a message of %d bytes", n)
	}
	u := &packer{bytes: make([]byte, n), unpacks: true}
	if _, err := io.ReadFull(in, u.bytes); err != nil {
		return unexpected(err)
	}
	switch m := header.(type) {
	case *request:
		m.Run = &runRequest{}
		u.request(m)
	case *response:
		m.Run = &runResult{}
		u.result(m.Run)
	default:
		return errors.New("a message that nobody expects")
	}
	if u.failed || len(u.bytes) > 0 {
		return errors.New("a damaged message")
	}
	return nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// packer appends the fields that its methods name, or reads them from the front: one list of
// fields says both.
type packer struct {
	bytes   []byte
	unpacks bool
	failed  bool
}

func (p *packer) request(m *request) {
	p.numbers(&m.Free)
	p.numbers(&m.Unload)
	p.number(&m.Limit)
	r := m.Run
	p.number(&r.Program)
	p.columns(&r.Columns)
	p.values(&r.Scalars)
	p.columns(&r.Results)
	p.number(&r.Memory)
	p.number(&r.PartRows)
	p.flag(&r.Trace)
	repeat := int64(r.Repeat)
	p.number(&repeat)
	r.Repeat = int(repeat)
}

func (p *packer) result(r *runResult) {
	p.columns(&r.Columns)
	p.values(&r.Scalars)
	eachOf(p, pairs(r.Depths), func(e *pair[int64]) {
		p.text(&e.name)
		p.number(&e.value)
	}, func(all []pair[int64]) { r.Depths = named(all) })
	p.text(&r.Level)
	p.number(&r.Peak)
	p.numbers(&r.Times)
	for _, part := range []*time.Duration{&r.Parts.Queued, &r.Parts.Waited, &r.Parts.Worker} {
		p.number((*int64)(part))
	}
}

func (p *packer) columns(all *[]column) {
	eachOf(p, *all, func(c *column) {
		p.text(&c.Port)
		p.text((*string)(&c.Kind))
		p.number(&c.Size)
		p.number(&c.Memory)
		p.text(&c.File)
	}, func(got []column) { *all = got })
}

func (p *packer) values(all *map[string]exec.Value) {
	eachOf(p, pairs(*all), func(e *pair[exec.Value]) {
		p.text(&e.name)
		p.text((*string)(&e.value.Kind))
		bits := int64(e.value.Bits)
		p.number(&bits)
		e.value.Bits = uint64(bits)
	}, func(got []pair[exec.Value]) { *all = named(got) })
}

func (p *packer) numbers(all *[]int64) {
	eachOf(p, *all, func(n *int64) { p.number(n) }, func(got []int64) { *all = got })
}

// eachOf passes each element of a list to field. What it has read it gives to set, if that is
// any element.
func eachOf[T any](p *packer, all []T, field func(*T), set func([]T)) {
	n := int64(len(all))
	p.number(&n)
	if !p.unpacks {
		for i := range all {
			field(&all[i])
		}
		return
	}
	if n < 0 || n > int64(len(p.bytes)) { // an element has a byte at least
		p.failed = true
		return
	}
	if n == 0 {
		return
	}
	got := make([]T, n)
	for i := range got {
		field(&got[i])
	}
	set(got)
}

func (p *packer) number(n *int64) {
	if !p.unpacks {
		p.bytes = binary.AppendVarint(p.bytes, *n)
		return
	}
	value, size := binary.Varint(p.bytes)
	if size <= 0 {
		p.failed, p.bytes = true, nil
		return
	}
	*n, p.bytes = value, p.bytes[size:]
}

func (p *packer) flag(b *bool) {
	n := int64(0)
	if *b {
		n = 1
	}
	p.number(&n)
	*b = n != 0
}

func (p *packer) text(s *string) {
	n := int64(len(*s))
	p.number(&n)
	switch {
	case !p.unpacks:
		p.bytes = append(p.bytes, *s...)
	case n < 0 || n > int64(len(p.bytes)):
		p.failed, p.bytes = true, nil
	default:
		*s, p.bytes = string(p.bytes[:n]), p.bytes[n:]
	}
}

// pair is an entry of a map.
type pair[T any] struct {
	name  string
	value T
}

func pairs[T any](m map[string]T) (all []pair[T]) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, pair[T]{name, m[name]})
	}
	return all
}

func named[T any](all []pair[T]) map[string]T {
	m := make(map[string]T, len(all))
	for _, e := range all {
		m[e.name] = e.value
	}
	return m
}
