package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/ring"
	"github.com/kgen-go/kgen/internal/device/subprocess"
	"github.com/kgen-go/kgen/internal/memory"
)

// process is a running worker.
type process struct {
	*subprocess.Process
	*codec
	space *memory.Space // of the ring
	ring  *ring.Conn    // nil for pipes
}

// startLimit is how long a worker may take to say hello.
const startLimit = time.Minute

// start starts the program at path and waits for its hello.
func start(p Program, path string, environment []string) (*process, error) {
	started, err := subprocess.Start(path, []string{"serve"}, environment)
	if err != nil {
		return nil, &StartError{Path: path, Status: err.Error()}
	}
	w := &process{Process: started, codec: newCodec(), space: memory.NewSpace(0)}
	late := time.AfterFunc(startLimit, w.Kill)
	defer late.Stop()
	var said hello
	if err := w.read(w.Out, &said); err != nil {
		status := w.end(err)
		e := &StartError{Path: path, Status: status, Stderr: w.Stderr.String()}
		if strings.Contains(e.Stderr, p.Library) {
			e.Hint = p.Hint
		}
		return nil, e
	}
	if said.Protocol != protocol {
		w.end(nil)
		return nil, &StartError{Path: path, Status: fmt.Sprintf("it speaks version %d of the protocol and this kgen version %d; %s",
			said.Protocol, protocol, p.Install())}
	}
	w.useRing()
	return w, nil
}

// useRing has both processes talk by a ring, if they can share memory.
func (w *process) useRing() {
	shared, err := w.space.New(ring.Size)
	if err != nil {
		return
	}
	path, ok := w.space.Path(shared)
	if !ok || w.write(w.In, &request{Ring: path}) != nil { // it has ended, which the first call finds
		return
	}
	w.ring = ring.New(shared, w.Out, flushed{w.In}, true)
	w.In, w.Out = bufio.NewWriter(w.ring), bufio.NewReaderSize(w.ring, 1<<16)
}

// flushed is a writer that keeps nothing back.
type flushed struct{ *bufio.Writer }

func (f flushed) Write(data []byte) (int, error) {
	n, err := f.Writer.Write(data)
	if err == nil {
		err = f.Flush()
	}
	return n, err
}

// end makes sure that the process has ended and says how; cause is the reason if
// it ended without an error.
func (w *process) end(cause error) (status string) {
	_, err := w.EndSoon()
	w.space.Close()
	if err == nil {
		err = cause
	}
	if err == nil || errors.Is(err, io.EOF) {
		return "it ended without a word"
	}
	return err.Error()
}
