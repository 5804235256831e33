package simt

// A strategy runs the phases of a tile around its cuts. A kernel has one; a scheme
// may have a better one for its main launch.
type strategy interface {
	// run writes the phases of a tile whose columns have been loaded.
	run(s *launches, e *rowBody)
	retention
}

// A retention is what work-items keep while the phases of a tile run.
type retention interface {
	// keepsColumns reports whether columns stay in local memory when work-items
	// have taken them.
	keepsColumns(e *function) bool
	// keepsValues reports whether values that are alive across a cut are kept.
	keepsValues() bool
}

// inOrder runs a phase, makes its cut, and runs the next.
type inOrder struct{}

func (inOrder) run(s *launches, e *rowBody) {
	s.runPhases(e)
	e.pack()
	e.loopRows(e.until)
	e.awaitScattered()
	e.deliver()
}

func (inOrder) keepsColumns(*function) bool { return false }

func (inOrder) keepsValues() bool { return true }
