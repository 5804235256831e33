package oracle

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// differ says how a device's result for p differs from the database's, or
// returns "". Inexact floats may differ by the rounding of two sums of depth
// numbers, relative to the sum; data must be such that nothing cancels, or
// exact.
func differ(p *ir.Pipeline, want answer, got []ir.Column, gotError error, depth int) string {
	var check *ir.CheckError
	var refused *run.ArgumentError
	switch {
	case errors.As(gotError, &check):
		if want.fails {
			return ""
		}
		return fmt.Sprintf("kgen fails: %v; DuckDB has a result", gotError)
	case errors.As(gotError, &refused) && want.fails: // by its limit of rows, which it met before it reported the check
		return ""
	case gotError != nil:
		return gotError.Error()
	case want.fails:
		return "kgen has a result; by DuckDB a check should fail"
	}
	wantTables := table.Results(p, want.columns)
	_, member := table.ResultNames(p)
	for t, gotTable := range table.Results(p, got) {
		var inexact []bool
		for i, at := range member {
			if at == t {
				inexact = append(inexact, p.Inexact(p.Results[i].Value))
			}
		}
		if message := differingRow(wantTables[t], gotTable, inexact, depth, p.Unordered); message != "" {
			return "table " + gotTable.Name + ": " + message
		}
	}
	return ""
}

func differingRow(want, got table.Table, inexact []bool, depth int, unordered bool) string {
	wantRows, gotRows := rowsOf(want), rowsOf(got)
	if unordered {
		slices.SortFunc(wantRows, compareRows)
		slices.SortFunc(gotRows, compareRows)
	}
	for row := range min(len(wantRows), len(gotRows)) {
		for i := range inexact {
			if !same(wantRows[row][i], gotRows[row][i], inexact[i], depth) {
				return fmt.Sprintf("row %d, %s: DuckDB has %s, kgen %s; the whole row is (%s) and (%s)", row, got.Columns[i].Name,
					text(wantRows[row][i]), text(gotRows[row][i]), rowText(wantRows[row]), rowText(gotRows[row]))
			}
		}
	}
	if len(wantRows) != len(gotRows) {
		return fmt.Sprintf("DuckDB has %d rows, kgen %d; those that both have are equal", len(wantRows), len(gotRows))
	}
	return ""
}

// rowsOf returns the rows of t, with one zero and one NaN.
func rowsOf(t table.Table) [][]ir.Scalar {
	rows := make([][]ir.Scalar, t.Rows())
	cells := make([]ir.Scalar, t.Rows()*len(t.Columns))
	for row := range rows {
		rows[row], cells = cells[:len(t.Columns):len(t.Columns)], cells[len(t.Columns):]
		for i, c := range t.Columns {
			v := c.Data.At(row)
			if v.Kind.IsFloat() && v.Float64() == 0 {
				v = ir.Float(v.Kind, 0)
			} else if v.Kind.IsFloat() && math.IsNaN(v.Float64()) {
				v = ir.Float(v.Kind, math.NaN())
			}
			rows[row][i] = v
		}
	}
	return rows
}

// compareRows orders rows somehow: equal rows, and only these, compare as 0.
func compareRows(a, b []ir.Scalar) int {
	return slices.CompareFunc(a, b, func(x, y ir.Scalar) int {
		switch {
		case x.Bits < y.Bits:
			return -1
		case x.Bits > y.Bits:
			return 1
		}
		return 0
	})
}

func same(want, got ir.Scalar, inexact bool, depth int) bool {
	if want == got {
		return true
	}
	if !inexact || !want.Kind.IsFloat() {
		return false
	}
	w, g := want.Float64(), got.Float64()
	epsilon := 0x1p-52
	if want.Kind == ir.F32 {
		epsilon = 0x1p-23
	}
	return math.Abs(w-g) <= 4*epsilon*float64(depth+1)*math.Abs(w)
}

func rowText(row []ir.Scalar) string {
	var cells []string
	for _, v := range row {
		cells = append(cells, text(v))
	}
	return strings.Join(cells, ", ")
}

func text(v ir.Scalar) string { return string(table.AppendScalar(nil, v)) }
