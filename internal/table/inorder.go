package table

import (
	"io"
	"runtime"
	"sync"
)

// inOrder calls next for jobs until it returns io.EOF, calls work for each job,
// in parallel on all cores, and calls take for the results in the order of the
// jobs. The first error in that order ends it; stop, which may be nil, must
// then unblock a waiting next. When inOrder returns, nothing runs any more.
func inOrder[Job, Result any](stop func(), next func() (Job, error), work func(Job) Result, take func(Result) error) error {
	type answer struct {
		result Result
		err    error // of next
	}
	queue := make(chan chan answer, runtime.GOMAXPROCS(0))
	quit := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		defer close(queue)
		for {
			job, err := next()
			if err == io.EOF {
				return
			}
			done := make(chan answer, 1)
			if err != nil {
				done <- answer{err: err}
			} else {
				running.Go(func() { done <- answer{result: work(job)} })
			}
			select {
			case queue <- done:
			case <-quit:
				return
			}
			if err != nil {
				return
			}
		}
	})
	var err error
	for done := range queue {
		a := <-done
		if err = a.err; err == nil {
			err = take(a.result)
		}
		if err != nil {
			close(quit)
			if stop != nil {
				stop()
			}
			break
		}
	}
	running.Wait()
	return err
}
