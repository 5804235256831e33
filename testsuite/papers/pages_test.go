package papers_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

func init() {
	publishedPrograms["rollup/machines_pages"] = published{plain: pagesOf, data: coordinates}
	publishedPrograms["rollup/machines_prefiltered"] = published{plain: func(in []ir.Column) []any {
		return rollUp(6, false)(slices.Delete(slices.Clone(in), 7, 19))
	}, data: paged}
	publishedPrograms["rollup/machines_additions"] = published{plain: additions(6), data: withoutValues(cubes(6, generate.Machines))}
	publishedPrograms["rollup/biker_additions"] = published{plain: additions(8), data: withoutValues(cubes(8, generate.Biker))}
}

// cellsOfPage is small, so that small cubes have several pages.
const cellsOfPage = 8

// coordinates are those of cubes, and the size of a page.
func coordinates(t *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
	for _, in := range paged(t, p) {
		list = append(list, append(slices.Clone(in[:6]), in[len(in)-1]))
	}
	return list
}

// paged adds the pages to cubes.
func paged(t *testing.T, p *ir.Pipeline) [][]ir.Column {
	whole := *p
	whole.Params = slices.DeleteFunc(slices.Clone(p.Params), func(x *ir.Value) bool {
		return x.Name == "cells_of_page" || x.Type.Domain != nil && x.Type.Domain.Name == "p"
	})
	shape := generate.Machines
	if len(whole.Params) == 6 { // the index alone
		shape = ""
	}
	list := cubes(6, shape)(t, &whole)
	for i, in := range list {
		size := ir.Column{Kind: ir.I64, Slice: []int64{cellsOfPage}}
		var pages []ir.Column
		for _, bounds := range pagesOf(append(slices.Clone(in[:6]), size)) {
			pages = append(pages, ir.Column{Kind: ir.I32, Slice: bounds})
		}
		list[i] = append(slices.Insert(slices.Clone(in), 7, pages...), size)
	}
	return list
}

// pagesOf returns the least and the greatest coordinate of each page, for each dimension.
func pagesOf(in []ir.Column) (results []any) {
	size := int(slice[int64](in[6])[0])
	for d := range 6 {
		low, high := []int32{}, []int32{}
		for page := range slices.Chunk(slice[int32](in[d]), size) {
			low, high = append(low, slices.Min(page)), append(high, slices.Max(page))
		}
		results = append(results, low, high)
	}
	return results
}

// withoutValues leaves the values and factors of cubes out.
func withoutValues(cubes func(*testing.T, *ir.Pipeline) [][]ir.Column) func(*testing.T, *ir.Pipeline) [][]ir.Column {
	return func(t *testing.T, p *ir.Pipeline) [][]ir.Column {
		k := len(p.Params) - 5
		whole := *p
		whole.Params = slices.Clone(p.Params)
		value := ir.Value{Name: "value", Type: ir.Type{Kind: ir.F64, Domain: p.Params[0].Type.Domain}}
		factor := ir.Value{Name: "factor", Type: ir.Type{Kind: ir.F64, Domain: p.Params[k].Type.Domain}}
		whole.Params = slices.Insert(slices.Insert(whole.Params, k+3, &factor), k, &value)
		list := cubes(t, &whole)
		for i, in := range list {
			list[i] = slices.Delete(slices.Delete(slices.Clone(in), k+4, k+5), k, k+1)
		}
		return list
	}
}

// additions counts the pairs of a fact and a target cell, and the additions of warps that combine those with the target of their
// first pair.
func additions(k int) func(in []ir.Column) []any {
	return func(in []ir.Column) []any {
		dimension, base, ancestor := slice[int32](in[k]), slice[int32](in[k+1]), slice[int32](in[k+2])
		var warp [][]int32
		pairs, added := int64(0), int64(0)
		var visit func(fact, d int, cell []int32)
		visit = func(fact, d int, cell []int32) {
			if d == k {
				if len(warp) == 32 {
					warp = nil
				}
				if warp = append(warp, slices.Clone(cell)); len(warp) == 1 || !slices.Equal(cell, warp[0]) {
					added++
				}
				pairs++
				return
			}
			for i := range dimension {
				if dimension[i] != int32(d) || base[i] != slice[int32](in[d])[fact] {
					continue
				}
				for q, of := range slice[int32](in[k+3]) {
					if of == int32(d) && slice[int32](in[k+4])[q] == ancestor[i] {
						visit(fact, d+1, append(cell, ancestor[i]))
					}
				}
			}
		}
		for fact := range in[0].Len() {
			visit(fact, 0, nil)
		}
		return []any{[]int64{pairs}, []int64{added}}
	}
}
