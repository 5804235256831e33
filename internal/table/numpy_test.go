package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// npyText is an array file: a version, a header without its end, and elements.
func npyText(version byte, header string, elements ...byte) []byte {
	out := append([]byte(npyMagic), version, 0)
	header += "\n"
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), elements...)
}

// npyOf is an array as numpy.save writes it.
func npyOf(dtype string, rows int, elements ...byte) []byte {
	return npyText(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }    ", dtype, rows), elements...)
}

// little returns numbers in little-endian order.
func little(values any) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, values)
	return b
}

func writeArray(t testing.TB, folder, name string, file []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readArray(t testing.TB, file []byte, k ir.Kind) (any, error) {
	t.Helper()
	columns, err := readFile(t.Context(), writeArray(t, t.TempDir(), "x.npy", file), []Field{{Column: "a", Param: "a", Kind: k}}, nil)
	if err != nil {
		return nil, err
	}
	return columns[0].Slice, nil
}

func TestNumPyTypes(t *testing.T) {
	big := func(values any) []byte { b, _ := binary.Append(nil, binary.BigEndian, values); return b }
	char8 := func(s string) [8]byte { return ir.Char8Scalar(s).Bytes() }
	for _, c := range []struct {
		dtype    string
		elements []byte
		kind     ir.Kind
		want     any
	}{
		{"|b1", []byte{0, 1, 2}, ir.Bool, []bool{false, true, true}},
		{"?", []byte{1}, ir.Bool, []bool{true}},
		{"|i1", []byte{0xff, 5}, ir.I8, []int8{-1, 5}},
		{"<i2", little([]int16{-2, 300}), ir.I16, []int16{-2, 300}},
		{">i2", big([]int16{-2, 300}), ir.I16, []int16{-2, 300}},
		{"<i4", little([]int32{math.MinInt32}), ir.I32, []int32{math.MinInt32}},
		{">i4", big([]int32{math.MinInt32, 7}), ir.I32, []int32{math.MinInt32, 7}},
		{"=i8", little([]int64{math.MinInt64}), ir.I64, []int64{math.MinInt64}},
		{">i8", big([]int64{math.MinInt64, 7}), ir.I64, []int64{math.MinInt64, 7}},
		{"|u1", []byte{255}, ir.U8, []uint8{255}},
		{"<u2", little([]uint16{65535}), ir.U16, []uint16{65535}},
		{">u4", big([]uint32{1 << 31}), ir.U32, []uint32{1 << 31}},
		{"<u8", little([]uint64{math.MaxUint64}), ir.U64, []uint64{math.MaxUint64}},
		{"<f4", little([]float32{0.1}), ir.F32, []float32{0.1}},
		{">f4", big([]float32{0.1, -2}), ir.F32, []float32{0.1, -2}},
		{">f8", big([]float64{0.1, -2}), ir.F64, []float64{0.1, -2}},
		{"<M8[D]", little([]int64{-1, 8766}), ir.Date, []int32{-1, 8766}},
		{">M8[D]", big([]int64{math.MinInt32, math.MaxInt32}), ir.Date, []int32{math.MinInt32, math.MaxInt32}},
		{"<M8[us]", little([]int64{-1, 8766}), ir.Timestamp, []int64{-1, 8766}},
		{">M8[s]", big([]int64{-1, 8766}), ir.Timestamp, []int64{-1e6, 8766e6}},
		{"<M8[ms]", little([]int64{-86400000}), ir.Date, []int32{-1}},
		{"<M8[ns]", little([]int64{-5000}), ir.Timestamp, []int64{-5}},
		{"<M8[D]", little([]int64{-2}), ir.Timestamp, []int64{-172800e6}},
		{"|S8", []byte("12345678a\x00b\x00\x00\x00\x00\x00"), ir.Char8, [][8]byte{char8("12345678"), char8("a\x00b")}},
		{"|S3", []byte("abcde\x00"), ir.Char8, [][8]byte{char8("abc"), char8("de")}},
		{"S1", []byte("xy"), ir.Char8, [][8]byte{char8("x"), char8("y")}},
		// other kinds than the file's
		{"|i1", []byte{0xff, 5}, ir.I64, []int64{-1, 5}},
		{"<i2", little([]int16{300}), ir.U64, []uint64{300}},
		{">i8", big([]int64{127}), ir.I8, []int8{127}},
		{"<u8", little([]uint64{math.MaxInt64}), ir.I64, []int64{math.MaxInt64}},
		{">u2", big([]uint16{1, 0}), ir.Bool, []bool{true, false}},
		{"|u1", []byte{3}, ir.F32, []float32{3}},
		{">i4", big([]int32{-3}), ir.F64, []float64{-3}},
		{"<f4", little([]float32{0.5}), ir.F64, []float64{0.5}},
		{">f8", big([]float64{0.1, math.Inf(-1)}), ir.F32, []float32{0.1, float32(math.Inf(-1))}},
	} {
		size := 1
		fmt.Sscanf(strings.TrimLeft(c.dtype, "<>|=?biufMS"), "%d", &size)
		if size == 8 && c.dtype[0] == '=' && nativeOrder == ">" {
			continue
		}
		got, err := readArray(t, npyOf(c.dtype, len(c.elements)/size, c.elements...), c.kind)
		if err != nil {
			t.Errorf("%s as %v: %v", c.dtype, c.kind, err)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s as %v: %s", c.dtype, c.kind, d)
		}
	}
}

func TestNumPyHeaders(t *testing.T) {
	for _, file := range [][]byte{
		npyText(1, `{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }`, 1, 2, 3),
		npyText(2, `{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }      `, 1, 2, 3),
		npyText(3, `{"shape":(3 ,),"fortran_order":False,"descr":"u1"}`, 1, 2, 3),
		npyText(1, `{ 'shape' : ( 3L, ) , 'descr' : '|u1' , 'fortran_order' : False }`, 1, 2, 3),
	} {
		if got, err := readArray(t, file, ir.U8); err != nil || cmp.Diff([]uint8{1, 2, 3}, got) != "" {
			t.Errorf("%q: %v, %v", file, got, err)
		}
	}
	if got, err := readArray(t, npyOf("<f8", 0), ir.F64); err != nil || cmp.Diff([]float64{}, got, cmpopts.EquateEmpty()) != "" {
		t.Errorf("no rows: %v, %v", got, err)
	}
}

func TestBadNumPy(t *testing.T) {
	eight := make([]byte, 8)
	nat := binary.LittleEndian.AppendUint64(nil, 1<<63)
	far := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for _, c := range []struct {
		name string
		file []byte
		kind ir.Kind
		want string
	}{
		{"empty", nil, ir.I64, "x.npy: this is not a NumPy array file"},
		{"another file", []byte("a,b\n1,2\n3,4\n5,6\n"), ir.I64, "this is not a NumPy array file"},
		{"version", npyText(4, "{}"), ir.I64, "version 4 of the NumPy format"},
		{"cut off in the header", npyOf("<i8", 1, eight...)[:40], ir.I64, "the header would have 62 bytes; the file has 40"},
		{"cut off in the elements", npyOf("<i8", 1, eight[:7]...), ir.I64, "the header says 1 elements of 8 bytes, but 7 bytes follow it"},
		{"more than the header says", npyOf("<i8", 1, make([]byte, 9)...), ir.I64, "but 9 bytes follow it"},
		{"header of 4 GiB", append([]byte(npyMagic), 2, 0, 255, 255, 255, 255), ir.I64, "the header would have 4294967295 bytes"},
		{"a bomb", npyText(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904,), }", eight...), ir.I64, "says 4611686018427387904 elements"},
		{"a bomb of 2^64+8 bytes", npyText(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2305843009213693953,), }", eight...), ir.I64, "says 2305843009213693953 elements"},
		{"a long header", npyText(2, "{'descr': '|i1', 'shape': (1,)}"+strings.Repeat(" ", npyMaxHeader), 1), ir.I8, "at most 65536 are read"},
		{"no dictionary", npyText(1, "nothing"), ir.I64, "names no element type"},
		{"no shape", npyText(1, "{'descr': '<i8'}"), ir.I64, "names no element type or no shape"},
		{"negative", npyText(1, "{'descr': '<i8', 'shape': (-1,)}"), ir.I64, `shape "(-1,)", which is no number of rows`},
		{"too large a number", npyText(1, "{'descr': '<i8', 'shape': (9223372036854775808,)}"), ir.I64, "is no number of rows"},
		{"scalar", npyText(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", eight...), ir.I64, `the shape "()"`},
		{"matrix", npyText(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }", eight...), ir.I64, `the shape "(1, 1)"; a column is an array of one dimension`},
		{"structured", npyText(1, "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,), }", eight...), ir.I64, "elements of several fields"},
		{"half float", npyOf("<f2", 1, 0, 0), ir.F32, `the dtype "<f2"; bool, i1 to i8`},
		{"complex", npyOf("<c8", 1, eight...), ir.F32, `"<c8"`},
		{"text of Python", npyOf("<U2", 1, eight...), ir.Char8, `"<U2"`},
		{"objects", npyOf("|O", 1, eight...), ir.Char8, `"|O"`},
		{"long strings", npyOf("|S9", 0), ir.Char8, `"|S9"`},
		{"strings of nothing", npyOf("|S0", 5), ir.Char8, `"|S0"`},
		{"years", npyOf("<M8[Y]", 1, eight...), ir.Date, `"<M8[Y]"; bool, i1 to i8, u1 to u8, f4, f8, M8[D] to M8[ns]`},
		{"durations", npyOf("<m8[D]", 1, eight...), ir.Date, `"<m8[D]"`},
		{"float as integer", npyOf("<f8", 1, eight...), ir.I64, `column a for parameter a has the dtype <f8; i64 is read from arrays of integers`},
		{"integer as date", npyOf("<i4", 1, 0, 0, 0, 0), ir.Date, "date is read from M8[D] arrays"},
		{"bool as integer", npyOf("|b1", 1, 1), ir.I64, "i64 is read from arrays of integers"},
		{"date as integer", npyOf("<M8[D]", 1, eight...), ir.I64, "i64 is read from arrays of integers"},
		{"string as integer", npyOf("|S8", 1, eight...), ir.I64, "i64 is read from arrays of integers"},
		{"integer as string", npyOf("<i8", 1, eight...), ir.Char8, "char8 is read from S1 to S8 arrays"},
		{"integer as bool", npyOf("|u1", 2, 1, 2), ir.Bool, `column "a", row 1: "2" is not a bool`},
		{"out of range", npyOf(">i2", 3, 0, 1, 0, 127, 0, 128), ir.I8, `x.npy: column "a", row 2: "128" is out of range for i8; it holds -128 to 127`},
		{"negative as unsigned", npyOf("|i1", 1, 255), ir.U64, `row 0: "-1" is out of range for u64`},
		{"large float", npyOf(">f8", 1, binary.BigEndian.AppendUint64(nil, math.Float64bits(1e300))...), ir.F32, `row 0: "1e+300" is out of range for f32`},
		{"no date", npyOf("<M8[D]", 2, append(eight, nat...)...), ir.Date, "row 1: the date is NaT"},
		{"no timestamp", npyOf("<M8[us]", 2, append(eight, nat...)...), ir.Timestamp, "row 1: the timestamp is NaT"},
		{"far date", npyOf("<M8[D]", 1, far...), ir.Date, `"1099511627776 days since 1970-01-01" is out of range for date; dates reach from`},
	} {
		_, err := readArray(t, c.file, c.kind)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v\n want %s", c.name, err, c.want)
		}
	}
}

// TestCutNumPy: a file that ends early is an error, wherever it ends.
func TestCutNumPy(t *testing.T) {
	file := npyOf("<i4", 20, make([]byte, 80)...)
	if _, err := readArray(t, file, ir.I32); err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if _, err := readArray(t, file[:n], ir.I32); err == nil {
			t.Errorf("%d of %d bytes: no error", n, len(file))
		}
	}
}

// TestLongNumPy reads an array of several chunks; the first fault counts.
func TestLongNumPy(t *testing.T) {
	const rows = 5*npyChunk/2 + 3
	elements := make([]byte, 2*rows)
	for i := range rows {
		binary.BigEndian.PutUint16(elements[2*i:], uint16(i%100))
	}
	path := writeArray(t, t.TempDir(), "x.npy", npyOf(">i2", rows, elements...))
	source := NewSource(t.Context(), nil)
	defer source.Memory.Close()
	var progress []int64
	source.Progress = func(done, total int64) {
		if total != 2*rows {
			t.Errorf("progress of %d, want %d", total, 2*rows)
		}
		progress = append(progress, done)
	}
	for _, k := range []ir.Kind{ir.I16, ir.U64} {
		progress = nil
		columns, err := source.Read(path, []Field{{Column: "a", Param: "a", Kind: k}})
		if err != nil {
			t.Fatal(err)
		}
		if columns[0].Len() != rows {
			t.Fatalf("%d rows", columns[0].Len())
		}
		for i := range rows {
			if got := columns[0].At(i).Int64(); got != int64(i%100) {
				t.Fatalf("%v: row %d is %d", k, i, got)
			}
		}
		if len(progress) != 6 || !slices.IsSorted(progress) || progress[5] != 2*rows {
			t.Errorf("progress %v", progress)
		}
	}
	first := npyChunk + 5 // in the third chunk; there are more behind it
	for _, row := range []int{first, rows - 1} {
		binary.BigEndian.PutUint16(elements[2*row:], 5000)
	}
	path = writeArray(t, t.TempDir(), "x.npy", npyOf(">i2", rows, elements...))
	for range 10 {
		_, err := readFile(t.Context(), path, []Field{{Column: "a", Param: "a", Kind: ir.I8}}, nil)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`row %d: "5000" is out of range`, first)) {
			t.Fatalf("error %v", err)
		}
	}
	var limit *memory.LimitError
	source.Memory = memory.NewSpace(1000)
	if _, err := source.Read(path, []Field{{Column: "a", Param: "a", Kind: ir.I16}}); !errors.As(err, &limit) || limit.Needed != 2*rows {
		t.Errorf("over the limit: %v", err)
	}
}

func TestNumPyFolder(t *testing.T) {
	folder := t.TempDir()
	writeArray(t, folder, "a.npy", npyOf("|u1", 2, 1, 2))
	writeArray(t, folder, "b c.npy", npyOf("|i1", 2, 3, 4))
	writeArray(t, folder, "other.npy", npyOf("<U1", 0))
	for _, path := range []string{folder, folder + "/"} {
		columns, err := readFile(t.Context(), path, []Field{{Column: "b c", Param: "p", Kind: ir.I8}, {Column: "a", Param: "q", Kind: ir.U8}, {Column: "a", Param: "r", Kind: ir.I64}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]ir.Column{{Kind: ir.I8, Slice: []int8{3, 4}}, {Kind: ir.U8, Slice: []uint8{1, 2}}, {Kind: ir.I64, Slice: []int64{1, 2}}}, columns); d != "" {
			t.Error(d)
		}
		if rows, known, err := NewSource(t.Context(), nil).Rows(path); rows != 2 || !known || err != nil {
			t.Errorf("%d rows, %v, %v", rows, known, err)
		}
	}
	writeArray(t, folder, "long.npy", npyOf("|i1", 3, 3, 4, 5))
	if rows, _, err := NewSource(t.Context(), nil).Rows(folder); rows != 2 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
	for _, c := range []struct {
		columns []string
		want    string
	}{
		{[]string{"a", "long"}, "the columns of a folder are equally long, but a.npy has 2 rows and long.npy has 3"},
		{[]string{"a", "x"}, `no column x for parameter p; the file has a, "b c", long, other (bind another by --bind p=COLUMN)`},
		{[]string{"other"}, `: other.npy: the array has the dtype "<U1"`},
		{[]string{"../a"}, `"../a" is no name for a file`},
		{[]string{""}, `is no name for a file`},
	} {
		var fields []Field
		for _, name := range c.columns {
			fields = append(fields, Field{Column: name, Param: "p", Kind: ir.I8})
		}
		if _, err := readFile(t.Context(), folder, fields, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %s", c.columns, err, c.want)
		}
	}
	if _, err := readFile(t.Context(), filepath.Join(folder, "missing")+"/", []Field{{Column: "a", Param: "a", Kind: ir.I8}}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	one := filepath.Join(folder, "a.npy")
	if _, err := readFile(t.Context(), one, []Field{{Column: "a", Param: "a", Kind: ir.U8}, {Column: "b", Param: "b", Kind: ir.U8}}, nil); err == nil ||
		!strings.Contains(err.Error(), "a.npy: the file holds one column, but 2 are bound (a,b); give a folder with the files a.npy, b.npy") {
		t.Errorf("two columns of a file: %v", err)
	}
}

func TestWriteNumPy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	all := Table{Columns: []Named{{"a", sequence(2)}, {"day", ir.Column{Kind: ir.Date, Slice: []int32{-1, 1}}}}}
	if err := Write(t.Context(), folder+"/", all, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a.npy", "day.npy"}, folderNames(t, folder)); d != "" {
		t.Error(d)
	}
	got, err := os.ReadFile(filepath.Join(folder, "day.npy"))
	if err != nil {
		t.Fatal(err)
	}
	header := "\x93NUMPY\x01\x00\x76\x00{'descr': '" + nativeOrder + "M8[D]', 'fortran_order': False, 'shape': (2,), }"
	want := []byte(header + strings.Repeat(" ", 127-len(header)) + "\n")
	want = binary.NativeEndian.AppendUint64(want, math.MaxUint64)
	want = binary.NativeEndian.AppendUint64(want, 1)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if header := npyHeader(ir.Date, math.MaxInt64); len(header) != npyHeaderLen || header[npyHeaderLen-1] != '\n' {
		t.Errorf("the longest header is %q", header)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "x.npy"):           "x.npy would hold one column, but there are 2 (a,day); write the folder",
		filepath.Join(folder, "a.npy") + "/":     "a.npy is a file, not a folder",
		filepath.Join(folder, "no", "one") + "/": "no such file",
	} {
		if err := Write(t.Context(), path, all, nil); err == nil || !strings.Contains(err.Error(), want) && runtime.GOOS == "linux" {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	slash := Table{Columns: []Named{{"a", sequence(2)}, {"x/y", sequence(2)}}}
	other := filepath.Join(t.TempDir(), "other")
	if err := Write(t.Context(), other+"/", slash, nil); err == nil || !strings.Contains(err.Error(), `"x/y" is no name for a file`) {
		t.Errorf("slash in a name: %v", err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("the folder of a failed write is there")
	}
}

func TestFolderIsAllOrNothing(t *testing.T) {
	made, found := filepath.Join(t.TempDir(), "made"), t.TempDir()
	writeArray(t, found, "a.npy", []byte("old"))
	for _, folder := range []string{made, found} {
		stage := NewStage(t.Context(), nil)
		w, err := stage.NewWriter(folder+"/", []Field{{Column: "a", Kind: ir.I64}, {Column: "b", Kind: ir.I64}})
		if err == nil {
			err = w.Write([]ir.Column{sequence(3), sequence(3)})
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		stage.Abort()
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the folder that was made is there")
	}
	if names := folderNames(t, found); len(names) != 1 {
		t.Errorf("the folder holds %v", names)
	}
	stage := NewStage(t.Context(), nil)
	if err := stage.createFolder(made); err != nil {
		t.Fatal(err)
	}
	if err := stage.Commit(); err != nil {
		t.Fatal(err)
	}
	stage.Abort()
	if names := folderNames(t, made); len(names) != 0 { // it is there
		t.Errorf("the folder holds %v", names)
	}
	if old, err := os.ReadFile(filepath.Join(found, "a.npy")); string(old) != "old" || err != nil {
		t.Errorf("the old file holds %q, %v", old, err)
	}
}

func TestNumPyAndStreams(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs the names that Linux has for open pipes")
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	for path, use := range map[string]func(path string) error{
		fmt.Sprintf("/proc/self/fd/%d", in.Fd()): func(path string) error {
			_, err := readFile(t.Context(), path, []Field{{Column: "a", Param: "a", Kind: ir.I64}}, nil)
			return err
		},
		fmt.Sprintf("/proc/self/fd/%d", out.Fd()): func(path string) error {
			return Write(t.Context(), path, Table{Columns: []Named{{"a", sequence(1)}}}, nil)
		},
	} {
		link := filepath.Join(t.TempDir(), "x.npy")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		if err := use(link); err == nil || !strings.Contains(err.Error(), "stream") {
			t.Errorf("error %v", err)
		}
	}
}

func FuzzReadNumPy(f *testing.F) {
	f.Add(npyOf("<i8", 1, 1, 2, 3, 4, 5, 6, 7, 8), uint8(ir.I64))
	f.Add(npyOf("|S3", 2, []byte("abcdef")...), uint8(ir.Char8))
	f.Add(npyText(2, `{"descr":">f4","shape":(1,)}`, 1, 2, 3, 4), uint8(ir.F64))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte, kind uint8) {
		k := ir.Bool + ir.Kind(kind)%(ir.Char8-ir.Bool+1)
		source := NewSource(t.Context(), nil)
		defer source.Memory.Close()
		columns, err := source.Read(writeArray(t, folder, "x.npy", file), []Field{{Column: "a", Param: "a", Kind: k}})
		if err == nil && columns[0].Len() > len(file) {
			t.Errorf("%d rows from %d bytes", columns[0].Len(), len(file))
		}
	})
}

func BenchmarkNumPy(b *testing.B) {
	all := Table{Columns: []Named{{"a", sequence(8 << 20)}}}
	path := filepath.Join(b.TempDir(), "x.npy")
	b.Run("write", func(b *testing.B) {
		b.SetBytes(64 << 20)
		for b.Loop() {
			if err := Write(b.Context(), path, all, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, k := range []ir.Kind{ir.I64, ir.I32} {
		b.Run(fmt.Sprintf("read as %v", k), func(b *testing.B) {
			b.SetBytes(64 << 20)
			for b.Loop() {
				source := NewSource(b.Context(), nil)
				if _, err := source.Read(path, []Field{{Column: "a", Param: "a", Kind: k}}); err != nil {
					b.Fatal(err)
				}
				source.Memory.Close()
			}
		})
	}
}
