//go:build opencl && !linux

package opencl

// vendorNotes knows nothing here: drivers are not registered by files.
func vendorNotes() (notes []string, folder string) { return nil, "the system's registry" }
