// Package cache keeps what drivers build and what probes find in the user's
// cache folder. Any number of processes may use it at once: an entry appears
// whole or not at all, only one process makes it, and a damaged one is made anew.
package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// keepUnused is how long an entry stays that nobody asks for.
const keepUnused = 30 * 24 * time.Hour

// Cache is a folder of entries. A nil *Cache holds nothing.
type Cache struct {
	folder string
	limit  int64 // bytes, of this cache and those beside it

	cleaned atomic.Bool  // by this process
	added   atomic.Int64 // bytes since then
}

// Open returns the cache of that name in the folder KGEN_CACHE, else in the
// folder kgen of the user's cache.
func Open(name string) (*Cache, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	limit, err := Limit()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(root, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, cannotUse(err)
	}
	return &Cache{folder: folder, limit: limit}, nil
}

// cannotUse says what the user can do where the system fails the cache.
func cannotUse(err error) error {
	return fmt.Errorf("no folder for built programs: %w (KGEN_CACHE can name another)", err)
}

// lock waits for the lock of that name.
func (c *Cache) lock(ctx context.Context, name string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(c.folder, "lock-"+name))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("locking %s: %w", lock.Path(), err)
	}
	return lock, nil
}

// Key names an entry by everything that it depends on.
func Key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// Do gives the entry of key to use. Where there is none, or it is damaged, or
// use refuses it, it calls make and keeps what that returns; use is not called
// for it. An entry that cannot be kept is no error. make must not use the cache:
// its entry may have the same lock.
func (c *Cache) Do(ctx context.Context, key string, use func([]byte) error, make func() ([]byte, error)) error {
	if c == nil {
		_, err := make()
		return err
	}
	if c.used(key, use) {
		return nil
	}
	// A few locks rather than one: a driver that hangs on one entry shall not
	// keep all others waiting.
	lock, err := c.lock(ctx, key[:1])
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if c.used(key, use) { // made while this process waited
		return nil
	}
	data, err := make()
	if err != nil {
		return err
	}
	c.tidy(key[:1])
	c.write(key, data)
	c.trim(int64(len(data) + sha256.Size))
	return nil
}

// trim keeps the limit where so many bytes were added. A list of all entries takes longer than
// small ones are worth, so a process makes one per 64th of the limit.
func (c *Cache) trim(added int64) {
	if c.added.Add(added) < c.limit/64 && c.cleaned.Load() {
		return
	}
	c.cleaned.Store(true)
	c.added.Store(0)
	Trim(filepath.Dir(c.folder), c.limit) // not worth failing for
}

// Has reports whether there is an entry of key. Whether it is whole, Do finds.
func (c *Cache) Has(key string) bool {
	if c == nil {
		return false
	}
	_, err := os.Stat(c.path(key))
	return err == nil
}

func (c *Cache) path(key string) string { return filepath.Join(c.folder, key) }

func (c *Cache) used(key string, use func([]byte) error) bool {
	file, err := os.ReadFile(c.path(key))
	if err != nil {
		return false
	}
	data, whole := unseal(file)
	if !whole || use(data) != nil {
		return false
	}
	now := time.Now()
	os.Chtimes(c.path(key), now, now) // marks it as used; not worth failing for
	return true
}

// seal puts a checksum before data.
func seal(data []byte) []byte {
	sum := sha256.Sum256(data)
	return append(sum[:], data...)
}

func unseal(file []byte) (data []byte, whole bool) {
	if len(file) < sha256.Size {
		return nil, false
	}
	data = file[sha256.Size:]
	sum := sha256.Sum256(data)
	return data, bytes.Equal(sum[:], file[:sha256.Size])
}

const unfinished = "-unfinished-"

// write moves the entry to its place in one step.
func (c *Cache) write(key string, data []byte) {
	f, err := os.CreateTemp(c.folder, key+unfinished)
	if err != nil {
		return
	}
	_, err = f.Write(seal(data))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(key))
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

// tidy removes what killed processes left and what has long been unused, as
// far as the caller's lock reaches.
func (c *Cache) tidy(prefix string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if strings.Contains(e.Name(), unfinished) || time.Since(info.ModTime()) > keepUnused {
			os.Remove(filepath.Join(c.folder, e.Name()))
		}
	}
}
