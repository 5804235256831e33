// Package plan is the host program of a pipeline as data: the buffers to
// allocate, the kernels to launch and over which rows, the values to read back,
// and how to continue with them.
//
// Package fuse writes a [Plan], backends/gocpu turns it into the body of a Go
// function, and internal/device/exec interprets it over a device. The JSON form
// is the syntax of plans; docs/plan.md is its reference. The parts of a plan
// refer to each other by name, so a plan can be read and written by hand:
//
//	p, err := plan.Decode(text)
//	if err != nil {
//		return err // plan:LINE:COLUMN: or the path of the part that is wrong
//	}
//	bytes := p.Footprint(map[string]int64{"n": 1000}, nil).Total()
//
// Sizes are in bytes if a name says so (LocalBytes, Memory) and in elements or
// rows otherwise. An [Expr] is an integer of 64 bits; a value that does not fit
// is an [EvalError]. [Validate] reports everything that is wrong with a plan as
// an [InvalidError].
package plan
