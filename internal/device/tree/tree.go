// Package tree runs commands that start others, as compilers do, so that all of
// them end with the caller, even where that is killed.
package tree

import (
	"context"
	"os/exec"
	"time"
)

// Run runs a command made with ctx. When ctx ends, all that the command has
// started ends too: asked first, so that it can remove its files, and then
// killed. When this process ends, however it does, they are killed.
func Run(ctx context.Context, command *exec.Cmd) error {
	end := lead(command)
	command.WaitDelay = 3 * time.Second
	err := command.Run()
	end(ctx.Err() != nil && command.Process != nil)
	return err
}
