package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/kgen-go/kgen/generated/partials"
)

func init() {
	register.Function2x2(compute)
	register.Function1x0(deliver)
	register.Combiner3[Pieces, Piece, Piece](&combine{})
	beam.RegisterType(reflect.TypeFor[Piece]())
}

// A Piece is the partial of the shards First to End - 1.
type Piece struct {
	First, End int
	Bytes      []byte
}

// Pieces are those that have no neighbour so far.
type Pieces struct{ List []Piece }

// compute is the work of one shard.
func compute(number, shards int) (Piece, error) {
	p, err := shard(number, shards)
	if err != nil {
		return Piece{}, err
	}
	data, err := p.MarshalBinary()
	return Piece{First: number, End: number + 1, Bytes: data}, err
}

// combine joins pieces. Beam hands them over in any order, and partials
// combine with their neighbours only: so pieces wait until these are there.
type combine struct{}

func (*combine) CreateAccumulator() Pieces { return Pieces{} }

func (*combine) AddInput(all Pieces, piece Piece) Pieces {
	all.List = append(all.List, piece)
	return all
}

func (*combine) MergeAccumulators(a, b Pieces) (Pieces, error) {
	list, err := neighbours(append(a.List, b.List...))
	return Pieces{list}, err
}

func (*combine) ExtractOutput(all Pieces) (Piece, error) { return join(all.List) }

// neighbours joins the pieces that follow each other.
func neighbours(list []Piece) ([]Piece, error) {
	slices.SortFunc(list, func(a, b Piece) int { return cmp.Compare(a.First, b.First) })
	var joined []Piece
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].First == list[n-1].End {
			n++
		}
		piece := list[0]
		if n > 1 {
			var whole partials.OrdersPartial
			for _, next := range list[:n] {
				var p partials.OrdersPartial
				if err := p.UnmarshalBinary(next.Bytes); err != nil {
					return nil, err
				}
				if err := whole.Merge(&p); err != nil {
					return nil, err
				}
			}
			data, err := whole.MarshalBinary()
			if err != nil {
				return nil, err
			}
			piece = Piece{First: piece.First, End: list[n-1].End, Bytes: data}
		}
		joined, list = append(joined, piece), list[n:]
	}
	return joined, nil
}

// join requires that the pieces are one in the end.
func join(list []Piece) (Piece, error) {
	joined, err := neighbours(list)
	if err == nil && (len(joined) != 1 || joined[0].First != 0) {
		err = fmt.Errorf("shards are missing: there are %d pieces", len(joined))
	}
	if err != nil {
		return Piece{}, err
	}
	return joined[0], nil
}

func finish(whole Piece) (partials.OrdersResult, error) {
	var p partials.OrdersPartial
	if err := p.UnmarshalBinary(whole.Bytes); err != nil {
		return partials.OrdersResult{}, err
	}
	return p.Result()
}

// delivered is what the pipeline has made.
var delivered atomic.Pointer[Piece]

func deliver(whole Piece) { delivered.Store(&whole) }

// onBeam runs the pipeline.
func onBeam(ctx context.Context, shards int) (result partials.OrdersResult, size int, err error) {
	if !beam.Initialized() {
		beam.Init()
	}
	delivered.Store(nil)
	p, scope := beam.NewPipelineWithRoot()
	numbers := make([]int, shards)
	for i := range numbers {
		numbers[i] = i
	}
	pieces := beam.ParDo(scope, compute, beam.CreateList(scope, numbers), beam.SideInput{Input: beam.Create(scope, shards)})
	beam.ParDo0(scope, deliver, beam.Combine(scope, &combine{}, pieces))
	if _, err := prism.Execute(ctx, p); err != nil {
		return result, 0, err
	}
	whole := delivered.Load()
	if whole == nil || whole.End != shards {
		return result, 0, fmt.Errorf("the pipeline has delivered no partial of all %d shards", shards)
	}
	result, err = finish(*whole)
	return result, len(whole.Bytes), err
}
