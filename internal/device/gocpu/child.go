package gocpu

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/device/gocpu/harness"
	"github.com/kgen-go/kgen/internal/device/subprocess"
)

// child is a running executable.
type child struct{ *subprocess.Process }

// start starts an executable; environment is added to that of this process.
func start(path string, environment ...string) (*child, error) {
	p, err := subprocess.Start(path, nil, environment)
	if err != nil {
		return nil, fmt.Errorf("starting the built program (KGEN_CACHE can name another folder for it): %w", err)
	}
	return &child{p}, nil
}

// exchange sends a call and waits for its response. Any error ends the child.
func (c *child) exchange(m *message) (harness.Response, [][]byte, error) {
	var response harness.Response
	if err := harness.WriteMessage(c.In, m.request, m.inline...); err != nil {
		return response, nil, err
	}
	if err := harness.ReadMessage(c.Out, &response); err != nil {
		return response, nil, err
	}
	columns, err := m.receive(c.Out, response)
	return response, columns, err
}

// crash makes sure that the child has ended and describes how; cause is what
// went wrong with the exchange.
func (c *child) crash(program string, cause error) *CrashError {
	killed, _ := c.EndSoon()
	status := c.Command.ProcessState.String()
	if killed {
		status = cause.Error()
	}
	return &CrashError{Program: program, Status: status, Stderr: c.Stderr.String()}
}
