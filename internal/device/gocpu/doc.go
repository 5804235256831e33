// Package gocpu builds emitted Go programs and runs them in a child process.
//
// [Build] compiles any number of emitted packages, together with a small
// harness, into one executable, kept in a cache under a hash of everything
// that went into it. A [Worker] is a child process of that executable that
// answers one call after another; columns cross as raw bytes in memory order,
// small ones inside the message and large ones as memory that both map: the
// child reads parameters and writes results where the caller has them.
//
// The child isolates crashes: a fault, an exhausted memory or a hang of a
// program is an error of one call, never the end of the caller.
package gocpu
