package explore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// formatVersion is that of the lines of a log.
const formatVersion = 1

// line is a line of a log: one of its fields.
type line struct {
	Header *Header     `json:"explore,omitempty"`
	Device *DeviceInfo `json:"copy,omitempty"`
	Result *Result     `json:"result,omitempty"`
}

// partSuffix is appended to the name of a log that is being written.
const partSuffix = ".part"

// Log is a file of JSON Lines: a header, devices and results, each written when it
// is known. Until Close the file has a name of its own, so that a file of that name
// is replaced by a whole one alone; what a killed process has left is there for
// [ReadLog].
type Log struct {
	path string
	file *os.File
}

// CreateLog begins the log of a report with what is in it already.
func CreateLog(path string, r *Report) (*Log, error) {
	file, err := os.Create(path + partSuffix)
	if err != nil {
		return nil, err
	}
	l := &Log{path, file}
	if err := l.write(line{Header: &r.Header}); err != nil {
		return nil, err
	}
	for i := range r.Devices {
		if err := l.AddDevice(&r.Devices[i]); err != nil {
			return nil, err
		}
	}
	for i := range r.Results {
		if err := l.Add(&r.Results[i]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Add adds a result. The last line of a configuration counts.
func (l *Log) Add(r *Result) error { return l.write(line{Result: r}) }

// AddDevice adds a device.
func (l *Log) AddDevice(d *DeviceInfo) error { return l.write(line{Device: d}) }

func (l *Log) write(x line) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(text, '\n'))
	return err
}

// Close gives the file its name.
func (l *Log) Close() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	return os.Rename(l.path+partSuffix, l.path)
}

// ReadLog reads the log at path, or what a killed process has left of one.
func ReadLog(path string) (*Report, error) {
	file, err := os.Open(path + partSuffix)
	if errors.Is(err, os.ErrNotExist) {
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := readLines(file)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return r, nil
}

func readLines(in io.Reader) (*Report, error) {
	r := &Report{}
	reader := bufio.NewReader(in)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF { // a line without an end was being written
			break
		}
		if err != nil {
			return nil, err
		}
		var x line
		if err := json.Unmarshal(text, &x); err != nil {
			return nil, fmt.Errorf("%d: not a line of kgen explore: %w", number, err)
		}
		if number == 1 && x.Header == nil {
			return nil, fmt.Errorf("1: not a file of kgen explore: its first line is no header")
		}
		switch {
		case x.Header != nil:
			if x.Header.Version != formatVersion {
				return nil, fmt.Errorf("%d: the file has version %d, this kgen reads %d", number, x.Header.Version, formatVersion)
			}
			r.Header = *x.Header
		case x.Device != nil:
			r.SetDevice(*x.Device)
		case x.Result != nil:
			r.set(*x.Result)
		}
	}
	if r.Header.Version == 0 {
		return nil, errors.New("1: not a file of kgen explore: it has no header")
	}
	return r, nil
}

// SetDevice adds a device, or replaces what is known of it.
func (r *Report) SetDevice(d DeviceInfo) {
	for i := range r.Devices {
		if r.Devices[i].Name == d.Name {
			r.Devices[i] = d
			return
		}
	}
	r.Devices = append(r.Devices, d)
}

// NewHeader returns a header of the present format.
func NewHeader() Header { return Header{Version: formatVersion, Inputs: map[string]string{}} }
