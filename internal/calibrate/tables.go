package calibrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/plan"
)

// tables measures random gathers and atomic operations by the size of the table.
func (c *calibration) tables(ctx context.Context) error {
	n := min(c.rows, tableRows)
	local, global := []int64{1 << 4, 1 << 8, cachedTable}, []int64{1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 23}
	gathered := []int64{1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22, 1 << 24}
	ofTiles := []int64{1 << 4, 1 << 8}
	inLocal, inGlobal := "groups=sort", "groups=sort,table=global" // no rows are partitioned
	if !c.Shaped {                                                 // one way for each size
		inLocal, inGlobal, ofTiles = "", "", nil
	}
	if c.file.Machine.Subgroup <= 1 { // tables of cores lie in caches, whichever memory they are in
		global = slices.DeleteFunc(global, func(m int64) bool { return m <= cachedTable })
	}
	if c.Quick {
		global, gathered = global[:2], gathered[:2]
	}
	made := map[string]plan.Curve{} // known when all are: updates of small tables would be predicted by one of them
	for _, curve := range []struct {
		name  string
		sizes []int64
		probe func(m int64) Probe
	}{
		{plan.CurveGather, gathered, func(m int64) Probe { return gatherProbe(n, m) }},
		{plan.CurveLocal, local, func(m int64) Probe { return updateProbe("counts in local memory or a core's table", inLocal, n, m) }},
		{plan.CurveTile, ofTiles, func(m int64) Probe { return tileProbe(n, m) }},
		{plan.CurveAtomic, global, func(m int64) Probe { return updateProbe("counts in global memory", inGlobal, n, m) }},
	} {
		var points plan.Curve
		for _, m := range curve.sizes {
			seconds, ok, err := c.beyond(ctx, fmt.Sprintf("%s of a table of %d bytes", curve.name, elementBytes*m), curve.probe(m))
			if err != nil {
				return err
			}
			if curve.name == plan.CurveTile { // as in a table that lasts, and more: a difference of long times may be none by chance
				seconds = max(seconds, made[plan.CurveLocal].At(float64(elementBytes*m)))
			}
			if ok {
				points = append(points, plan.CurvePoint{Bytes: elementBytes * m, Seconds: seconds})
			}
		}
		if points != nil {
			made[curve.name] = points
		}
	}
	c.file.Machine.Curves = made
	if c.Shaped && !c.file.Machine.RunsInTurn() {
		return nil
	}
	return c.searches(ctx)
}

// searches measures searches in hash tables, by the size of the table, and what they take more if their kernel
// computes hashes. Rows of the table take a search, too, to be entered. The two times of a size, of which one figure is the
// difference, are taken one right after the other, so that the machine is as busy for both.
func (c *calibration) searches(ctx context.Context) error {
	parts := []struct {
		curve, level string
		entered      int64 // whether rows of the table take it, too
	}{{plan.CurveSearch, "none", 1}, {plan.CurveHashed, "onepass", 0}}
	curves := c.file.Machine.Curves
	n, sizes := int64(searchRows), []int64{1 << 12, 1 << 16, 1 << 20}
	if c.Quick {
		n, sizes = quickRows, sizes[:1]
	}
	made := map[string]plan.Curve{}
	for _, m := range sizes {
		for _, part := range parts {
			curves[part.curve] = plan.Curve{} // is to be predicted by nothing else
		}
		bytes := 2 * elementBytes * m // half of a table is free
		for _, part := range parts {
			seconds, ok, err := c.beyond(ctx, fmt.Sprintf("%s of a table of %d bytes", part.curve, bytes), searchProbe(part.level, n, m))
			if err != nil {
				return err
			}
			if ok {
				point := plan.CurvePoint{Bytes: bytes, Seconds: seconds * float64(n) / float64(n+part.entered*m)}
				made[part.curve], curves[part.curve] = append(made[part.curve], point), plan.Curve{point}
			}
		}
	}
	for _, part := range parts {
		if delete(curves, part.curve); made[part.curve] != nil {
			curves[part.curve] = made[part.curve]
		}
	}
	return nil
}
