package calibrate

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/plan"
)

// formatVersion is that of the file.
const formatVersion = 1

// File is what was measured on a device.
type File struct {
	Version int          `json:"version"`
	Name    string       `json:"name"` // of the device, as --device takes it
	Kgen    string       `json:"kgen"`
	Begun   time.Time    `json:"begun"`
	Machine plan.Machine `json:"machine"` // with what was measured and, where that was not possible, declared rates
	Notes   []string     `json:"notes"`   // about what was not measured
	Probes  []Timing     `json:"probes"`
}

// Timing is the time of a pipeline.
type Timing struct {
	Probe     string  `json:"probe"`
	Rows      int64   `json:"rows"`
	Table     int64   `json:"table_bytes,omitempty"`
	Seconds   float64 `json:"seconds"`           // the median
	Predicted float64 `json:"predicted_seconds"` // by the rates known before
	Samples   []int64 `json:"samples_ns,omitempty"`
}

// Read reads a file.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: not a file of kgen devices --calibrate: %w", path, err)
	}
	if f.Version != formatVersion {
		return nil, fmt.Errorf("%s: not a file of kgen devices --calibrate of version %d", path, formatVersion)
	}
	if f.Machine.Rates[plan.RateMemory] <= 0 || f.Machine.Rates[plan.RateLaunch] <= 0 {
		return nil, fmt.Errorf("%s: it lacks the rates %s and %s", path, plan.RateMemory, plan.RateLaunch)
	}
	return f, nil
}

// folder is where files of devices are kept.
func folder() (string, error) {
	root, err := cache.Root()
	return filepath.Join(root, "machines"), err
}

// Any reports whether there is a file of any device, which is cheap to know.
func Any() bool {
	path, err := folder()
	if err != nil {
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) > 0
}

// path returns where the file of a device is kept: by its kind, hardware and driver.
func path(name string, m plan.Machine) (string, error) {
	at, err := folder()
	kind, _, _ := strings.Cut(name, ":")
	key := sha256.Sum256([]byte(strings.Join([]string{kind, m.Device, m.Driver}, "\x00")))
	return filepath.Join(at, fmt.Sprintf("%s-%x.json", kind, key[:8])), err
}

// Keep keeps the file of a device that describes itself as m, and returns its path.
func (f *File) Keep(m plan.Machine) (string, error) {
	to, err := path(f.Name, m)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	text, err := f.Text()
	if err != nil {
		return "", err
	}
	part := to + ".part"
	if err := os.WriteFile(part, text, 0o644); err != nil {
		return "", err
	}
	return to, os.Rename(part, to)
}

// Text returns the file as JSON.
func (f *File) Text() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", " ")
	err := encoder.Encode(f)
	return b.Bytes(), err
}

// Find returns the file of a device that describes itself as m, or nil if it has none.
func Find(name string, m plan.Machine) (*File, error) {
	at, err := path(name, m)
	if err != nil {
		return nil, nil // without a cache there is none
	}
	f, err := Read(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}
