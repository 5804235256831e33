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
	rows    int64       // of a piece, for each domain in pieces
	same    []ir.Column // per parameter: what all pieces have
	streams []*stream   // of the domains in pieces
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

// Pieces begins to read, so many rows at a time: of all domains, or of one, while the others are
// whole in each piece.
func (b *Binding) Pieces(source *Source, rows int64, over string) (*Pieces, error) {
	p := &Pieces{binding: b, source: source, rows: rows, same: make([]ir.Column, len(b.pipeline.Params))}
	b.all.space = source.Memory
	inPieces := func(d *ir.Domain) bool { return over == "" || d.Name == over }
	texts := slices.ContainsFunc(b.pipeline.Params, func(v *ir.Value) bool {
		return v.Type.Kind == ir.Text && !v.Type.IsScalar() && inPieces(v.Type.Domain)
	})
	for _, d := range Domains(b.pipeline) {
		s := &stream{domain: d}
		var fields []Field
		fields, s.places = b.fields(d)
		if inPieces(d) {
			p.streams = append(p.streams, s)
			reader, err := ReaderOf(b.files[d])
			if err != nil {
				return nil, err
			}
			if grouped, ok := reader.(Grouped); ok && !texts {
				if s.groups, err = grouped.Groups(source, b.files[d]); err != nil {
					return nil, source.named(b.files[d], err)
				}
				continue
			}
		}
		columns, err := b.readFields(source, d, fields)
		if err != nil {
			return nil, err
		}
		for i, place := range s.places {
			p.same[place] = columns[i]
		}
	}
	if err := b.readScalars(p.same); err != nil {
		return nil, err
	}
	b.all.Finish(p.same)
	for _, s := range p.streams {
		if s.groups == nil {
			for _, place := range s.places {
				s.loaded = append(s.loaded, p.same[place])
			}
			s.n = int64(s.loaded[0].Len())
			s.total = s.n
		}
		for _, n := range s.groups {
			s.total += n
		}
	}
	return p, nil
}

// Extents returns the extents of all rows.
func (p *Pieces) Extents() []Extent {
	extents := make([]Extent, len(p.same))
	for i, v := range p.binding.pipeline.Params {
		if v.Type.IsScalar() {
			extents[i] = Extent{Rows: 1, Scalar: p.same[i].At(0)}
		} else if p.same[i].Slice != nil {
			extents[i].Rows = int64(p.same[i].Len())
		}
	}
	for _, s := range p.streams {
		for _, i := range s.places {
			extents[i].Rows = s.total
		}
	}
	return extents
}

// Next returns a column per parameter, with the next rows of each domain in pieces, until the
// call after it. The first piece may have no rows. The error is io.EOF if there are no more.
func (p *Pieces) Next() ([]ir.Column, error) {
	in := slices.Clone(p.same)
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
