package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Scratch is a folder for files of one process.
type Scratch struct {
	Path string
	lock *flock.Flock
}

const (
	scratchPrefix = "scratch-"
	scratchLock   = "lock" // in the folder; held while the process lives
)

// Scratch makes an empty folder, and removes those of processes that were
// killed. Without a cache, or in one that this process cannot write, the folder
// is one of the system's temporary ones.
func (c *Cache) Scratch(ctx context.Context) (*Scratch, error) {
	var refused error
	if c != nil {
		s, err := c.scratch(ctx)
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		refused = cannotUse(err)
	}
	path, err := os.MkdirTemp("", "kgen-"+scratchPrefix)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("no folder for temporary files: %w (TMPDIR names the folder that they are in)", err), refused)
	}
	return &Scratch{Path: path}, nil
}

func (c *Cache) scratch(ctx context.Context) (*Scratch, error) {
	all, err := c.lock(ctx, "scratch") // no folder is without its lock while others look
	if err != nil {
		return nil, err
	}
	defer all.Unlock()
	c.removeStale()
	path, err := os.MkdirTemp(c.folder, scratchPrefix)
	if err != nil {
		return nil, err
	}
	s := &Scratch{Path: path, lock: flock.New(filepath.Join(path, scratchLock))}
	if _, err := s.lock.TryLock(); err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	return s, nil
}

// Remove ends the use of the folder.
func (s *Scratch) Remove() {
	if s.lock != nil {
		s.lock.Unlock()
	}
	os.RemoveAll(s.Path)
}

// removeStale removes the folders that no process holds.
func (c *Cache) removeStale() {
	entries, _ := os.ReadDir(c.folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), scratchPrefix) || !e.IsDir() {
			continue
		}
		path := filepath.Join(c.folder, e.Name())
		lock := flock.New(filepath.Join(path, scratchLock))
		if free, err := lock.TryLock(); err == nil && free {
			lock.Unlock()
			os.RemoveAll(path)
		}
	}
}
