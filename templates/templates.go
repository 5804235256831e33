// Package templates holds the text that emitted programs carry along: what a
// printer would otherwise have to spell out in every place. That is the support
// files of emitted Go, whole, and the leaf intrinsics of the GPU dialects, of
// which a program gets those that it uses.
package templates

import _ "embed"

// GoSupport is the support file of emitted Go, in package support.
//
//go:embed internal/gosupport/support.go
var GoSupport []byte

// GoTrace is the file of emitted Go that tells how long each step took.
//
//go:embed internal/gosupport/trace.go
var GoTrace []byte

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
