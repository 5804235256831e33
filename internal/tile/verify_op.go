package tile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// verifyDomain checks the values that decide about the rows of a domain.
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
	if d.Kind == Close && d.Open == 0 {
		return errors.New("segments need Open")
	}
	for _, v := range []ID{d.Guard, d.Open} {
		if v == 0 {
			continue
		}
		value := k.Values[v]
		if value.Kind != ir.Bool {
			return fmt.Errorf("%s decides about rows and is %v, not bool", k.id(v), value.Kind)
		}
		if value.Domain != Uniform && !k.Inside(d.Parent, value.Domain) {
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
	if !scan.Cuts() || !scan.Exclusive || !scan.Monoid.isSum() {
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

// verifyOperands checks that an operation may stand where it does, that its
// operands are known there, and whose rows its results belong to.
func (k *Kernel) verifyOperands(index int, op *Op) error {
	if err := k.verifyPlacement(op); err != nil {
		return err
	}
	for _, condition := range k.Conditions(op.Domain) {
		if k.Values[condition].Op >= index {
			return fmt.Errorf("%s, which decides about its rows, is defined later", k.id(condition))
		}
	}
	for _, arg := range op.Args {
		if err := k.verifyKnown(index, op, arg); err != nil {
			return err
		}
	}
	result := op.Domain
	if op.IsReduction() {
		result = Uniform
	}
	for _, v := range op.Res {
		if k.Values[v].Domain != result {
			return fmt.Errorf("the result %s is said to belong to rows of %s", k.id(v), k.domainName(k.Values[v].Domain))
		}
	}
	return nil
}

// verifyPlacement checks that the rows of its domain can run the operation.
func (k *Kernel) verifyPlacement(op *Op) error {
	if op.Epilogue && op.Domain != Uniform {
		return errors.New("the epilogue runs once, not for rows")
	}
	place := op.Traits().Place
	if at, ok := op.Touches(); ok && at == 0 {
		place = BaseRows
	}
	switch {
	case op.Counts() && op.Digits < 1:
		return fmt.Errorf("%v has no digits", op.Kind)
	case op.Counts() && len(op.Args) > 2 && k.Values[op.Args[2]].Domain != Uniform:
		return errors.New("how many values a digit has is known before the rows")
	case place == Once && op.Domain != Uniform:
		return fmt.Errorf("%v is known before the rows", op.Kind)
	case place == BaseRows && op.Domain != 0:
		return errors.New("only rows of the base have neighbours, elements and chunks of their own")
	case place == Rows && op.Domain == Uniform:
		return errors.New("it needs rows")
	case place == AfterRows && !op.Epilogue:
		return fmt.Errorf("%v belongs into the epilogue", op.Kind)
	}
	return nil
}

// verifyKnown checks that an operand is known where operation index runs.
func (k *Kernel) verifyKnown(index int, op *Op, arg ID) error {
	value := k.Values[arg]
	by := &k.Ops[value.Op]
	switch {
	case value.Op >= index:
		return fmt.Errorf("%s is used before it is defined", k.id(arg))
	case value.Domain == Uniform && !op.Epilogue && (by.IsReduction() || by.Epilogue):
		return fmt.Errorf("%s is known only after the rows", k.id(arg))
	case value.Domain != Uniform && op.Kind != Total && !k.Inside(op.Domain, value.Domain):
		return fmt.Errorf("%s belongs to rows of %s, which are not rows of %s", k.id(arg), k.domainName(value.Domain), k.domainName(op.Domain))
	}
	return nil
}

// verifyKinds checks element types, and the further demands of an operation on
// its operands.
func (k *Kernel) verifyKinds(op *Op) error {
	t := op.Traits()
	if err := k.verifyStreams(op); err != nil {
		return err
	}
	if err := errors.Join(k.verifyRoles(op, t.Args, op.Args), k.verifyRoles(op, t.Res, op.Res)); err != nil {
		return err
	}
	if t.Folds && op.Segment != k.segmentOf(op) {
		return fmt.Errorf("it begins anew at rows of %s, and names %s", k.idOrNone(k.segmentOf(op)), k.idOrNone(op.Segment))
	}
	switch op.Kind {
	case Const:
		return k.wantKind(op.Res[0], op.Const.Kind)
	case Map:
		return verifyOperator(op.Operator, k.Values[op.Res[0]].Kind, k.kinds(op.Args))
	case Total:
		if by := &k.Ops[k.Values[op.Args[0]].Op]; !by.Cuts() && !by.IsReduction() && by.Kind != Claim {
			return fmt.Errorf("%s is no result of a scan or reduction", k.id(op.Args[0]))
		}
	case Store:
		return k.verifyWord(op)
	case Match:
		if !op.Wide && len(op.Args) > 4 {
			return fmt.Errorf("words of keys and codes have no rest of a key")
		}
	case Source:
		if len(op.Args) > 2 && (len(op.Args) != 4 || len(op.Keys) != 2 || k.Values[op.Args[2]].Domain != Uniform || k.Values[op.Args[3]].Domain != Uniform) {
			return errors.New("what words tell takes two numbers that are known before the rows, and many")
		}
		return errors.Join(k.verifyNeighbour(op.Args[0]), k.verifyNeighbour(op.Args[1]))
	case Placed:
		if source := &k.Ops[k.Values[op.Args[0]].Op]; !source.HasWords() {
			return fmt.Errorf("%s is no source that words tell", k.id(op.Args[0]))
		}
		return k.wantKind(op.Res[0], ir.U32)
	case Partners, Pairs, MatchParts, PartnerParts, GroupParts:
		for _, arg := range op.Args {
			if err := k.verifyNeighbour(arg); err != nil {
				return err
			}
		}
	case Check:
		if op.Site < 0 {
			return fmt.Errorf("there is no site %d", op.Site)
		}
	}
	return nil
}

// verifyWord checks that an element of a row that has several goes to its place.
func (k *Kernel) verifyWord(op *Op) error {
	if op.Width == 0 {
		return nil
	}
	if op.Word < 0 || op.Word >= op.Width || len(op.Args) < 2 {
		return fmt.Errorf("a row has no element %d of %d", op.Word, op.Width)
	}
	place := &k.Ops[k.Values[op.Args[1]].Op]
	if len(place.Args) < 2 || !k.isMapOf(op.Args[1], ir.OpAdd, place.Args[0], uint64(op.Word)) {
		return fmt.Errorf("%s is not behind %d elements of the row", k.id(op.Args[1]), op.Word)
	}
	first := &k.Ops[k.Values[place.Args[0]].Op]
	if len(first.Args) < 2 || !k.isMapOf(place.Args[0], ir.OpMul, first.Args[0], uint64(op.Width)) || !k.isRow(first.Args[0], op.Domain) {
		return fmt.Errorf("%s does not begin the %d elements of the row", k.id(place.Args[0]), op.Width)
	}
	return nil
}

// isRow reports whether v is the number of the row in a domain, or what it becomes where rows move.
func (k *Kernel) isRow(v ID, domain int) bool {
	if domain == 0 {
		op := &k.Ops[k.Values[v].Op]
		return op.Kind == Row || op.Kind == Rank
	}
	return domain > 0 && v == k.Domains[domain].Position
}

// verifyRoles checks that values have the types that their roles ask for.
func (k *Kernel) verifyRoles(op *Op, roles []Role, values []ID) error {
	for i, v := range values {
		role := roles[min(i, len(roles)-1)] // the last one may stand for several
		var err error
		switch role {
		case Flag:
			err = k.wantKind(v, ir.Bool)
		case Number, At, InStream, Most:
			err = k.wantKind(v, ir.I64)
		case OfStream:
			err = k.wantKind(v, k.Streams[op.Stream].Kind)
		case OfFirst:
			err = k.wantKind(v, k.Values[op.Args[0]].Kind)
		case Compared:
			if stored := k.Streams[op.Keys[i-slices.Index(roles, Compared)]].Kind; !isLowOf(k.Values[v].Kind, stored) {
				err = k.wantKind(v, stored)
			}
		case Moved, Keys:
			err = k.verifyNeighbour(v)
		case Fields:
			err = k.verifyField(op, i, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyField checks that v is of the type of a field.
func (k *Kernel) verifyField(op *Op, i int, v ID) error {
	if f := op.Monoid.Fields[i]; k.Values[v].Kind != f.Kind {
		return fmt.Errorf("%s is %v, field %s is %v", k.id(v), k.Values[v].Kind, f.Name, f.Kind)
	}
	return nil
}

// verifyStreams checks that an operation may use its streams as it does.
func (k *Kernel) verifyStreams(op *Op) error {
	if s := op.Stream; op.Traits().hasStream() && k.Streams[s].Write != op.HasEffect() {
		return fmt.Errorf("stream %s is not for that", k.Streams[s].Name)
	}
	if op.Does(Combines) && op.Monoid.Fields[0].Kind != k.Streams[op.Stream].Kind {
		return fmt.Errorf("stream %s is %v, and field %s is %v", k.Streams[op.Stream].Name, k.Streams[op.Stream].Kind, op.Monoid.Fields[0].Name, op.Monoid.Fields[0].Kind)
	}
	for _, stream := range slices.Concat(op.Keys, op.Homes) {
		if k.Streams[stream].Write {
			return fmt.Errorf("stream %s is not for that", k.Streams[stream].Name)
		}
	}
	for _, stream := range op.Homes {
		if !k.Streams[stream].Kind.IsInteger() {
			return fmt.Errorf("stream %s is not for that", k.Streams[stream].Name)
		}
	}
	for _, f := range op.Folds {
		if to := k.Streams[f.To]; !to.Write || to.Kind != f.Monoid.Fields[0].Kind || f.From != OnlyRows && !slices.Contains(op.Keys, f.From) {
			return fmt.Errorf("stream %s is not for that", to.Name)
		}
	}
	for i, stream := range slices.Concat(op.Totals, op.Offsets) {
		if s := k.Streams[stream]; !s.Write || !op.Does(Totals) || s.Kind != op.Monoid.Fields[i%len(op.Monoid.Fields)].Kind {
			return fmt.Errorf("stream %s is not for that", s.Name)
		}
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

// isLowOf reports whether elements of a kind may lie in the low bits of those of another.
func isLowOf(k, of ir.Kind) bool { return k.IsInteger() && of.IsInteger() && k.Size() < of.Size() }

func (k *Kernel) wantKind(v ID, want ir.Kind) error {
	if got := k.Values[v].Kind; got != want {
		return fmt.Errorf("%s is %v, and must be %v", k.id(v), got, want)
	}
	return nil
}

func (k *Kernel) verifyNeighbour(v ID) error {
	if !k.Recomputable(v) {
		return fmt.Errorf("%s cannot be computed for another row", k.id(v))
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

func (k *Kernel) domainName(d int) string {
	if d == Uniform {
		return "the launch"
	}
	return k.Domains[d].Name
}
