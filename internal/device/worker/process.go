package worker

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/subprocess"
)

// process is a running worker.
type process struct{ *subprocess.Process }

// startLimit is how long a worker may take to say hello.
const startLimit = time.Minute

// start starts the program at path and waits for its hello.
func start(p Program, path string, environment []string) (*process, error) {
	started, err := subprocess.Start(path, []string{"serve"}, environment)
	if err != nil {
		return nil, &StartError{Path: path, Status: err.Error()}
	}
	w := &process{started}
	late := time.AfterFunc(startLimit, w.Kill)
	defer late.Stop()
	var said hello
	if err := readMessage(w.Out, &said); err != nil {
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
	return w, nil
}

// end makes sure that the process has ended and says how; cause is the reason if
// it ended without an error.
func (w *process) end(cause error) (status string) {
	_, err := w.EndSoon()
	if err == nil {
		err = cause
	}
	if err == nil || errors.Is(err, io.EOF) {
		return "it ended without a word"
	}
	return err.Error()
}
