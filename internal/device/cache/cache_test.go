package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func open(t *testing.T) *Cache {
	t.Helper()
	t.Setenv("KGEN_CACHE", t.TempDir())
	c, err := Open("test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// get returns an entry and whether it had to be made.
func get(t *testing.T, c *Cache, key, made string) (got string, fresh bool) {
	t.Helper()
	err := c.Do(context.Background(), key,
		func(data []byte) error { got = string(data); return nil },
		func() ([]byte, error) { got, fresh = made, true; return []byte(made), nil })
	if err != nil {
		t.Fatal(err)
	}
	return got, fresh
}

func TestEntryIsMadeOnce(t *testing.T) {
	c := open(t)
	key := Key("a", "bc")
	if key == Key("ab", "c") {
		t.Error("parts run together in the key")
	}
	if got, fresh := get(t, c, key, "first"); got != "first" || !fresh {
		t.Errorf("cold: %q, made %v", got, fresh)
	}
	if got, fresh := get(t, c, key, "second"); got != "first" || fresh {
		t.Errorf("warm: %q, made %v", got, fresh)
	}
	if _, fresh := get(t, nil, key, "second"); !fresh {
		t.Error("no cache holds the entry")
	}
}

func TestDamagedAndRefusedEntriesAreMadeAnew(t *testing.T) {
	c := open(t)
	key := Key("x")
	get(t, c, key, "good")
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)-1] },
		func(b []byte) []byte { return b[:5] },
		func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		func([]byte) []byte { return nil },
	} {
		file, err := os.ReadFile(c.path(key))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.path(key), damage(file), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, fresh := get(t, c, key, "good"); got != "good" || !fresh {
			t.Errorf("damaged: %q, made %v", got, fresh)
		}
	}
	made := false
	err := c.Do(context.Background(), key, func([]byte) error { return errors.New("of another driver") },
		func() ([]byte, error) { made = true; return []byte("new"), nil })
	if err != nil || !made {
		t.Errorf("refused: %v, made %v", err, made)
	}
	if got, _ := get(t, c, key, ""); got != "new" {
		t.Errorf("after a refusal: %q", got)
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	c := open(t)
	bad := errors.New("no")
	err := c.Do(context.Background(), Key("x"), func([]byte) error { return nil }, func() ([]byte, error) { return nil, bad })
	if err != bad {
		t.Errorf("got %v", err)
	}
	if _, fresh := get(t, c, Key("x"), "good"); !fresh {
		t.Error("a failure was kept")
	}
}

// Flocks hold between descriptors, so goroutines stand for processes here.
func TestOneMakesWhileOthersWait(t *testing.T) {
	c := open(t)
	var made atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			err := c.Do(context.Background(), Key("x"), func([]byte) error { return nil }, func() ([]byte, error) {
				time.Sleep(50 * time.Millisecond)
				made.Add(1)
				return []byte("x"), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	c := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	err := c.Do(ctx, Key("x"), func([]byte) error { return nil }, func() ([]byte, error) {
		cancel()
		return nil, c.Do(ctx, Key("x"), func([]byte) error { return nil }, func() ([]byte, error) { return nil, nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTidy(t *testing.T) {
	c := open(t)
	key := Key("x")
	old, half := key[:1]+"old", key[:1]+"half"+unfinished+"1"
	for _, name := range []string{old, half} {
		if err := os.WriteFile(filepath.Join(c.folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * keepUnused)
	if err := os.Chtimes(filepath.Join(c.folder, old), long, long); err != nil {
		t.Fatal(err)
	}
	get(t, c, key, "x")
	for _, name := range []string{old, half} {
		if _, err := os.Stat(filepath.Join(c.folder, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
