//go:build unix

package tree

import (
	"os/exec"
	"syscall"
)

// guard leads the process group of a command. Its standard input is a pipe of
// this process, which the system closes when this process ends: then the guard
// kills its group. (Linux would tell the command alone of the death of its
// parent, and tells it of the death of the thread that started it.) It outlives
// the signals that ask the group to end.
const guard = `trap "" INT TERM HUP; read line; kill -KILL 0`

// lead prepares a command to run in a process group of its own, whose processes
// hear together that they are cancelled. The function that it returns ends the
// guard, or the whole group.
func lead(command *exec.Cmd) (end func(all bool)) {
	leader := exec.Command("/bin/sh", "-c", guard)
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() int { return command.Process.Pid }
	stdin, err := leader.StdinPipe()
	if err == nil {
		err = leader.Start()
	}
	if err == nil { // or the command leads, unguarded: there is no shell
		command.SysProcAttr.Pgid = leader.Process.Pid
		group = func() int { return leader.Process.Pid }
	}
	command.Cancel = func() error { return syscall.Kill(-group(), syscall.SIGINT) }
	return func(all bool) {
		if all {
			syscall.Kill(-group(), syscall.SIGKILL)
		}
		if err == nil {
			leader.Process.Kill()
			leader.Wait() // closes stdin
		} else if stdin != nil {
			stdin.Close()
		}
	}
}
