// Package templates holds text that is copied into emitted programs: the
// support files of emitted Go, which are copied whole, and the helper functions
// of the GPU dialects, of which a program gets those that it calls.
//
// A [Helper] is found by its name in the set of a dialect and printed with the
// spelling of that dialect:
//
//	helper, ok := templates.OpenCL().Lookup("count_ones_u64")
//
// The files of this folder are read when a set is first used. A malformed file
// panics; the tests of this package read every file. Signatures have types that are
// internal to this module, whose printers use the helpers; the texts of Go are for
// anyone.
package templates

import _ "embed"

// GoSupport is the support file of emitted Go, in package support.
//
//go:embed internal/gosupport/support.go
var GoSupport []byte

// GoTrace is the file of emitted Go that reports how long each step took.
//
//go:embed internal/gosupport/trace.go
var GoTrace []byte

// GoTexts is the file of emitted Go with the dictionary of text columns.
//
//go:embed internal/gosupport/texts.go
var GoTexts []byte

// GoProperty is the file that tests of emitted Go share.
//
//go:embed internal/gosupport/property.go
var GoProperty []byte

// GoPartial is the file of emitted Go that partials share.
//
//go:embed internal/gosupport/partial.go
var GoPartial []byte

// GoShards is the file that tests of partials share.
//
//go:embed internal/gosupport/shards.go
var GoShards []byte

// GoDevice is the file that tests of forms on a device share.
//
//go:embed internal/gosupport/device.go
var GoDevice []byte
