package main

// defaultDevice is where pipelines run unless the user says. Without a Go toolchain that is
// deviceWithoutGo, with a note; nothing else replaces a device.
const (
	defaultDevice   = "gocpu"
	defaultBackend  = "gocpu" // whose code runs there
	deviceWithoutGo = "vector"
)
