package loop

// The expressions of vectors. All others work on vectors lane by lane.
type (
	// LoadLanes is Memory[Index] and the elements behind it, one a lane.
	LoadLanes struct {
		Memory *Var
		Index  Expr
		Lanes  int
	}

	// Splat has X in each lane.
	Splat struct {
		X     Expr
		Lanes int
	}

	// Compress moves the lanes of X for which Mask holds to the front, in their
	// order. What the others hold afterwards is not specified.
	Compress struct{ X, Mask Expr }

	// CountLanes is how many lanes of Mask hold.
	CountLanes struct{ Mask Expr }

	// AnyLane is whether a lane of Mask holds.
	AnyLane struct{ Mask Expr }
)

// Type returns the type of the lanes.
func (x *LoadLanes) Type() Type { return VectorOf(x.Lanes, x.Memory.T) }

// Type returns the type of the lanes.
func (x *Splat) Type() Type { return VectorOf(x.Lanes, x.X.Type()) }

// Type returns the type of the lanes.
func (x *Compress) Type() Type { return x.X.Type() }

// Type returns the type of counters.
func (x *CountLanes) Type() Type { return Counter }

// Type returns bool.
func (x *AnyLane) Type() Type { return Bool }

// lanes checks an expression of vectors.
func (v *verifier) lanes(x Expr) {
	if v.profile != Cores {
		v.fail("only profile cores has vectors")
	}
	switch x := x.(type) {
	case *LoadLanes:
		v.variable(x.Memory)
		v.expr(x.Index)
		v.index(x.Index)
		if !x.Memory.T.IsMemory() || x.Lanes < 2 {
			v.fail("%s has no %d lanes", x.Memory.Name, x.Lanes)
		}
	case *Splat:
		v.expr(x.X)
		if x.X.Type().Form != Scalar || x.Lanes < 2 {
			v.fail("%d lanes cannot hold %v", x.Lanes, x.X.Type())
		}
	case *Compress:
		v.expr(x.X)
		v.expr(x.Mask)
		if x.X.Type().Form != Vector {
			v.fail("%v has no lanes to compress", x.X.Type())
		}
		v.same("mask", x.Mask, Bool.lanewise(x.X.Type()))
	case *CountLanes:
		v.mask(x.Mask)
	case *AnyLane:
		v.mask(x.Mask)
	}
}

// mask checks a vector of bools.
func (v *verifier) mask(x Expr) {
	v.expr(x)
	if t := x.Type(); t.Form != Vector || t.Elem() != Bool {
		v.fail("%v is no mask", t)
	}
}
