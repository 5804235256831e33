//go:build unix

package gocpu

import (
	"os/exec"
	"syscall"
)

// lead makes the command the head of a process group, whose processes hear
// together that they are cancelled.
func lead(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }
}

// killGroup ends what is left of the group of a command that was started.
func killGroup(command *exec.Cmd) { syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
