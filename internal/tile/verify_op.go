package tile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// verifyDomain checks what decides about the rows of a domain.
func (k *Kernel) verifyDomain(index int) error {
	d := k.Domains[index]
	if index == 0 {
		if d.Kind != Base {
			return errors.New("domain 0 must be the base")
		}
		return nil
	}
	if d.Kind == Base || d.Parent >= index || d.Guard == 0 {
		return errors.New("a derived domain needs an earlier parent and a guard")
	}
	if d.Kind == Close && (d.Open == 0 || d.Position == 0) {
		return errors.New("segments need Open and Position")
	}
	for _, v := range []ID{d.Guard, d.Open} {
		if v == 0 {
			continue
		}
		value := k.Values[v]
		if value.Kind != ir.Bool {
			return fmt.Errorf("%s decides about rows and is %v, not bool", k.id(v), value.Kind)
		}
		if value.Domain != Uniform && !k.visible(value.Domain, d.Parent) {
			return fmt.Errorf("%s belongs to rows of %s, which are not rows of %s", k.id(v), k.domainName(value.Domain), k.domainName(d.Parent))
		}
	}
	if d.Position != 0 && k.Values[d.Position].Kind != ir.I64 {
		return fmt.Errorf("the position %s is %v, not i64", k.id(d.Position), k.Values[d.Position].Kind)
	}
	if d.Counter == 0 {
		return nil
	}
	return k.verifyCounter(index)
}

// verifyCounter checks that the counter of a domain counts its rows, and that
// these are numbered by it.
func (k *Kernel) verifyCounter(index int) error {
	d := k.Domains[index]
	scan := &k.Ops[k.Values[d.Counter].Op]
	if scan.Kind != Scan || !scan.Exclusive || !scan.Monoid.isSum() {
		return fmt.Errorf("%s does not count the rows before", k.id(d.Counter))
	}
	guard, isIndicator := k.Indicator(scan.Args[0])
	countsGuard := scan.Domain == d.Parent && isIndicator && guard == d.Guard
	countsRows := scan.Domain == index && d.Kind == Compact && k.IsConst(scan.Args[0], 1)
	if !countsGuard && !countsRows {
		return fmt.Errorf("%s counts other rows", k.id(d.Counter))
	}
	if d.Kind == Compact {
		if d.Position != d.Counter {
			return fmt.Errorf("the position %s is not the counter %s", k.idOrNone(d.Position), k.id(d.Counter))
		}
		return nil
	}
	if !k.isMapOf(d.Position, ir.OpSub, d.Counter, 1) {
		return fmt.Errorf("the position %s is not that of the segment before: %s - 1", k.id(d.Position), k.id(d.Counter))
	}
	if !k.isMapOf(d.Open, ir.OpGt, d.Counter, 0) {
		return fmt.Errorf("%s does not say whether a segment has begun: %s > 0", k.id(d.Open), k.id(d.Counter))
	}
	return nil
}

// isMapOf reports whether v is an operator applied to x and a constant.
func (k *Kernel) isMapOf(v ID, operator ir.Op, x ID, constant uint64) bool {
	op := &k.Ops[k.Values[v].Op]
	return op.Kind == Map && op.Operator == operator && op.Args[0] == x && k.IsConst(op.Args[1], constant)
}

// verifyOperands checks that the operands of an operation are known where it runs.
func (k *Kernel) verifyOperands(index int, op *Op) error {
	if op.Epilogue && op.Domain != Uniform {
		return errors.New("the epilogue runs once, not for rows")
	}
	if !op.Epilogue && (op.Kind == Total || op.Kind == ScanTotals || op.Kind == StoreScalar) {
		return fmt.Errorf("%v belongs into the epilogue", op.Kind)
	}
	for _, condition := range k.Conditions(op.Domain) {
		if k.Values[condition].Op >= index {
			return fmt.Errorf("%s, which decides about its rows, is defined later", k.id(condition))
		}
	}
	for _, arg := range op.Args {
		value := k.Values[arg]
		by := &k.Ops[value.Op]
		switch {
		case value.Op >= index:
			return fmt.Errorf("%s is used before it is defined", k.id(arg))
		case value.Domain == Uniform && !op.Epilogue && (by.Kind == Reduce || by.Epilogue):
			return fmt.Errorf("%s is known only after the rows", k.id(arg))
		case value.Domain != Uniform && op.Kind != Total && !k.visible(value.Domain, op.Domain):
			return fmt.Errorf("%s belongs to rows of %s, which are not rows of %s", k.id(arg), k.domainName(value.Domain), k.domainName(op.Domain))
		}
	}
	result := op.Domain
	if op.Kind == Reduce {
		result = Uniform
	}
	for _, v := range op.Res {
		if k.Values[v].Domain != result {
			return fmt.Errorf("the result %s is said to belong to rows of %s", k.id(v), k.domainName(k.Values[v].Domain))
		}
	}
	switch {
	case (op.Kind == Scan || op.Kind == Reduce || op.Kind == Update) && op.Domain == Uniform:
		return errors.New("it needs rows")
	case (op.Kind == Row || op.Kind == Shift || op.Kind == Head || op.Kind == ChunkScan) && op.Domain != 0,
		op.Kind == Load && len(op.Args) == 0 && op.Domain != 0, op.Kind == Store && len(op.Args) == 1 && op.Domain != 0:
		return errors.New("only rows of the base have neighbours, elements and chunks of their own")
	}
	return nil
}

// verifyKinds checks element types, and what else an operation demands of its operands.
func (k *Kernel) verifyKinds(op *Op) error {
	switch op.Kind {
	case Const:
		return k.wantKind(op.Res[0], op.Const.Kind)
	case Length, Row:
		return k.wantKind(op.Res[0], ir.I64)
	case Load:
		return k.verifyAccess(op, op.Res[0], op.Args)
	case Store:
		return k.verifyAccess(op, op.Args[0], op.Args[1:])
	case Update:
		if err := k.wantKind(op.Args[1], op.Monoid.Fields[0].Kind); err != nil {
			return err
		}
		return k.verifyAccess(op, op.Args[1], op.Args[:1])
	case Map:
		return verifyOperator(op.Operator, k.Values[op.Res[0]].Kind, k.kinds(op.Args))
	case Shift:
		return errors.Join(k.verifyNeighbour(op.Args[0]), k.wantKind(op.Args[1], k.Values[op.Args[0]].Kind), k.wantKind(op.Res[0], k.Values[op.Args[0]].Kind))
	case Head:
		for _, key := range op.Args {
			if err := k.verifyNeighbour(key); err != nil {
				return err
			}
		}
		return k.wantKind(op.Res[0], ir.Bool)
	case Scan, ChunkScan, Reduce, ScanTotals:
		return k.verifyFold(op)
	case Total:
		if by := k.Ops[k.Values[op.Args[0]].Op].Kind; by != Scan && by != Reduce {
			return fmt.Errorf("%s is no result of a scan or reduction", k.id(op.Args[0]))
		}
		return k.wantKind(op.Res[0], k.Values[op.Args[0]].Kind)
	case Check:
		if op.Site < 0 {
			return fmt.Errorf("there is no site %d", op.Site)
		}
		return errors.Join(k.wantKind(op.Args[0], ir.Bool), k.wantKind(op.Args[1], ir.I64))
	}
	return nil
}

func (k *Kernel) kinds(values []ID) []ir.Kind {
	list := make([]ir.Kind, len(values))
	for i, v := range values {
		list[i] = k.Values[v].Kind
	}
	return list
}

func (k *Kernel) wantKind(v ID, want ir.Kind) error {
	if got := k.Values[v].Kind; got != want {
		return fmt.Errorf("%s is %v, and must be %v", k.id(v), got, want)
	}
	return nil
}

func (k *Kernel) verifyNeighbour(v ID) error {
	if !k.Recomputable(v) {
		return fmt.Errorf("%s cannot be had at another row", k.id(v))
	}
	return nil
}

// verifyAccess checks that x is an element of the operation's stream, which is
// there for that.
func (k *Kernel) verifyAccess(op *Op, x ID, places []ID) error {
	s := k.Streams[op.Stream]
	if s.Write != (op.Kind != Load) {
		return fmt.Errorf("stream %s is not for that", s.Name)
	}
	for _, place := range places {
		if err := k.wantKind(place, ir.I64); err != nil {
			return err
		}
	}
	return k.wantKind(x, s.Kind)
}

func (k *Kernel) verifyFold(op *Op) error {
	if want := k.segmentOf(op); op.Segment != want {
		return fmt.Errorf("it begins anew at rows of %s, and names %s", k.idOrNone(want), k.idOrNone(op.Segment))
	}
	for i, f := range op.Monoid.Fields {
		if len(op.Args) > 0 && k.Values[op.Args[i]].Kind != f.Kind {
			return fmt.Errorf("leaf %s is %v, field %s is %v", k.id(op.Args[i]), k.Values[op.Args[i]].Kind, f.Name, f.Kind)
		}
		if err := k.wantKind(op.Res[i], f.Kind); err != nil {
			return err
		}
	}
	for i, stream := range slices.Concat(op.Totals, op.Offsets) {
		if s := k.Streams[stream]; !s.Write || s.Kind != op.Monoid.Fields[i%len(op.Monoid.Fields)].Kind {
			return fmt.Errorf("stream %s is not for that", s.Name)
		}
	}
	return nil
}

// verifyOperator checks element types.
func verifyOperator(operator ir.Op, result ir.Kind, operands []ir.Kind) error {
	if k, ok := operator.ResultKind(operands...); !ok || k != result && operator != ir.OpCast {
		return fmt.Errorf("operator %v of %v cannot be %v", operator, operands, result)
	}
	return nil
}

// visible reports whether rows of domain inner are rows of outer, so that they
// have its values.
func (k *Kernel) visible(outer, inner int) bool {
	for inner > outer {
		inner = k.Domains[inner].Parent
	}
	return inner == outer
}

func (k *Kernel) domainName(d int) string {
	if d == Uniform {
		return "the launch"
	}
	return k.Domains[d].Name
}
