package vector

// SetMachine pretends that the machine has so many bytes of memory.
func SetMachine(bytes int64) (restore func()) {
	before := mostBytes
	mostBytes = func() int64 { return bytes }
	return func() { mostBytes = before }
}
