package cache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
)

// Kinds are the names of the caches: the devices whose programs they hold.
var Kinds = []string{"gocpu", "cudaemu", "opencl", "cuda"}

// Entry is a program, a text of machine code or a finding that the cache holds.
type Entry struct {
	Kind  string
	Path  string // of a file, or of a folder
	Bytes int64
	Used  time.Time // last
}

const (
	defaultLimit = 2 << 30
	// keepUsed is how long an entry stays whatever the limit: a process may be
	// about to start what it has just found.
	keepUsed = time.Hour
)

// Root returns the folder of all caches: KGEN_CACHE, else the folder kgen of the
// user's cache.
func Root() (string, error) {
	if folder := os.Getenv("KGEN_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w (KGEN_CACHE can name a folder for built programs)", err)
	}
	return filepath.Abs(filepath.Join(user, "kgen"))
}

// Limit returns how many bytes the entries may have together: KGEN_CACHE_LIMIT.
func Limit() (int64, error) {
	text := os.Getenv("KGEN_CACHE_LIMIT")
	if text == "" {
		return defaultLimit, nil
	}
	limit, err := humanize.ParseBytes(text)
	if err != nil || limit > 1<<62 {
		return 0, fmt.Errorf("KGEN_CACHE_LIMIT=%s: a size like 500MB or 4GiB is needed", text)
	}
	return int64(limit), nil
}

// entryName is the key of an entry, and for gocpu that of its toolchain. Nothing
// else is ever removed: KGEN_CACHE may name a folder that holds other things.
var entryName = regexp.MustCompile(`^[0-9a-f]{32}(-[0-9a-f]{8})?$`)

// Entries lists what the caches in the folder root hold, the least recently
// used first.
func Entries(root string) ([]Entry, error) {
	var entries []Entry
	for _, kind := range Kinds {
		files, err := os.ReadDir(filepath.Join(root, kind))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !entryName.MatchString(f.Name()) {
				continue // somebody has just removed it, or it is none
			}
			e := Entry{Kind: kind, Path: filepath.Join(root, kind, f.Name()), Bytes: info.Size(), Used: info.ModTime()}
			if f.IsDir() {
				e.Bytes = 0
				parts, _ := os.ReadDir(e.Path)
				for _, part := range parts {
					if info, err := part.Info(); err == nil {
						e.Bytes += info.Size()
					}
				}
			}
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.Used.Compare(b.Used) })
	return entries, nil
}

// Remove removes an entry unless it has been used since it was listed. It
// returns whether the entry is gone, whoever removed it.
func (e Entry) Remove() (gone bool, err error) {
	info, err := os.Stat(e.Path)
	switch {
	case err != nil:
	case info.ModTime().After(e.Used):
		return false, nil
	case info.IsDir():
		// In one step, so that nobody finds a half of it.
		leaving := filepath.Join(filepath.Dir(e.Path), removing+rand.Text())
		if err = os.Rename(e.Path, leaving); err == nil {
			os.RemoveAll(leaving)
		}
	default:
		err = os.Remove(e.Path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err == nil, err
}

// removing begins the names of folders that are on their way out; those of
// killed processes gocpu removes with those of its builds.
const removing = "build-removing-"

// Trim removes the least recently used entries until the caches in root have at
// most limit bytes, but none that was used within the last hour.
func Trim(root string, limit int64) error {
	entries, err := Entries(root)
	if err != nil {
		return err
	}
	return trim(entries, limit)
}

// trim passes over entries that cannot be removed.
func trim(entries []Entry, limit int64) error {
	var bytes int64
	for _, e := range entries {
		bytes += e.Bytes
	}
	var failed []error
	for _, e := range entries {
		if bytes <= limit || time.Since(e.Used) < keepUsed {
			break
		}
		gone, err := e.Remove()
		if gone {
			bytes -= e.Bytes
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
