package tune

import (
	"fmt"
	"slices"
	"strings"
)

// Axis is a setting and the values that it may take.
type Axis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
	// Ordered says that neighbouring values are alike, as numbers are. All values of
	// another axis are neighbours of each other.
	Ordered bool `json:"ordered,omitempty"`
}

// Space is the set of all combinations of the values of its axes.
type Space struct {
	Axes []Axis `json:"axes"`
}

// Point is a configuration: the index of a value per axis.
type Point []int

// Size returns the number of points.
func (s Space) Size() int {
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// number returns the number of a point among all, from 0.
func (s Space) number(p Point) int {
	n := 0
	for i, a := range s.Axes {
		n = n*len(a.Values) + p[i]
	}
	return n
}

// point returns the point of a number.
func (s Space) point(n int) Point {
	p := make(Point, len(s.Axes))
	for i := len(s.Axes) - 1; i >= 0; i-- {
		size := len(s.Axes[i].Values)
		p[i], n = n%size, n/size
	}
	return p
}

// neighbours lists the points that differ from p along one axis: by one step, or by any
// if its values have no order.
func (s Space) neighbours(p Point) (list []Point) {
	for i, a := range s.Axes {
		for v := range a.Values {
			distance := max(v-p[i], p[i]-v)
			if distance == 0 || a.Ordered && distance > 1 {
				continue
			}
			q := slices.Clone(p)
			q[i] = v
			list = append(list, q)
		}
	}
	return list
}

// Value returns the value that p has on the axis of a key, "" if there is no such axis.
func (s Space) Value(p Point, key string) string {
	for i, a := range s.Axes {
		if a.Key == key {
			return a.Values[p[i]]
		}
	}
	return ""
}

// Nearest returns the point with some values by key. On an axis that has no value among
// them it takes the middle one, or the first if values have no order.
func (s Space) Nearest(values map[string]string) Point {
	p := make(Point, len(s.Axes))
	for i, a := range s.Axes {
		if a.Ordered {
			p[i] = len(a.Values) / 2
		}
		if v := slices.Index(a.Values, values[a.Key]); v >= 0 {
			p[i] = v
		}
	}
	return p
}

// String writes the settings of a point.
func (s Space) String(p Point) string {
	var parts []string
	for i, a := range s.Axes {
		parts = append(parts, a.Key+"="+a.Values[p[i]])
	}
	return strings.Join(parts, ",")
}

// check returns an error unless the space has points and p is one.
func (s Space) check(p Point) error {
	for _, a := range s.Axes {
		if len(a.Values) == 0 {
			return fmt.Errorf("setting %s has no value to try", a.Key)
		}
	}
	if len(p) != len(s.Axes) {
		return fmt.Errorf("a point of %d values in a space of %d settings", len(p), len(s.Axes))
	}
	for i, a := range s.Axes {
		if p[i] < 0 || p[i] >= len(a.Values) {
			return fmt.Errorf("setting %s has no value %d", a.Key, p[i])
		}
	}
	return nil
}
