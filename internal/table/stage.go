package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Stage collects files under temporary names, so that all of them appear at
// once and complete, or none: a failure or a cancellation leaves the old files.
type Stage struct {
	ctx     context.Context
	stdout  io.Writer
	files   []*staged
	folders []string // created for files
}

// staged is a file of a stage.
type staged struct {
	*os.File
	ctx       context.Context
	user      string // its name for the user
	path      string // its name once committed; "" if it is written in place
	lock      *flock.Flock
	committed bool
}

// NewStage returns an empty stage. A file named Standard goes to stdout.
func NewStage(ctx context.Context, stdout io.Writer) *Stage { return &Stage{ctx: ctx, stdout: stdout} }

// stagePrefix returns how the temporary files of path begin. File systems give
// names 255 bytes or characters.
func stagePrefix(path string) string {
	folder, name := filepath.Split(path)
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return filepath.Join(folder, "."+name+".kgen-")
}

// Create begins a file. Links are followed; a file that is not regular, such as
// a device or a pipe, is written in place.
func (s *Stage) Create(path string) (io.Writer, error) {
	if path == Standard {
		return Interruptible(s.ctx, s.stdout), nil
	}
	target := resolve(path)
	for _, f := range s.files {
		if f.path == target {
			return nil, fmt.Errorf("writing %s: another result goes to the same file", path)
		}
	}
	mode := os.FileMode(0o666)
	if info, err := os.Stat(target); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("writing %s: this is a folder", path)
		}
		// Do not replace a file that may not be written.
		f, err := await(s.ctx, func() (*os.File, error) { return os.OpenFile(target, os.O_WRONLY, 0) })
		if err != nil {
			return nil, writing(path, err)
		}
		if !info.Mode().IsRegular() {
			s.files = append(s.files, &staged{File: f, ctx: s.ctx, user: path})
			return Interruptible(s.ctx, s.files[len(s.files)-1]), nil
		}
		f.Close()
		mode = info.Mode().Perm()
	}
	removeStale(target)
	file, err := createTemporary(target, mode)
	if err != nil {
		return nil, fmt.Errorf("writing %s: no new file in its folder: %w", path, errors.Unwrap(err))
	}
	file.ctx, file.user = s.ctx, path
	s.files = append(s.files, file)
	return file, nil
}

// createFolder makes a folder for files, unless it is there.
func (s *Stage) createFolder(path string) error {
	path = filepath.Clean(path)
	err := os.Mkdir(path, 0o777)
	if err == nil {
		s.folders = append(s.folders, path)
		return nil
	}
	info, statErr := os.Stat(path)
	switch {
	case statErr != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file, not a folder", path)
	}
	return nil
}

// resolve returns the one name of a file, which need not be there yet.
func resolve(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// writing returns an error of the system with the name that the user knows.
func writing(path string, err error) error {
	if reason := errors.Unwrap(err); reason != nil {
		err = reason
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// createTemporary creates the file that will become path, and locks it, which
// shows other processes that it is still being written.
func createTemporary(path string, mode os.FileMode) (*staged, error) {
	for {
		name := fmt.Sprintf("%s%08x", stagePrefix(path), rand.Uint32())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		file := &staged{File: f, path: path}
		if !locksFiles {
			return file, nil
		}
		file.lock = flock.New(name)
		free, err := file.lock.TryLock()
		if err != nil { // some file systems have no locks
			return file, nil
		}
		if mine, err := f.Stat(); free && err == nil {
			if there, err := os.Stat(name); err == nil && os.SameFile(mine, there) {
				return file, nil
			}
		}
		// Another process took it for stale before it was locked.
		os.Remove(name)
		file.close()
	}
}

// locksFiles: Windows would not let a locked file be renamed.
const locksFiles = runtime.GOOS != "windows"

// removeStale removes the temporary files of path that killed processes left
// behind: no process holds a lock on them.
func removeStale(path string) {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filepath.Base(stagePrefix(path))) || !e.Type().IsRegular() {
			continue
		}
		if !locksFiles {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
				os.Remove(filepath.Join(folder, e.Name()))
			}
			continue
		}
		lock := flock.New(filepath.Join(folder, e.Name()))
		if free, err := lock.TryLock(); err == nil && free {
			os.Remove(lock.Path())
			lock.Unlock()
		}
	}
}

// Write implements io.Writer.
func (f *staged) Write(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	if err != nil {
		err = writing(f.user, err)
	}
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *staged) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.File.WriteAt(p, offset)
	if err != nil {
		err = writing(f.user, err)
	}
	return n, err
}

// Commit gives all files their names. Without it, Abort removes them.
func (s *Stage) Commit() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	for _, f := range s.files {
		if err := f.File.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			return writing(f.user, err)
		}
	}
	for _, f := range s.files {
		if f.path == "" {
			continue
		}
		if err := os.Rename(f.Name(), f.path); err != nil {
			return writing(f.user, err)
		}
		f.committed = true
		f.close()
	}
	s.folders = nil
	return nil
}

// Abort removes uncommitted files. It does nothing after Commit.
func (s *Stage) Abort() {
	for _, f := range s.files {
		if f.path != "" && !f.committed {
			os.Remove(f.Name())
		}
		f.close()
	}
	for _, folder := range s.folders {
		os.Remove(folder) // fails if the folder is no longer empty
	}
}

func (f *staged) close() {
	f.File.Close()
	if f.lock != nil {
		f.lock.Close()
	}
}
