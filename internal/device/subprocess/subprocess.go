// Package subprocess drives a process by its standard input and output.
package subprocess

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"time"
)

// Process is a running process.
type Process struct {
	Command *exec.Cmd
	In      *bufio.Writer // to its standard input
	Out     *bufio.Reader // from its standard output
	Stderr  Excerpt
	stdin   io.Closer
}

// Start starts a program with arguments. The variables of environment are added to
// those of this process.
func Start(path string, arguments, environment []string) (*Process, error) {
	p := &Process{Command: exec.Command(path, arguments...)}
	p.Command.Env = append(os.Environ(), environment...)
	stdin, err := p.Command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.Command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.Command.Stderr = &p.Stderr
	if err := p.Command.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.In, p.Out = stdin, bufio.NewWriter(stdin), bufio.NewReaderSize(stdout, 1<<16)
	return p, nil
}

// Kill kills the process, for which End still has to wait.
func (p *Process) Kill() { p.Command.Process.Kill() }

// End closes the input, on which the process exits by itself, and waits for that.
func (p *Process) End() error {
	p.stdin.Close()
	return p.Command.Wait()
}

// patience is how long EndSoon waits.
const patience = 2 * time.Second

// EndSoon is End for a process that may not exit by itself: after two seconds it is
// killed.
func (p *Process) EndSoon() (killed bool, err error) {
	giveUp := time.AfterFunc(patience, p.Kill)
	err = p.End()
	return !giveUp.Stop(), err
}
