//go:build opencl && !linux

package opencl

// vendorNotes has no notes here: drivers are not registered by files.
func vendorNotes() (notes []string, folder string) { return nil, "the system's registry" }
