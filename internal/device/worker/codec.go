package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// codec packs and unpacks the messages of one end, with memory that it uses again.
type codec struct {
	packs, unpacks packer

	run *runRequest // that all packed requests are read into; nil for a new one each
}

func newCodec() *codec { return &codec{unpacks: packer{unpacks: true, texts: map[string]string{}}} }

// pack packs a message, or returns nil for one that is JSON. The bytes are the codec's, until it
// packs another one.
func (c *codec) pack(header any) []byte {
	p := &c.packs
	p.bytes = append(p.bytes[:0], packed, 0, 0, 0, 0)
	switch m := header.(type) {
	case *request:
		if m.Run == nil || m.Load != nil || m.Ring != "" || m.Devices {
			return nil
		}
		p.request(m)
	case *response:
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

// unpack reads a packed message, of which nothing has been read.
func (c *codec) unpack(in *bufio.Reader, header any) error {
	head, err := in.Peek(5)
	if err != nil {
		return unexpected(err)
	}
	n := int(binary.LittleEndian.Uint32(head[1:]))
	if n > maxPacked {
		return fmt.Errorf("a message of %d bytes", n)
	}
	in.Discard(5)
	u := &c.unpacks
	u.failed = false
	if n <= in.Size() {
		if u.bytes, err = in.Peek(n); err != nil {
			return unexpected(err)
		}
		defer in.Discard(n)
	} else {
		u.bytes = make([]byte, n)
		if _, err := io.ReadFull(in, u.bytes); err != nil {
			return unexpected(err)
		}
	}
	switch m := header.(type) {
	case *request:
		if m.Run = c.run; m.Run == nil {
			m.Run = &runRequest{}
		}
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
	texts   map[string]string // that have been met: most messages have the same
}

// What is kept of texts, at most: so many, each of so many bytes.
const mostTexts, longestText = 1024, 256

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
	entriesOf(p, &r.Depths, func(depth *int64) { p.number(depth) })
	p.text(&r.Level)
	p.number(&r.Peak)
	p.numbers(&r.Times)
	for _, part := range []*time.Duration{&r.Parts.Queued, &r.Parts.Waited, &r.Parts.Worker} {
		p.number((*int64)(part))
	}
}

func (p *packer) columns(all *[]column) {
	eachOf(p, all, func(c *column) {
		p.text(&c.Port)
		p.text((*string)(&c.Kind))
		p.number(&c.Size)
		p.number(&c.Memory)
		p.text(&c.File)
	})
}

func (p *packer) values(all *map[string]exec.Value) {
	entriesOf(p, all, func(v *exec.Value) {
		p.text((*string)(&v.Kind))
		bits := int64(v.Bits)
		p.number(&bits)
		v.Bits = uint64(bits)
	})
}

func (p *packer) numbers(all *[]int64) {
	eachOf(p, all, func(n *int64) { p.number(n) })
}

// entriesOf passes each value of a map to field.
func entriesOf[T any](p *packer, all *map[string]T, field func(*T)) {
	n := int64(len(*all))
	p.number(&n)
	if !p.unpacks {
		for name, value := range *all {
			p.text(&name)
			field(&value)
		}
		return
	}
	clear(*all)
	if n < 0 || n > int64(len(p.bytes)) { // an entry has a byte at least
		p.failed = true
		return
	}
	if n > 0 && *all == nil {
		*all = make(map[string]T, n)
	}
	for range n {
		var name string
		var value T
		p.text(&name)
		field(&value)
		(*all)[name] = value
	}
}

// eachOf passes each element of a list to field.
func eachOf[T any](p *packer, all *[]T, field func(*T)) {
	n := int64(len(*all))
	p.number(&n)
	if p.unpacks {
		*all = (*all)[:0]
		if n < 0 || n > int64(len(p.bytes)) { // an element has a byte at least
			p.failed = true
			return
		}
		*all = slices.Grow(*all, int(n))[:n]
	}
	for i := range *all {
		field(&(*all)[i])
	}
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
		*s, p.bytes = p.known(p.bytes[:n]), p.bytes[n:]
	}
}

// known returns bytes as a text, without a copy if it has been met.
func (p *packer) known(bytes []byte) string {
	text, ok := p.texts[string(bytes)]
	if !ok {
		if len(bytes) > longestText {
			return string(bytes)
		}
		if len(p.texts) == mostTexts {
			clear(p.texts)
		}
		text = string(bytes)
		p.texts[text] = text
	}
	return text
}
