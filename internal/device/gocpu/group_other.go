//go:build !unix

package gocpu

import "os/exec"

// lead leaves the command as it is: cancelling it kills it, and its children
// end by themselves.
func lead(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
