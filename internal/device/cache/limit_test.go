package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fill lays entries of 100 bytes into a cache, used that long ago, and other files.
func fill(t *testing.T, root string, used map[string]time.Duration) {
	t.Helper()
	for name, ago := range used {
		path := filepath.Join(root, name)
		file := path
		if strings.Contains(filepath.Base(name), "-") {
			file = filepath.Join(path, "program")
		}
		at := time.Now().Add(-ago)
		for _, err := range []error{os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, make([]byte, 100), 0o600), os.Chtimes(path, at, at)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func names(t *testing.T, root string) (names []string) {
	t.Helper()
	entries, err := Entries(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Bytes != 100 {
			t.Errorf("%s has %d bytes", e.Path, e.Bytes)
		}
		names = append(names, e.Kind+"/"+filepath.Base(e.Path)[:1])
	}
	return names
}

func key(letter string) string { return strings.Repeat(letter, 32) }

// TestTrim: the least recently used goes first, of all kinds, and nothing that
// was used lately or is no entry.
func TestTrim(t *testing.T) {
	root := t.TempDir()
	fill(t, root, map[string]time.Duration{
		"cudaemu/" + key("a"): 5 * time.Hour, "gocpu/" + key("b") + "-01234567": 4 * time.Hour, "opencl/" + key("c"): 3 * time.Hour,
		"gocpu/" + key("d") + "-01234567": 2 * time.Hour, "cuda/" + key("e"): time.Minute, "cuda/" + key("f"): 2 * time.Minute,
		"other/" + key("a"): 9 * time.Hour, "cuda/lock": 9 * time.Hour, "cuda/results.csv": 9 * time.Hour,
	})
	for _, c := range []struct {
		limit int64
		want  string
	}{
		{600, "cudaemu/a gocpu/b opencl/c gocpu/d cuda/f cuda/e"},
		{599, "gocpu/b opencl/c gocpu/d cuda/f cuda/e"},
		{350, "gocpu/d cuda/f cuda/e"},
		{0, "cuda/f cuda/e"}, // somebody may be about to start them
	} {
		if err := Trim(root, c.limit); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(names(t, root), " "); got != c.want {
			t.Errorf("limit %d: left %s, want %s", c.limit, got, c.want)
		}
	}
	for _, name := range []string{"other/" + key("a"), "cuda/lock", "cuda/results.csv"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s is removed", name)
		}
	}
}

// TestRemoveLeavesWhatIsUsed: another process may use an entry after it was listed.
func TestRemoveLeavesWhatIsUsed(t *testing.T) {
	root := t.TempDir()
	fill(t, root, map[string]time.Duration{"cuda/" + key("a"): 9 * time.Hour, "gocpu/" + key("b") + "-01234567": 5 * time.Hour})
	entries, err := Entries(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		now := time.Now()
		os.Chtimes(e.Path, now, now)
		if removed, err := e.Remove(); removed || err != nil {
			t.Errorf("%s: removed %v, %v", e.Path, removed, err)
		}
	}
	if got := names(t, root); len(got) != 2 {
		t.Errorf("left %v", got)
	}
}

// TestManyProcessesClean: goroutines stand for processes that remove the same
// entries at once, while another tidies up folders on their way out.
func TestManyProcessesClean(t *testing.T) {
	root := t.TempDir()
	used := map[string]time.Duration{}
	for i := range 200 {
		used["cuda/"+Key(fmt.Sprint(i))] = 9 * time.Hour
		used["gocpu/"+Key(fmt.Sprint(i))+"-01234567"] = 9 * time.Hour
	}
	fill(t, root, used)
	tidied := make(chan bool)
	var tidying, cleaning sync.WaitGroup
	tidying.Go(func() {
		for {
			select {
			case <-tidied:
				return
			default:
				left, _ := filepath.Glob(filepath.Join(root, "gocpu", removing+"*"))
				for _, folder := range left {
					os.RemoveAll(folder)
				}
			}
		}
	})
	for range 4 {
		cleaning.Go(func() {
			entries, err := Entries(root)
			if err != nil {
				t.Error(err)
			}
			for _, e := range entries {
				if gone, err := e.Remove(); !gone || err != nil {
					t.Errorf("%s: gone %v, %v", e.Path, gone, err)
				}
			}
		})
	}
	cleaning.Wait()
	close(tidied)
	tidying.Wait()
	for _, kind := range []string{"cuda", "gocpu"} {
		if left, err := os.ReadDir(filepath.Join(root, kind)); err != nil || len(left) > 0 {
			t.Errorf("left of %s: %v, %v", kind, left, err)
		}
	}
}

// TestTrimPassesOver: what cannot be removed, or was used, keeps its bytes, and
// what another process has removed has none.
func TestTrimPassesOver(t *testing.T) {
	root := t.TempDir()
	fill(t, root, map[string]time.Duration{"cuda/" + key("a"): 9 * time.Hour, "cuda/" + key("b"): 8 * time.Hour,
		"cuda/" + key("c"): 7 * time.Hour, "cuda/" + key("d"): 6 * time.Hour})
	entries, err := Entries(root)
	if err != nil {
		t.Fatal(err)
	}
	bad := entries[0]
	bad.Path = "no path\x00"
	now := time.Now()
	for _, err := range []error{os.Chtimes(entries[0].Path, now, now), os.Remove(entries[1].Path)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// Of five entries the first two stay and the third is gone: one more has to go.
	if err := trim(append([]Entry{bad}, entries...), 300); err == nil || !strings.Contains(err.Error(), "no path") {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(names(t, root), " "); got != "cuda/d cuda/a" {
		t.Errorf("left %s", got)
	}
}

// TestMakingKeepsTheLimit: the cache does not grow, and use decides what stays.
func TestMakingKeepsTheLimit(t *testing.T) {
	t.Setenv("KGEN_CACHE_LIMIT", "250B")
	t.Setenv("KGEN_CACHE", t.TempDir())
	c, err := Open("cuda")
	if err != nil {
		t.Fatal(err)
	}
	get(t, c, Key("used"), "x")
	fill(t, filepath.Dir(c.folder), map[string]time.Duration{"cuda/" + key("a"): 9 * time.Hour, "opencl/" + key("b"): 5 * time.Hour})
	long := time.Now().Add(-20 * time.Hour)
	if err := os.Chtimes(c.path(Key("used")), long, long); err != nil {
		t.Fatal(err)
	}
	get(t, c, Key("used"), "y")
	get(t, c, Key("new"), "z")
	var left []string
	entries, _ := Entries(filepath.Dir(c.folder))
	for _, e := range entries {
		left = append(left, filepath.Base(e.Path))
	}
	if want := []string{key("b"), Key("used"), Key("new")}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	t.Setenv("KGEN_CACHE_LIMIT", "much")
	if _, err := Open("cuda"); err == nil || !strings.Contains(err.Error(), "KGEN_CACHE_LIMIT=much: a size like 500MB or 4GiB is needed") {
		t.Errorf("error %v", err)
	}
}
