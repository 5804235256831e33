// Package ir is the operator graph: what a user wrote, typed and verified.
//
// A [Pipeline] is a function from columns and scalars to columns and scalars.
// Its values form a graph in single-assignment form. Structurally equal values
// are one value, so the identity of a domain, a set of rows, is the identity of
// the value that made it.
//
// Source text becomes a graph by [Load], a Go program makes one by a [Builder]:
//
//	b := ir.NewBuilder("adults")
//	age := b.Column("age", "n", ir.I32)
//	adult := age.Ge(18)
//	b.Return(age.At(adult), b.Count(adult).As("count"))
//	p, err := b.Pipeline()
//
// is the same as
//
//	pipelines, errs := ir.Load("adults.kg", []byte(`pipeline adults(age: [n]i32) {
//		adult = age >= 18
//		return age[adult], count: count(adult)
//	}`))
//	if err := errs.Err(); err != nil {
//		return err
//	}
//
// [Annotate] serves programs that help to write a text, such as the language server: it
// goes on where Load gives up. [Words] and [Functions] list what can be written.
//
// Both check types and domains by the same constructors. Errors have a position
// and mostly say what to write instead; neither a text nor a Builder makes the
// package panic. A finished Pipeline is not changed by anyone, so goroutines
// may share it.
//
// Methods of [Op] describe element-wise operators, and [Op.Aggregate] the aggregates;
// [Operators] lists the help of all; methods of [Pipeline] give facts that hold for any
// input.
package ir
