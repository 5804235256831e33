package tile

import (
	"fmt"
)

// Verify checks a finished kernel: operands are defined before use and visible
// where they are used, each fold matches its monoid, neighbours can be
// recomputed, and inputs are not written.
func Verify(k *Kernel) error {
	if len(k.Domains) == 0 || k.Domains[0].Kind != Base {
		return fmt.Errorf("domain 0 must be the base")
	}
	for i, d := range k.Domains[1:] {
		if d.Kind == Base || d.Parent < 0 || d.Parent > i || d.Guard == 0 {
			return fmt.Errorf("domain %s: a derived domain needs an earlier parent and a guard", d.Name)
		}
		if d.Kind == Close && (d.Open == 0 || d.Position == 0) {
			return fmt.Errorf("domain %s: groups need Open and Position", d.Name)
		}
	}
	epilogue := false
	for i := range k.Ops {
		op := &k.Ops[i]
		if epilogue && !op.Epilogue {
			return fmt.Errorf("%s stands behind the epilogue", k.opString(op))
		}
		epilogue = op.Epilogue
		if err := k.verifyOp(i, op); err != nil {
			return fmt.Errorf("%s: %w", k.opString(op), err)
		}
	}
	return nil
}

func (k *Kernel) verifyOp(index int, op *Op) error {
	for _, arg := range op.Args {
		if arg <= 0 || int(arg) >= len(k.Values) {
			return fmt.Errorf("there is no value %d", arg)
		}
		value := k.Values[arg]
		if value.Op >= index {
			return fmt.Errorf("%s is used before it is defined", k.id(arg))
		}
		if !op.Epilogue && value.Domain == Uniform && k.Ops[value.Op].Kind == Reduce {
			return fmt.Errorf("%s is known only after the rows", k.id(arg))
		}
		if value.Domain != Uniform && op.Kind != Total && !k.visible(value.Domain, op.Domain) {
			return fmt.Errorf("%s belongs to rows of %s, which are not rows of %s", k.id(arg),
				k.Domains[value.Domain].Name, k.domainName(op.Domain))
		}
	}
	for _, result := range op.Res {
		if k.Values[result].Op != index {
			return fmt.Errorf("%s is defined twice", k.id(result))
		}
	}
	switch op.Kind {
	case Load, Store, Update:
		if op.Stream < 0 || op.Stream >= len(k.Streams) {
			return fmt.Errorf("there is no stream %d", op.Stream)
		}
		if k.Streams[op.Stream].Write != (op.Kind != Load) {
			return fmt.Errorf("stream %s is not for that", k.Streams[op.Stream].Name)
		}
	case Shift:
		if !k.Recomputable(op.Args[0]) {
			return fmt.Errorf("%s cannot be had at another row", k.id(op.Args[0]))
		}
	case Head:
		for _, key := range op.Args {
			if !k.Recomputable(key) {
				return fmt.Errorf("%s cannot be had at another row", k.id(key))
			}
		}
	case Scan, ChunkScan, Reduce:
		return k.verifyFold(op)
	}
	return nil
}

func (k *Kernel) verifyFold(op *Op) error {
	if len(op.Args) != len(op.Monoid.Fields) || len(op.Res) != len(op.Monoid.Fields) {
		return fmt.Errorf("a fold of %d fields with %d leaves", len(op.Monoid.Fields), len(op.Args))
	}
	for i, f := range op.Monoid.Fields {
		if got := k.Values[op.Args[i]].Kind; got != f.Kind {
			return fmt.Errorf("leaf %s is %v, field %s is %v", k.id(op.Args[i]), got, f.Name, f.Kind)
		}
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
