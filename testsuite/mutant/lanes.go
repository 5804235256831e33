package main

import "golang.org/x/sys/cpu"

// lanes are bugs in functions of vectors.
var lanes = onVectors([]Mutant{
	{Name: "rows that fill no vector are lost", File: "backends/gocpu/vectors.go",
		Old: "results := []loop.Expr{loop.Sub(r.hi, loop.LenOf(g.view[views[0]]))}",
		New: "results := []loop.Expr{r.hi}"},
	{Name: "a vector is stored past the room of its block", File: "backends/gocpu/vectors.go",
		Old: "end := loop.Add(loop.ToCounter(v.place(d)), loop.Int(int64(block)))",
		New: "end := loop.ToCounter(v.place(d))"},
	{Name: "a lane is not folded", File: "backends/gocpu/vectors.go",
		Old: `v.b.For("lane", loop.Int(0), `,
		New: `v.b.For("lane", loop.Int(1), `},
	{Name: "one of several vectors is not folded", File: "backends/gocpu/vectors.go",
		Old: "for _, part := range all[1:] {",
		New: "for _, part := range all[2:] {"},
	{Name: "lanes that are not selected are folded", File: "backends/gocpu/vectors.go",
		Old: "next = &loop.Select{Cond: mask, Then: next, Else: part}",
		New: "_ = mask"},
	{Name: "an inner filter forgets the outer one", File: "backends/gocpu/vectors.go",
		Old: "mask = loop.And(mask, v.value(c, n))",
		New: "mask = v.value(c, n)"},
	{Name: "all vectors of a block are its first", File: "backends/gocpu/vectors.go",
		Old: "return loop.Int(int64(n * v.lanes))",
		New: "return loop.Int(int64(n * 0))"},
	{Name: "rows are skipped for the masks of others", File: "backends/gocpu/vectors.go",
		Old: "for _, mask := range selected[1:] {",
		New: "for _, mask := range selected[2:] {"},
	{Name: "places of selected lanes do not advance", File: "backends/gocpu/vectors.go",
		Old: "v.b.Assign(place, loop.Add(place, loop.To(place.T, &loop.CountLanes{Mask: mask})))",
		New: "v.b.Assign(place, loop.Add(place, loop.To(place.T, loop.Int(1))))"},
	{Name: "bools are 1 in lanes where they are false", File: "backends/gocpu/vectors.go",
		Old: "Then: v.inLanes(v.kind(x), 1), Else: v.inLanes(v.kind(x), 0)}",
		New: "Then: v.inLanes(v.kind(x), 0), Else: v.inLanes(v.kind(x), 1)}"},
	{Name: "a filter that computes with places runs on vectors", File: "backends/gocpu/vectors_fit.go", Tests: "./backends/gocpu -run ^TestVectorLanes$",
		Old: "			return kind != ir.Bool\n		case op.IsMap():",
		New: "			return kind != ir.Bool\n		case op.Cuts():\n			return true\n		case op.IsMap():"},
	{Name: "NaN is lost among the least of lanes", File: "backends/gocpu/print_vector.go",
		Old: `ir.OpLeast: {"Min", true, false}`,
		New: `ir.OpLeast: {"Min", true, true}`},
	{Name: "unsigned lanes are extended by their sign", File: "backends/gocpu/print_vector.go",
		Old: "true: {4: ir.U32, 8: ir.U64}, false: {4: ir.I32, 8: ir.I64}}[from.IsUnsigned()][to.Size()]",
		New: "true: {4: ir.U32, 8: ir.U64}, false: {4: ir.I32, 8: ir.I64}}[to.IsUnsigned()][to.Size()]\n		if from.IsUnsigned() != to.IsUnsigned() && from.Size() < to.Size() {\n			methods = append(methods, fmt.Sprintf(\"As%sx%d\", map[ir.Kind]string{ir.U32: \"Int32\", ir.I32: \"Uint32\"}[from], lanes))\n		}"},
	{Name: "a mask is both of what it needs one of", File: "backends/gocpu/print_vector.go",
		Old: `ir.OpLogicalOr: "|"`,
		New: `ir.OpLogicalOr: "&"`},
	{Name: "lanes take the other choice", File: "backends/gocpu/print_vector.go",
		Old: `return method(x.Then, "Merge", p.typed(x.Else).code, p.mask(x.Cond, t))`,
		New: `return method(x.Else, "Merge", p.typed(x.Then).code, p.mask(x.Cond, t))`},
})

// onVectors are the mutants of a list, which tests of vectors kill, where these run.
func onVectors(list []Mutant) []Mutant {
	if x86 := cpu.X86; !x86.HasAVX512F || !x86.HasAVX512CD || !x86.HasAVX512BW || !x86.HasAVX512DQ || !x86.HasAVX512VL {
		return nil // the tests are skipped
	}
	for i := range list {
		if list[i].Tests == "" {
			list[i].Tests = "./testsuite -run ^TestVectors$"
		}
	}
	return list
}
