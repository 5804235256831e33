package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is a running worker.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	in      *bufio.Writer
	out     *bufio.Reader
	stderr  excerpt
}

// startLimit is how long a worker may take to say hello.
const startLimit = time.Minute

// start starts the program at path and waits for its hello.
func start(p Program, path string, environment []string) (*process, error) {
	w := &process{command: exec.Command(path, "serve")}
	w.command.Env = append(os.Environ(), environment...)
	var err error
	if w.stdin, err = w.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := w.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.command.Stderr = &w.stderr
	if err := w.command.Start(); err != nil {
		return nil, &StartError{Path: path, Status: err.Error()}
	}
	w.in, w.out = bufio.NewWriter(w.stdin), bufio.NewReaderSize(stdout, 1<<16)
	late := time.AfterFunc(startLimit, w.kill)
	defer late.Stop()
	var said hello
	if err := readMessage(w.out, &said); err != nil {
		status := w.end(err)
		e := &StartError{Path: path, Status: status, Stderr: w.stderr.String()}
		if strings.Contains(e.Stderr, p.Library) {
			e.Hint = p.Hint
		}
		return nil, e
	}
	if said.Protocol != protocol {
		w.end(nil)
		return nil, &StartError{Path: path, Status: fmt.Sprintf("it speaks version %d of the protocol and this kgen version %d; %s",
			said.Protocol, protocol, p.Install)}
	}
	return w, nil
}

func (w *process) kill() { w.command.Process.Kill() }

// end makes sure that the process has ended and says how; cause is the reason if
// it ended without an error.
func (w *process) end(cause error) (status string) {
	w.stdin.Close()
	giveUp := time.AfterFunc(2*time.Second, w.kill)
	err := w.command.Wait()
	giveUp.Stop()
	if err == nil {
		err = cause
	}
	if err == nil || errors.Is(err, io.EOF) {
		return "it ended without a word"
	}
	return err.Error()
}

// excerpt keeps the start of its input, which has the reason of a crash, and the
// end.
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
