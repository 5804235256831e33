package gocpu

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/gocpu/harness"
)

// child is a running process.
type child struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	in      *bufio.Writer
	out     *bufio.Reader
	stderr  excerpt
}

// start starts an executable; environment is added to that of this process.
func start(path string, environment ...string) (*child, error) {
	c := &child{command: exec.Command(path)}
	c.command.Env = append(os.Environ(), environment...)
	var err error
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.command.Stderr = &c.stderr
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the built program (KGEN_CACHE can name another folder for it): %w", err)
	}
	c.in, c.out = bufio.NewWriter(c.stdin), bufio.NewReaderSize(stdout, 1<<16)
	return c, nil
}

// exchange sends a call and waits for its response. Any error ends the child.
func (c *child) exchange(m *message) (harness.Response, [][]byte, error) {
	var response harness.Response
	if err := harness.WriteMessage(c.in, m.request, m.inline...); err != nil {
		return response, nil, err
	}
	if err := harness.ReadMessage(c.out, &response); err != nil {
		return response, nil, err
	}
	columns, err := m.receive(c.out, response)
	return response, columns, err
}

func (c *child) kill() { c.command.Process.Kill() }

// end closes the child's input, on which it exits by itself.
func (c *child) end() error {
	c.stdin.Close()
	return c.command.Wait()
}

// crash makes sure that the child has ended and describes how; cause is what
// went wrong with the exchange.
func (c *child) crash(program string, cause error) *CrashError {
	c.stdin.Close()
	giveUp := time.AfterFunc(2*time.Second, c.kill)
	c.command.Wait()
	status := c.command.ProcessState.String()
	if !giveUp.Stop() { // we killed it
		status = cause.Error()
	}
	return &CrashError{Program: program, Status: status, Stderr: c.stderr.String()}
}

// excerpt keeps the start of its input, in which Go names the reason of a
// crash, and the end.
type excerpt struct {
	mutex sync.Mutex
	start []byte
	end   []byte
	cut   bool
}

const excerptBytes = 4 << 10

func (e *excerpt) Write(p []byte) (int, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	n := min(len(p), excerptBytes-len(e.start))
	e.start = append(e.start, p[:n]...)
	e.end = append(e.end, p[n:]...)
	if surplus := len(e.end) - excerptBytes; surplus > 0 {
		e.end = append(e.end[:0], e.end[surplus:]...)
		e.cut = true
	}
	return len(p), nil
}

func (e *excerpt) String() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	text := string(e.start)
	if e.cut {
		text += "\n...\n"
	}
	return strings.TrimSpace(text + string(e.end))
}
