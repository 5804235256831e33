package interp

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// ArgumentError reports an input that a pipeline cannot take: columns of the
// wrong number, kind or length, or more rows than the interpreter may make.
type ArgumentError struct {
	Pos         ir.Pos // of the parameter or operator
	Message     string
	TooManyRows bool // the arguments fit, but an operator would make too many rows of them
}

func (e *ArgumentError) Error() string {
	if !e.Pos.IsValid() {
		return e.Message
	}
	return e.Pos.String() + ": " + e.Message
}

func argumentError(pos ir.Pos, format string, args ...any) *ArgumentError {
	return &ArgumentError{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// unknownOp is the message of a panic: the verifier lets no such value through.
func unknownOp(op ir.Op) string { return fmt.Sprintf("interp: operator %d has no meaning here", op) }

type siteKey struct {
	value *ir.Value
	kind  ir.CheckKind
}

// checks records failing rows.
type checks struct {
	sites    map[siteKey]*ir.Site
	failed   *ir.CheckError // the lowest site so far, with its smallest row
	unproven *ir.Value      // a value that failed a check which the verifier had proved away
}

func newChecks(p *ir.Pipeline) checks {
	c := checks{sites: make(map[siteKey]*ir.Site, len(p.Sites))}
	for i := range p.Sites {
		site := &p.Sites[i]
		c.sites[siteKey{site.Value, site.Kind}] = site
	}
	return c
}

// fail records that a row of v failed a check.
func (c *checks) fail(v *ir.Value, kind ir.CheckKind, row int) {
	site := c.sites[siteKey{v, kind}]
	if site == nil {
		c.unproven = v
		return
	}
	if f := c.failed; f != nil && (f.Site.Number < site.Number || f.Site == site && f.Row <= int64(row)) {
		return
	}
	c.failed = &ir.CheckError{Site: site, Row: int64(row)}
}

// err returns the error to report at the end. After a failed check, rows
// continue with values for which a proof need not hold. So an unproven check is
// a mistake of the verifier only if no check failed.
func (c *checks) err() error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.unproven != nil:
		return argumentError(c.unproven.Pos, "internal error: the verifier proved a check of %q away that this input fails", c.unproven.Name)
	}
	return nil
}
