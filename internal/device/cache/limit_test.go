package cache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
