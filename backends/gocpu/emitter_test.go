package gocpu

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Each kind of operation has the emitters that its traits ask for.
func TestEveryOperationHasAnEmitter(t *testing.T) {
	for _, kind := range tile.Kinds() {
		if kind == tile.EnterParts || kind == tile.Placed || kind == tile.Claim { // of work-groups alone
			continue
		}
		e := emitterOf(kind)
		op := &tile.Op{Kind: kind}
		onlyAfter := kind.Traits().Place == tile.AfterRows
		if (e.value != nil) != op.IsPure() {
			t.Errorf("%v: has the expression of a pure operation: %v; is pure: %v", kind, e.value != nil, op.IsPure())
		}
		if (e.row != nil) != (!op.IsPure() && !onlyAfter) {
			t.Errorf("%v: is written for a row: %v", kind, e.row != nil)
		}
		if onlyAfter && e.after == nil {
			t.Errorf("%v stands after the rows, and is not written there", kind)
		}
		if op.SeesNeighbours() && e.begin == nil {
			t.Errorf("%v sees the row before, which nothing declares", kind)
		}
	}
}

// An operation without a form is refused by name.
func TestUnknownOperationIsRefused(t *testing.T) {
	for _, c := range []struct {
		op   tile.Op
		want string
	}{
		{tile.Op{Kind: 200}, "kernel k: emitted Go has no form of the operation number 200"},
		{tile.Op{Kind: tile.Store, Epilogue: true}, "kernel k: emitted Go has no form of the operation store"},
	} {
		program := &backends.Program{Pipeline: &ir.Pipeline{Name: "p"}, Kernels: []*tile.Kernel{{Name: "k", Ops: []tile.Op{c.op}}}}
		if err := refuse(program); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, which does not say %s", err, c.want)
		}
	}
}
