package exec

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// env evaluates expressions; rows is nil outside a launch.
type env struct {
	*run
	rows *int64
}

func (e *env) Scalar(name string) (int64, error) { return toInt64(e.scalars[name]) }

func (e *env) Len(domain string) (int64, error) {
	if length, ok := e.lengths[domain]; ok {
		return length, nil
	}
	length, err := e.domains[domain].Len.Eval(e)
	if err == nil && length < 0 {
		err = fmt.Errorf("the domain %q has a length of %d", domain, length)
	}
	return length, err
}

func (e *env) Property(name string) (int64, error) {
	value, ok := e.machine.Property(name)
	if !ok {
		return 0, fmt.Errorf("a machine has no property %q", name)
	}
	return value, nil
}

func (e *env) Resident(kernel string) (int64, error) {
	variant, err := e.variant(kernel)
	if err != nil {
		return 0, err
	}
	groups, err := e.device.Resident(e.ctx, e.kernels[kernel], variant)
	if err != nil {
		return 0, fmt.Errorf("resident(%s): %w", kernel, err)
	}
	return groups, nil
}

func (e *env) Rows() (int64, error) {
	if e.rows == nil {
		return 0, errors.New("rows stands outside a launch")
	}
	return *e.rows, nil
}

func (r *run) eval(e plan.Expr, rows *int64) (int64, error) {
	if rows == nil {
		return e.Eval(&r.outside)
	}
	r.launched.rows = rows
	return e.Eval(&r.launched)
}

// evalOr returns otherwise if there is no expression.
func (r *run) evalOr(e plan.Expr, otherwise int64, rows *int64) (int64, error) {
	if e.IsZero() {
		return otherwise, nil
	}
	return r.eval(e, rows)
}

// holds evaluates a condition.
func (r *run) holds(e plan.Expr) (bool, error) {
	v, err := r.eval(e, nil)
	return v != 0, err
}
