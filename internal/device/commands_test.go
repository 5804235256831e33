package device

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/plan"
)

// mark is an event by hand.
type mark struct {
	done     bool
	err      error
	released bool
	others   bool
}

func (m *mark) State() (bool, error) { return m.done, m.err }
func (m *mark) Alone() bool          { return !m.others }
func (m *mark) Took() time.Duration  { return time.Second }
func (m *mark) Release()             { m.released = true }

func TestCommands(t *testing.T) {
	c := Commands[*mark]{Timed: true}
	first, second := &mark{done: true}, &mark{}
	c.Add("first", false, first)
	c.Add("second", true, second)
	if c.Busy() != "second" || c.Open() != 2 {
		t.Errorf("busy with %q, %d open", c.Busy(), c.Open())
	}
	// Ended ones are forgotten in time, those behind one that has not are not.
	for range openMost {
		c.Add("more", true, &mark{done: true})
	}
	if !first.released || second.released || c.Open() != openMost+1 {
		t.Errorf("%d open", c.Open())
	}
	second.err = errors.New("no luck")
	c.Add("third", false, &mark{err: errors.New("no luck")})
	err := c.Finish()
	var failed *FailedError
	if !errors.As(err, &failed) || !slices.Equal(failed.Kernels, []string{"second"}) {
		t.Errorf("%+v", failed)
	}
	if err == nil || err.Error() != "second failed: no luck" || c.Open() != 0 || !second.released || c.Busy() != "" {
		t.Errorf("%v, %d open", err, c.Open())
	}
	if got := c.Elapsed(); got != (openMost+3)*time.Second || c.Elapsed() != 0 {
		t.Error(got)
	}
}

// A command that no event tells of by itself is named with that doubt, unless it is the last.
func TestUnwatchedCommands(t *testing.T) {
	var c Commands[*mark]
	if c.Unwatched() != "" {
		t.Error(c.Unwatched())
	}
	c.Add("a fill", false, &mark{others: true, done: true})
	c.Add("first", true, &mark{others: true})
	if c.Busy() != "first" || c.Unwatched() != "first" {
		t.Errorf("busy with %q; %q", c.Busy(), c.Unwatched())
	}
	c.Add("second", true, &mark{})
	if c.Busy() != "first, or a command behind it" {
		t.Errorf("busy with %q", c.Busy())
	}
	c.Ended()
	c.Add("third", true, &mark{})
	if c.Unwatched() != "" {
		t.Error(c.Unwatched())
	}
}

func TestConstants(t *testing.T) {
	if got, err := Constants([]plan.Spec{{Name: "A"}, {Name: "_b2"}}, []int64{1, -2}); err != nil || strings.Join(got, " ") != "-DA=1 -D_b2=-2" {
		t.Error(got, err)
	}
	for _, name := range []string{"", "2a", "A B", `A; system("ls")`, "a-b", "größe"} {
		if _, err := Constants([]plan.Spec{{Name: name}}, []int64{1}); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}
