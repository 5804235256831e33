//go:build !unix

package tree

import "os/exec"

// lead leaves the command as it is: cancelling it kills it, and its children
// end by themselves.
func lead(*exec.Cmd) (end func(all bool)) { return func(bool) {} }
