//go:build !linux

package vector

// adviseHuge does nothing: there is no way to ask for huge pages.
func adviseHuge([]byte) {}
