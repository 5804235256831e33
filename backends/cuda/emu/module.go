package emu

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// module is a compiled text with its symbols and lines.
type module struct {
	file    string
	source  []string // lines of the text
	binary  []byte
	kernels []string
	bounds  map[string]int64 // maximum of threads per block by kernel; 0 is any number
	shared  []sharedArray
	dynamic string      // the name of the extern __shared__ array
	lines   []lineEntry // by address
	handle  int64       // in the process that loaded it
}

// sharedArray is a shared variable.
type sharedArray struct {
	kernel string // the kernel that declares it; if it is another function, or "", any kernel may use it
	name   string
	offset int64 // in the section
	bytes  int64
}

// lineEntry is the address at which the code of a line begins.
type lineEntry struct {
	address uint64
	file    string
	line    int
}

const sharedSection = "cudaemu_shared"

func newModule(file, text string, binary []byte, kernels []string) (*module, error) {
	m := &module{file: path.Base(file), source: strings.Split(text, "\n"), binary: binary, kernels: kernels, dynamic: "memory"}
	if dynamic := dynamicPattern.FindStringSubmatch(text); dynamic != nil {
		m.dynamic = dynamic[2]
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("the compiled text %s: %w", file, err)
	}
	defer f.Close()
	if section := f.Section(sharedSection); section != nil {
		symbols, err := f.Symbols()
		if err != nil {
			return nil, fmt.Errorf("the compiled text %s: %w", file, err)
		}
		for _, s := range symbols {
			inside := s.Value >= section.Addr && s.Value+s.Size <= section.Addr+section.Size
			if !inside || elf.ST_TYPE(s.Info) != elf.STT_OBJECT || strings.Contains(s.Name, "cudaemu_gap_") {
				continue
			}
			kernel, name := demangle(s.Name)
			m.shared = append(m.shared, sharedArray{kernel, name, int64(s.Value - section.Addr), int64(s.Size)})
		}
		slices.SortFunc(m.shared, func(a, b sharedArray) int { return int(a.offset - b.offset) })
	}
	if m.lines, err = readLines(f); err != nil {
		return nil, fmt.Errorf("the lines of %s: %w", file, err)
	}
	return m, nil
}

// demangle splits the name of a variable inside a function, _ZZ4scanE6s_tile,
// which may end in a number that distinguishes variables of equal name.
func demangle(symbol string) (function, variable string) {
	rest, inside := strings.CutPrefix(symbol, "_ZZ")
	if !inside {
		return "", strings.TrimLeft(strings.TrimPrefix(symbol, "_ZL"), "0123456789")
	}
	function, rest = sized(strings.TrimPrefix(rest, "L"))
	if at := strings.IndexByte(rest, 'E'); at >= 0 {
		rest = rest[at+1:]
	}
	variable, _ = sized(rest)
	return function, variable
}

// sized reads a name after its length.
func sized(text string) (name, rest string) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.Atoi(text[:digits])
	if err != nil || n > len(text)-digits {
		return text, ""
	}
	return text[digits : digits+n], text[digits+n:]
}

// readLines reads the table of lines.
func readLines(f *elf.File) (lines []lineEntry, err error) {
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	units := data.Reader()
	for {
		entry, err := units.Next()
		if err != nil {
			return nil, err
		}
		if entry == nil {
			break
		}
		if entry.Tag != dwarf.TagCompileUnit {
			units.SkipChildren()
			continue
		}
		reader, err := data.LineReader(entry)
		if err != nil || reader == nil {
			return nil, err
		}
		units.SkipChildren()
		var l dwarf.LineEntry
		for {
			if err := reader.Next(&l); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if !l.EndSequence && l.File != nil {
				lines = append(lines, lineEntry{l.Address, path.Base(l.File.Name), l.Line})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b lineEntry) int {
		if a.address < b.address {
			return -1
		} else if a.address > b.address {
			return 1
		}
		return 0
	})
	return lines, nil
}

// line returns the line of the text for the code at a site, or 0.
func (m *module) line(site int64) int {
	next := sort.Search(len(m.lines), func(i int) bool { return m.lines[i].address > uint64(site) })
	if site < 0 || next == 0 || m.lines[next-1].file != m.file {
		return 0
	}
	return m.lines[next-1].line
}

// text returns a line of the text.
func (m *module) text(line int) string {
	if line < 1 || line > len(m.source) {
		return ""
	}
	return strings.TrimSpace(m.source[line-1])
}

// arrays returns the shared variables that a kernel can use.
func (m *module) arrays(kernel string) (list []sharedArray) {
	for _, a := range m.shared {
		if a.kernel == kernel || !slices.Contains(m.kernels, a.kernel) {
			list = append(list, a)
		}
	}
	return list
}
