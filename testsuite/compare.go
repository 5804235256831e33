package testsuite

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
)

// Expectation is the result that every device must give for an input, and how
// close it must be.
type Expectation struct {
	Pipeline *ir.Pipeline
	Results  []ir.Column    // of the interpreter; nil if a check fails
	Check    *ir.CheckError // that fails, or nil
	Loose    string         // why devices need not agree on this input at all; "" if they must

	near []nearness // of each result
}

// ErrTooManyRows is in the error of a device that refuses to make so many rows. Where a check
// fails, too, a device may say either.
var ErrTooManyRows = errors.New("too many rows")

// Expect interprets p over in. It fails if the interpreter refuses the input,
// for example because a result would have too many rows.
func Expect(p *ir.Pipeline, in []ir.Column, options ...interp.Option) (*Expectation, error) {
	e := &Expectation{Pipeline: p}
	s := newSums(p)
	columns, err := interp.Run(s.observed(), in, options...)
	switch {
	case errors.As(err, &e.Check):
		if s.mayDecideCheck() {
			e.Loose = "a check depends on a float sum"
		}
		return e, nil
	case err != nil:
		return nil, err
	}
	e.Results = columns[:len(p.Results)]
	s.measure(columns)
	e.near, e.Loose = s.results(e.Results)
	return e, nil
}

// Uncompared counts the results whose rounding the language leaves open for
// this input, so that no device can be wrong about them.
func (e *Expectation) Uncompared() (results int) {
	for _, n := range e.near {
		if n.how == loose {
			results++
		}
	}
	return results
}

// Differ says how the results of a device differ, or returns "". All values
// must be equal, all NaNs being one value, except float sums (see [sums]). Rows
// of a pipeline that returns unordered are compared as sets.
func (e *Expectation) Differ(got []ir.Column, err error) string {
	if e.Loose != "" {
		return ""
	}
	var check *ir.CheckError
	switch failed := errors.As(err, &check); {
	case failed && e.Check != nil:
		if check.Site.Number != e.Check.Site.Number || check.Row != e.Check.Row {
			return fmt.Sprintf("fails %s, want %s", checkText(check), checkText(e.Check))
		}
		return ""
	case failed:
		return fmt.Sprintf("fails %s, want results", checkText(check))
	case errors.Is(err, ErrTooManyRows) && e.Check != nil:
		return ""
	case err != nil:
		return err.Error()
	case e.Check != nil:
		return fmt.Sprintf("gives results, want a failure: %s", checkText(e.Check))
	case len(got) != len(e.Results):
		return fmt.Sprintf("%d results, want %d", len(got), len(e.Results))
	}
	for i, r := range e.Pipeline.Results {
		if n := e.near[i]; n.how != loose && e.Results[i].Len() != got[i].Len() {
			return fmt.Sprintf("%s has %d rows, want %d", r.Label, got[i].Len(), e.Results[i].Len())
		}
	}
	wantOrder, gotOrder := e.order(e.Results), e.order(got)
	for i, r := range e.Pipeline.Results {
		if e.near[i].how == loose {
			continue
		}
		d := r.Value.Type.Domain
		for row := range e.Results[i].Len() {
			wantRow, gotRow := rowOf(wantOrder[d], row), rowOf(gotOrder[d], row)
			if w, g := e.Results[i].At(wantRow), got[i].At(gotRow); !e.near[i].accepts(w, g, wantRow) {
				return fmt.Sprintf("%s[%d] is %s, want %s", r.Label, row, elementText(g), elementText(w))
			}
		}
	}
	return ""
}

// order returns, for each domain whose rows may come in any order, the order in
// which they ascend: by the exact columns, then by the others.
func (e *Expectation) order(columns []ir.Column) map[*ir.Domain][]int {
	orders := map[*ir.Domain][]int{}
	if !e.Pipeline.Unordered {
		return orders
	}
	for _, r := range e.Pipeline.Results {
		d := r.Value.Type.Domain
		if d == nil || orders[d] != nil {
			continue
		}
		var exactly, nearly []ir.Column
		for i, other := range e.Pipeline.Results {
			switch {
			case other.Value.Type.Domain != d || e.near[i].how == loose:
			case e.near[i].how == exact:
				exactly = append(exactly, columns[i])
			default:
				nearly = append(nearly, columns[i])
			}
		}
		keys := append(exactly, nearly...)
		if len(keys) == 0 {
			continue
		}
		rows := make([]int, keys[0].Len())
		for i := range rows {
			rows[i] = i
		}
		slices.SortStableFunc(rows, func(a, b int) int {
			for _, c := range keys {
				if order := compareScalars(c.At(a), c.At(b)); order != 0 {
					return order
				}
			}
			return 0
		})
		orders[d] = rows
	}
	return orders
}

// rowOf returns the row at a position of an order; nil is the order of the
// rows.
func rowOf(order []int, place int) int {
	if order == nil {
		return place
	}
	return order[place]
}

// compareScalars orders values of one kind; all NaNs are one.
func compareScalars(a, b ir.Scalar) int {
	if a.Kind.IsFloat() {
		return cmp.Or(cmp.Compare(a.Float64(), b.Float64()), cmp.Compare(signOf(a), signOf(b)))
	}
	return cmp.Compare(a.Bits, b.Bits)
}

// signOf distinguishes the zeros.
func signOf(a ir.Scalar) int {
	if f := a.Float64(); f == 0 && !math.Signbit(f) {
		return 1
	}
	return 0
}

func checkText(e *ir.CheckError) string {
	return fmt.Sprintf("check %d at row %d (%s)", e.Site.Number, e.Row, e.Site.Message)
}

func elementText(s ir.Scalar) string {
	switch {
	case s.Kind.IsFloat():
		return fmt.Sprint(s.Float64())
	case s.Kind == ir.Char8:
		b := s.Bytes()
		return fmt.Sprintf("%q", strings.TrimRight(string(b[:]), "\x00"))
	case s.Kind == ir.U64:
		return fmt.Sprint(s.Bits)
	}
	return fmt.Sprint(s.Int64())
}
