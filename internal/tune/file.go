package tune

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// formatVersion is that of the file.
const formatVersion = 1

// File is what was measured: an entry per program, device and class of data.
type File struct {
	Version int     `json:"version"`
	Entries []Entry `json:"tuned"`
}

// Device is where a program was measured.
type Device struct {
	Name     string `json:"device"`   // as --device takes it
	Backend  string `json:"backend"`  // whose text it runs
	Hardware string `json:"hardware"` // what it is
	Driver   string `json:"driver"`   // or the toolchain
}

// Entry is one program, measured on one device over data of one class.
type Entry struct {
	Device
	Pipeline string `json:"pipeline"`
	Program  string `json:"program"` // the digest of its operators
	Kgen     string `json:"kgen"`
	Data     string `json:"data"` // how columns were made
	Class    Class  `json:"class"`

	Space    Space            `json:"space"`
	Limits   explore.Limits   `json:"limits"`
	Default  explore.Result   `json:"default"` // what kgen chooses by itself
	Searches []Outcome        `json:"searches"`
	Results  []explore.Result `json:"results"` // of all configurations, with all samples
}

// Outcome is what a search found.
type Outcome struct {
	Search   string         `json:"search"`
	Delta    float64        `json:"delta,omitempty"`
	Seed     uint64         `json:"seed,omitempty"`
	Tried    int            `json:"tried"`              // configurations that it ran
	Not      int            `json:"not_run,omitempty"`  // that kgen or the device refuses
	Whole    bool           `json:"whole"`              // it came to its end
	Best     string         `json:"best"`               // settings, "" if nothing ran
	Time     float64        `json:"time_ns"`            // of Best
	Moves    []explore.Move `json:"moves,omitempty"`    // of its paths, in order
	Distance float64        `json:"distance,omitempty"` // of Time from the least of the full search, as a fraction, if that is known; 0.05 is 5 % more
}

// Steps writes moves by the settings of their points.
func (s Space) Steps(moves []Move) (list []explore.Move) {
	for _, m := range moves {
		list = append(list, explore.Move{From: s.String(m.From), To: s.String(m.To)})
	}
	return list
}

// Digest identifies a program by its operators.
func Digest(p *ir.Pipeline) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(p.String())))[:16]
}

// Best returns the fastest configuration that was measured, kgen's own choice among
// them, or nil.
func (e *Entry) Best() *explore.Result {
	var best *explore.Result
	for _, r := range e.all() {
		if r.Status == explore.Agrees && r.Count > 0 && (best == nil || r.Median < best.Median) {
			best = r
		}
	}
	return best
}

// all lists the results, that of kgen's own choice first.
func (e *Entry) all() []*explore.Result {
	list := []*explore.Result{&e.Default}
	for i := range e.Results {
		list = append(list, &e.Results[i])
	}
	return list
}

// find returns the result of a configuration, or nil.
func (e *Entry) find(level, schedule string) *explore.Result {
	for _, r := range e.all() {
		if r.Level == level && r.Schedule == schedule && r.Status != "" {
			return r
		}
	}
	return nil
}

// Conclude adds the outcome of a search and computes distances, where the full search is
// known.
func (e *Entry) Conclude(o Outcome) {
	kept := e.Searches[:0]
	for _, other := range e.Searches {
		if other.Search != o.Search {
			kept = append(kept, other)
		}
	}
	e.Searches = append(kept, o)
	for _, full := range e.Searches {
		if full.Search != Full.Name || !full.Whole || full.Time <= 0 {
			continue
		}
		for i := range e.Searches {
			if s := &e.Searches[i]; s.Best != "" {
				s.Distance = s.Time/full.Time - 1
			}
		}
	}
}

// sameAs reports whether two entries are of the same program, device and data.
func (e *Entry) sameAs(o *Entry) bool {
	return e.Device == o.Device && e.Program == o.Program && e.Data == o.Data && e.Class.Rows == o.Class.Rows && e.Class.Like(o.Class)
}

// Find returns what the file has of the program, device and data of an entry, or nil.
func (f *File) Find(e *Entry) *Entry {
	for i := range f.Entries {
		if f.Entries[i].sameAs(e) {
			return &f.Entries[i]
		}
	}
	return nil
}

// Set adds an entry, or replaces what the file has of its program, device and data.
func (f *File) Set(e Entry) {
	if known := f.Find(&e); known != nil {
		*known = e
		return
	}
	f.Entries = append(f.Entries, e)
}

// Read reads the file at path.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: not a file of kgen tune: %w", path, err)
	}
	if f.Version != formatVersion {
		return nil, fmt.Errorf("%s: not a file of kgen tune of version %d", path, formatVersion)
	}
	return f, nil
}

// ReadOrNew reads the file at path, or returns one without entries if there is none.
func ReadOrNew(path string) (*File, error) {
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Version: formatVersion}, nil
	}
	return f, err
}

// Write writes the file to path, whole or not at all.
func (f *File) Write(ctx context.Context, path string) error {
	return table.WriteFile(ctx, path, func(out io.Writer) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", " ")
		return encoder.Encode(f)
	})
}
