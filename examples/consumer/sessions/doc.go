// Package sessions is functions that kgen generates from sessions.kg, as a tool
// of this module: see the line "tool" of go.mod.
package sessions

//go:generate go tool kgen emit --backend gocpu --tests --package sessions sessions.kg
