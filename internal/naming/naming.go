// Package naming makes names that nothing else has, by numbers.
package naming

import "strconv"

// Taken is the set of names that are taken.
type Taken map[string]bool

// Fresh returns name or, if it is taken, [Free] with a separator, and takes it.
func (s Taken) Fresh(name, separator string) string {
	free := Free(name, separator, func(name string) bool { return s[name] })
	s[free] = true
	return free
}

// Free returns name or, if it is taken, the first name that is not: name, separator
// and a number from 2 on.
func Free(name, separator string, isTaken func(name string) bool) string {
	free := name
	for i := 2; isTaken(free); i++ {
		free = name + separator + strconv.Itoa(i)
	}
	return free
}
