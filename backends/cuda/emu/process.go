package emu

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// process is the child process that emulates. It handles one request after the
// other: a line of words, followed by bytes in some cases. Its source is
// runtime/main.cc.
type process struct {
	command *exec.Cmd
	in      *bufio.Writer
	stdin   io.Closer
	out     *bufio.Reader
	stderr  bytes.Buffer
	once    sync.Once
	ended   error // why there are no more replies
}

// start writes the program binary to folder and starts it.
func start(folder string, binary []byte, memory int64) (*process, error) {
	path := filepath.Join(folder, "cudaemu")
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, binary, 0o700); err != nil {
			return nil, err
		}
	}
	p, err := launch(folder, path)
	for wait := time.Millisecond; errors.Is(err, syscall.ETXTBSY) && wait < time.Second; wait *= 2 {
		time.Sleep(wait) // another child of ours still has the file open for writing
		p, err = launch(folder, path)
	}
	if err != nil {
		return nil, fmt.Errorf("the CUDA emulation does not start: %w", err)
	}
	if _, err := p.ask(nil, "limit %d", memory); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

func launch(folder, path string) (*process, error) {
	p := &process{command: exec.Command(path)}
	p.command.Dir = folder
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.command.Stderr = &p.stderr
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.in, p.out = stdin, bufio.NewWriterSize(stdin, 1<<16), bufio.NewReaderSize(stdout, 1<<16)
	return p, nil
}

// end ends the process and waits for its end.
func (p *process) end() (status error) {
	p.once.Do(func() {
		p.stdin.Close()
		stop := time.AfterFunc(time.Second, func() { p.command.Process.Kill() })
		defer stop.Stop()
		io.Copy(io.Discard, p.out)
		status = p.command.Wait()
	})
	if p.ended == nil {
		p.ended = errors.New("the CUDA emulation has ended")
	}
	return status
}

// broken ends the process after an error of the connection.
func (p *process) broken(err error) error {
	if p.ended == nil {
		if status := p.end(); status != nil {
			err = status
		}
		p.ended = &worker.CrashError{Program: "the CUDA emulation", Status: err.Error(), Stderr: strings.TrimSpace(p.stderr.String())}
	}
	return p.ended
}

// ask sends a request and returns the words of the reply after the first one.
func (p *process) ask(data []byte, format string, args ...any) (answer string, err error) {
	if err := p.send(data, format, args...); err != nil {
		return "", err
	}
	return p.receive()
}

func (p *process) send(data []byte, format string, args ...any) error {
	if p.ended != nil {
		return p.ended
	}
	fmt.Fprintf(p.in, format+"\n", args...)
	p.in.Write(data)
	if err := p.in.Flush(); err != nil { // bufio keeps the first error
		return p.broken(err)
	}
	return nil
}

// errFull is the error of a refused allocation.
var errFull = &planexec.FullError{Reason: "the emulated device has no more memory"}

// endedWord begins the last reply of a process that ends.
const endedWord = "ended "

func (p *process) receive() (answer string, err error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.broken(err)
	}
	line = strings.TrimSuffix(line, "\n")
	if rest, ok := strings.CutPrefix(line, "ok"); ok {
		return strings.TrimPrefix(rest, " "), nil
	}
	if rest, ok := strings.CutPrefix(line, "refused "); ok {
		return "", errors.New(rest)
	}
	switch {
	case line == "full":
		return "", errFull
	case strings.HasPrefix(line, endedWord):
		return line, nil
	}
	return "", p.broken(fmt.Errorf("an answer that is none: %q", line))
}

// bytes receives the bytes that follow a reply.
func (p *process) bytes(to []byte) error {
	if _, err := io.ReadFull(p.out, to); err != nil {
		return p.broken(err)
	}
	return nil
}

// launch sends a launch and returns its reports. At the time limit, the process
// reports where it was and ends; if ctx ends, the process is killed.
func (p *process) launch(ctx context.Context, limit time.Duration, request string) (reports string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := p.send(nil, "%s", request); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { p.command.Process.Kill() })
	defer stop()
	done := make(chan struct{})
	defer close(done)
	go p.watch(limit, done)
	answer, err := p.receive()
	if ctx.Err() != nil {
		p.broken(ctx.Err())
		return "", ctx.Err()
	}
	if err != nil {
		return "", err
	}
	size, ended := strings.CutPrefix(answer, endedWord)
	var n int
	if _, err := fmt.Sscan(size, &n); err != nil {
		return "", p.broken(fmt.Errorf("an answer that is none: %q", answer))
	}
	text := make([]byte, n)
	if err := p.bytes(text); err != nil {
		return "", err
	}
	if ended {
		p.end()
	}
	return string(text), nil
}

// watch signals a launch to end after the limit, and then kills it.
func (p *process) watch(limit time.Duration, done <-chan struct{}) {
	for _, step := range []struct {
		wait time.Duration
		then func()
	}{
		{limit, func() { p.command.Process.Signal(syscall.SIGTERM) }},
		{5 * time.Second, func() { p.command.Process.Kill() }},
	} {
		timer := time.NewTimer(step.wait)
		select {
		case <-done:
			timer.Stop()
			return
		case <-timer.C:
			step.then()
		}
	}
}
