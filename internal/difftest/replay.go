package difftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// Circumstances says where a kept difference occurred: NAME.json beside NAME.kg
// and its data, which have the form of the corpus.
type Circumstances struct {
	Device     string        `json:"device"`
	Level      string        `json:"level"`
	Schedule   plan.Schedule `json:"schedule"`
	Choice     uint64        `json:"choice"`
	Seed       uint64        `json:"seed"`
	Difference string        `json:"difference"` // as it was found
	Cause      string        `json:"cause,omitempty"`
}

// Replay is a difference that was kept.
type Replay struct {
	testsuite.Entry
	Circumstances
}

// LoadReplay reads a difference that Keep wrote.
func LoadReplay(path string) (Replay, error) {
	var r Replay
	if filepath.Ext(path) != ".kg" {
		return r, fmt.Errorf("%s: a difference is kept as NAME.kg, with its data and NAME.json beside it", path)
	}
	var err error
	if r.Entry, err = testsuite.LoadEntry(path); err != nil {
		return r, err
	}
	name := strings.TrimSuffix(path, ".kg") + ".json"
	text, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r.Circumstances); err != nil {
		offset := decoder.InputOffset()
		var syntax *json.SyntaxError
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			offset = syntax.Offset
		case errors.As(err, &wrong):
			offset = wrong.Offset
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			offset, err = int64(len(text)), errors.New("the text ends early")
		}
		if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
			offset = int64(max(bytes.Index(text, []byte(field)), 0))
		}
		line := 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
		return r, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	if r.Device == "" || r.Level == "" {
		return r, fmt.Errorf("%s:1: a device and a level are missing", name)
	}
	return r, nil
}

// Keep writes a difference into a folder, under the next free number, and
// returns the path of its pipeline.
func Keep(ctx context.Context, folder string, s Shrunk) (path string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	base := ""
	for number := 1; ; number++ {
		base = filepath.Join(folder, fmt.Sprintf("%04d", number))
		if _, err := os.Stat(base + ".kg"); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
	}
	write := func(name string, text []byte) error {
		return table.WriteFile(ctx, name, func(out io.Writer) error {
			_, err := out.Write(text)
			return err
		})
	}
	for domain, columns := range byDomain(s) {
		name := base + ".csv"
		if domain == nil {
			if err := write(base+".set", settings(columns)); err != nil {
				return "", err
			}
			continue
		}
		if countDomains(s.Pipeline) > 1 {
			name = base + "." + domain.Name + ".csv"
		}
		if err := table.Write(ctx, name, table.Table{Columns: columns}, nil); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(Circumstances{Device: s.Device, Level: s.Level, Schedule: s.Schedule, Choice: s.Choice, Seed: s.Seed, Difference: s.Difference}, "", "\t")
	if err != nil {
		return "", err
	}
	if err := write(base+".json", append(text, '\n')); err != nil {
		return "", err
	}
	// It is written last: if it exists, so do the other files.
	return base + ".kg", write(base+".kg", []byte(s.Pipeline.String()))
}

// byDomain sorts the columns of a difference by their domain; nil has the scalars.
func byDomain(s Shrunk) map[*ir.Domain][]table.Named {
	columns := map[*ir.Domain][]table.Named{}
	data := withTexts(s.Columns)
	for i, v := range s.Pipeline.Params {
		d := v.Type.Domain
		columns[d] = append(columns[d], table.Named{Name: v.Name, Data: data[i]})
	}
	return columns
}

// withTexts makes up a dictionary for columns of kind Text, whose codes were random:
// texts of the same order.
func withTexts(columns []ir.Column) []ir.Column {
	var codes []int32
	for _, c := range columns {
		if c.Kind == ir.Text {
			codes = append(codes, c.Slice.([]int32)...)
		}
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	texts := make([]string, len(codes))
	for i := range codes {
		texts[i] = fmt.Sprintf("text%010d", i)
	}
	made := slices.Clone(columns)
	for i, c := range columns {
		if c.Kind != ir.Text {
			continue
		}
		places := make([]int32, c.Len())
		for row, code := range c.Slice.([]int32) {
			at, _ := slices.BinarySearch(codes, code)
			places[row] = int32(at)
		}
		made[i] = ir.Column{Kind: ir.Text, Slice: places, Texts: texts}
	}
	return made
}

func countDomains(p *ir.Pipeline) int {
	seen := map[*ir.Domain]bool{}
	for _, v := range p.Params {
		if v.Type.Domain != nil {
			seen[v.Type.Domain] = true
		}
	}
	return len(seen)
}

// settings returns scalars in the form of NAME.set.
func settings(columns []table.Named) []byte {
	var out []byte
	for _, c := range columns {
		out = append(append(out, c.Name...), '=')
		out = append(table.AppendRow(out, c.Data, 0), '\n')
	}
	return out
}
