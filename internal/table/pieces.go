package table

import (
	"io"
	"slices"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Pieces reads the arguments of a pipeline some rows at a time. Files in groups of rows, as
// Parquet is, are read as far as a piece needs; others are read whole, and so are files with
// columns of kind text, whose places are known when all texts are.
type Pieces struct {
	binding *Binding
	source  *Source
	rows    int64 // of a piece, for each domain
	scalars []ir.Column
	streams []*stream
	begun   bool
}

// stream is what is read of a domain.
type stream struct {
	domain *ir.Domain
	groups []int64     // rows of each group of the file; nil if it is read whole
	next   int         // the group that is read next
	places []int       // the parameters over the domain
	loaded []ir.Column // of them
	at, n  int64       // the next row of loaded, and how many there are
	total  int64       // rows of the file
}

// Pieces begins to read, so many rows at a time.
func (b *Binding) Pieces(source *Source, rows int64) (*Pieces, error) {
	p := &Pieces{binding: b, source: source, rows: rows, scalars: make([]ir.Column, len(b.pipeline.Params))}
	whole := slices.ContainsFunc(b.pipeline.Params, func(v *ir.Value) bool { return v.Type.Kind == ir.Text })
	for _, d := range Domains(b.pipeline) {
		s := &stream{domain: d}
		_, s.places = b.fields(d)
		p.streams = append(p.streams, s)
		reader, err := ReaderOf(b.files[d])
		if err != nil {
			return nil, err
		}
		if grouped, ok := reader.(Grouped); ok && !whole {
			if s.groups, err = grouped.Groups(source, b.files[d]); err != nil {
				return nil, source.named(b.files[d], err)
			}
			for _, n := range s.groups {
				s.total += n
			}
			continue
		}
		if !whole {
			fields, _ := b.fields(d)
			if s.loaded, err = b.readFields(source, d, fields); err != nil {
				return nil, err
			}
			s.count()
		}
	}
	if !whole {
		return p, b.readScalars(p.scalars)
	}
	in, err := b.Read(source)
	if err != nil {
		return nil, err
	}
	for _, s := range p.streams {
		for _, i := range s.places {
			s.loaded = append(s.loaded, in[i])
		}
		s.count()
	}
	for i, v := range b.pipeline.Params {
		if v.Type.IsScalar() {
			p.scalars[i] = in[i]
		}
	}
	return p, nil
}

// count notes the rows of what was read whole.
func (s *stream) count() {
	if len(s.loaded) > 0 {
		s.n = int64(s.loaded[0].Len())
		s.total = s.n
	}
}

// Extents returns the extents of all rows.
func (p *Pieces) Extents() []Extent {
	extents := make([]Extent, len(p.scalars))
	for i, v := range p.binding.pipeline.Params {
		if v.Type.IsScalar() {
			extents[i] = Extent{Rows: 1, Scalar: p.scalars[i].At(0)}
		}
	}
	for _, s := range p.streams {
		for _, i := range s.places {
			extents[i].Rows = s.total
		}
	}
	return extents
}

// Next returns a column per parameter, with the next rows of each domain, until the call after
// it. The first piece may have no rows. The error is io.EOF if there are no more.
func (p *Pieces) Next() ([]ir.Column, error) {
	in := slices.Clone(p.scalars)
	var rows int64
	for _, s := range p.streams {
		if err := s.load(p); err != nil {
			return nil, err
		}
		n := min(p.rows, s.n-s.at)
		for i, place := range s.places {
			in[place] = Rows(s.loaded[i], int(s.at), int(s.at+n))
		}
		s.at += n
		rows += n
	}
	if rows == 0 && p.begun {
		return nil, io.EOF
	}
	p.begun = true
	return in, nil
}

// load reads as many groups as a piece takes, at least one, if nothing is left of the last.
func (s *stream) load(p *Pieces) (err error) {
	for s.at == s.n && (s.next < len(s.groups) || s.loaded == nil) {
		for _, c := range s.loaded {
			p.source.Memory.Free(raw.Bytes(c))
		}
		s.loaded, s.at, s.n = nil, 0, 0
		from := s.next
		for s.next < len(s.groups) && (s.next == from || s.n+s.groups[s.next] <= p.rows) {
			s.n += s.groups[s.next]
			s.next++
		}
		part := *p.source
		part.groups = &groupRange{from, s.next}
		fields, _ := p.binding.fields(s.domain)
		if s.loaded, err = p.binding.readFields(&part, s.domain, fields); err != nil {
			return err
		}
	}
	return nil
}
