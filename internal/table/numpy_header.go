package table

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// The format is
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: a
// magic, two bytes of version, the length of the header in 2 bytes (4 from
// version 2 on), and the header, a Python dictionary. github.com/sbinet/npyio
// is not used to read it: it knows neither version 3 nor dates, allocates the
// length that the file claims, and panics if a key is not at its usual place.
const (
	npyMagic     = "\x93NUMPY"
	npyHeaderLen = 128     // of the headers written, with room for any number of rows
	npyMaxHeader = 1 << 16 // limit for reading; headers of one-dimensional arrays have about 100 bytes
)

var (
	npyDescr = regexp.MustCompile(`['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)"|(\[))`)
	npyShape = regexp.MustCompile(`['"]shape['"]\s*:\s*(\([^()]*\))`)
	npyDtype = regexp.MustCompile(`^([<>|=]?)([?a-zA-Z])(\d*)(\[.*\])?$`)
)

// npyType is how an array stores its elements.
type npyType struct {
	text    string // as the file writes it
	code    byte   // b i u f M S, as in NumPy
	unit    string // of times, as in NumPy
	size    int    // bytes of an element
	swapped bool   // its byte order differs from this machine's
}

// npyDigits are the digits of a second that units of time have.
var npyDigits = map[string]int{"s": 0, "ms": 3, "us": 6, "ns": 9}

// nativeOrder is the mark of this machine's byte order.
var nativeOrder = map[bool]string{true: "<", false: ">"}[binary.NativeEndian.Uint16([]byte{1, 0}) == 1]

// parseDtype reads a dtype that some kind of column can hold.
func parseDtype(text string) (npyType, bool) {
	parts := npyDtype.FindStringSubmatch(text)
	if parts == nil {
		return npyType{}, false
	}
	size, err := strconv.Atoi(parts[3])
	if text == "?" || text == "|?" {
		return npyType{text: text, code: 'b', size: 1}, true
	}
	if err != nil {
		return npyType{}, false
	}
	t := npyType{text: text, code: parts[2][0], size: size}
	if t.code == 'a' {
		t.code = 'S'
	}
	t.swapped = size > 1 && t.code != 'S' && (parts[1] == "<" || parts[1] == ">") && parts[1] != nativeOrder
	unit := strings.Trim(parts[4], "[]")
	switch t.code {
	case 'b':
		return t, size == 1 && unit == ""
	case 'i', 'u':
		return t, (size == 1 || size == 2 || size == 4 || size == 8) && unit == ""
	case 'f':
		return t, (size == 4 || size == 8) && unit == ""
	case 'M':
		t.unit = unit
		_, ok := npyDigits[unit]
		return t, size == 8 && (ok || unit == "D")
	case 'S':
		return t, size >= 1 && size <= 8 && unit == ""
	}
	return t, false
}

// dtypeOf returns the dtype that holds a kind.
func dtypeOf(k ir.Kind) string {
	switch {
	case k == ir.Bool:
		return "|b1"
	case k == ir.Date:
		return nativeOrder + "M8[D]"
	case k == ir.Timestamp:
		return nativeOrder + "M8[us]"
	case k == ir.Char8:
		return "|S8"
	}
	code, order := "i", nativeOrder
	if k.IsUnsigned() {
		code = "u"
	}
	if k.IsFloat() {
		code = "f"
	}
	if k.Size() == 1 {
		order = "|"
	}
	return fmt.Sprintf("%s%s%d", order, code, k.Size())
}

// npyHeader returns the header of an array, always of npyHeaderLen bytes.
func npyHeader(k ir.Kind, rows int64) []byte {
	header := fmt.Appendf([]byte(npyMagic), "\x01\x00%s{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
		binary.LittleEndian.AppendUint16(nil, npyHeaderLen-10), dtypeOf(k), rows)
	return append(header, strings.Repeat(" ", npyHeaderLen-1-len(header))+"\n"...)
}

// npyArray is an open file.
type npyArray struct {
	in     *Input
	offset int64 // of the first element
	rows   int64
	dtype  npyType
}

// openArray opens a file and checks that its size fits its header.
func openArray(source *Source, path string) (*npyArray, error) {
	in, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	a := &npyArray{in: in}
	if err := a.readHeader(); err != nil {
		return nil, in.close(err)
	}
	return a, nil
}

func (a *npyArray) readHeader() error {
	var start [12]byte
	n, err := a.in.ReadAt(start[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if n < len(start) || string(start[:len(npyMagic)]) != npyMagic {
		return &DataError{Msg: "this is not a NumPy array file; numpy.save writes one"}
	}
	length := int64(binary.LittleEndian.Uint16(start[8:]))
	a.offset = 10 + length
	switch version := start[6]; version {
	case 1:
	case 2, 3:
		length = int64(binary.LittleEndian.Uint32(start[8:]))
		a.offset = 12 + length
	default:
		return &DataError{Msg: fmt.Sprintf("version %d of the NumPy format is not known; 1 to 3 are", version)}
	}
	if length > npyMaxHeader || a.offset > a.in.Size {
		return &DataError{Msg: fmt.Sprintf("the header would have %d bytes; the file has %d, and at most %d are read", length, a.in.Size, npyMaxHeader)}
	}
	header := make([]byte, length)
	if _, err := a.in.ReadAt(header, a.offset-length); err != nil && err != io.EOF {
		return err
	}
	return a.parseHeader(string(header))
}

// parseHeader takes the fields of the dictionary. The order of the elements is
// the same by rows and by columns in one dimension.
func (a *npyArray) parseHeader(header string) error {
	descr, shape := npyDescr.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || shape == nil {
		return &DataError{Msg: fmt.Sprintf("the header names no element type or no shape: %s", quote(header))}
	}
	if descr[3] != "" {
		return &DataError{Msg: "the array has elements of several fields; save each field as an array"}
	}
	text := descr[1] + descr[2]
	var ok bool
	if a.dtype, ok = parseDtype(text); !ok {
		return &DataError{Msg: fmt.Sprintf("the array has the dtype %s; bool, i1 to i8, u1 to u8, f4, f8, M8[D] to M8[ns] and S1 to S8 are read", quote(text))}
	}
	count, more, ok := strings.Cut(strings.Trim(shape[1], "()"), ",")
	if !ok || strings.TrimSpace(more) != "" {
		return &DataError{Msg: fmt.Sprintf("the array has the shape %s; a column is an array of one dimension, of shape (rows,)", quote(shape[1]))}
	}
	rows, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(count), "L"), 10, 64)
	if err != nil || rows < 0 {
		return &DataError{Msg: fmt.Sprintf("the header has the shape %s, which is no number of rows", quote(shape[1]))}
	}
	room, size := a.in.Size-a.offset, int64(a.dtype.size)
	if rows > room/size || rows*size != room {
		return &DataError{Msg: fmt.Sprintf("the header says %d elements of %d bytes, but %d bytes follow it; the file is cut off or damaged", rows, size, room)}
	}
	a.rows = rows
	return nil
}
