package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// smallFiles are files of all encodings and compressions, with the fields to
// read: each of rows, and of every stride-th kind.
func smallFiles(t testing.TB, rows, stride int) (files [][]byte, fields [][]Field) {
	for i, codec := range allCodecs {
		all, allFields := someColumns(rows, i%2 == 0, uint64(i))
		var columns []Named
		var named []Field
		for j := i % stride; j < len(all); j += stride {
			columns, named = append(columns, all[j]), append(named, allFields[j])
		}
		var nodes []parquet.Node
		for j, c := range columns {
			node := plainNode(c.Data.Kind)
			for k := range allEncodings {
				e := allEncodings[(i+j+k)%len(allEncodings)]
				if c.Data.Kind == ir.Bool && e == encoding.Encoding(&parquet.RLEDictionary) || c.Data.Kind != ir.Bool && e == encoding.Encoding(&parquet.RLE) || !canEncode(node, e) {
					continue
				}
				node = parquet.Encoded(node, e)
				break
			}
			if j%3 == i%3 {
				node = parquet.Optional(node)
			}
			nodes = append(nodes, node)
		}
		path := writeParquet(t, parquetOptions{codec: codec, version: i%2 + 1, groupRows: rows * 3 / 4, pageBytes: 400}, columns, nodes...)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files, fields = append(files, data), append(fields, named)
	}
	return files, fields
}

// readBytes reads data as a Parquet file, with at most limit bytes of columns.
func readBytes(t testing.TB, data []byte, fields []Field, limit int64) ([]ir.Column, error) {
	path := filepath.Join(t.TempDir(), "in.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	source := NewSource(t.Context(), nil)
	source.Memory = memory.NewSpace(limit)
	return source.Read(path, fields)
}

func TestCutParquet(t *testing.T) {
	files, fields := smallFiles(t, 200, 1)
	for i, data := range files {
		if _, err := readBytes(t, data, fields[i], 0); err != nil {
			t.Fatal(err)
		}
		for tenth := range 10 {
			_, err := readBytes(t, data[:len(data)*tenth/10], fields[i], 0)
			if err == nil || !strings.Contains(err.Error(), "in.parquet: ") || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("file %d, %d tenths: error %v", i, tenth, err)
			}
		}
		// A part is missing within, the footer is there.
		for tenth := 1; tenth < 9; tenth++ {
			cut := append(bytes.Clone(data[:len(data)*tenth/10]), data[len(data)*(tenth+1)/10:]...)
			if _, err := readBytes(t, cut, fields[i], 1<<20); err == nil {
				t.Errorf("file %d without tenth %d: no error", i, tenth)
			}
		}
	}
}

func TestFlippedParquet(t *testing.T) {
	files, fields := smallFiles(t, 200, 1)
	random := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for i, data := range files {
		for range 60 {
			flipped := bytes.Clone(data)
			at := random.IntN(len(data))
			if random.IntN(2) == 0 { // the footer is shorter than the pages, and matters more
				at = len(data) - 1 - random.IntN(len(data)/4)
			}
			flipped[at] ^= byte(1 + random.IntN(255))
			if _, err := readBytes(t, flipped, fields[i], 1<<20); err != nil {
				failed++
			}
		}
	}
	if failed < 100 { // most of the footer is statistics, which nobody reads
		t.Errorf("only %d flips were noticed", failed)
	}
}

// footerOf decodes the footer of a file, and returns what stands before it.
func footerOf(t testing.TB, data []byte) ([]byte, *format.FileMetaData) {
	t.Helper()
	length := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	body, footer := data[:len(data)-8-length], data[len(data)-8-length:len(data)-8]
	meta := new(format.FileMetaData)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, meta); err != nil {
		t.Fatal(err)
	}
	return body, meta
}

// withFooter appends a footer to the body of a file.
func withFooter(t testing.TB, body []byte, meta *format.FileMetaData) []byte {
	t.Helper()
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		t.Fatal(err)
	}
	return withFooterBytes(body, footer)
}

func withFooterBytes(body, footer []byte) []byte {
	data := append(bytes.Clone(body), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer)))
	return append(data, parquetMagic...)
}

func TestMalformedFooters(t *testing.T) {
	path := writeValuesFile(t, []parquetValues{{parquet.Encoded(parquet.Int(64), &parquet.Plain), int64Values(1, 2, 3)}, {parquet.Optional(parquet.Int(32)), []parquet.Value{{}, {}, {}}}}, 2)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a := []Field{{Column: "a", Param: "p", Kind: ir.I64}}
	column := func(m *format.FileMetaData) *format.ColumnMetaData { return &m.RowGroups[0].Columns[0].MetaData }
	for _, c := range []struct {
		name   string
		change func(m *format.FileMetaData)
		want   string
	}{
		{"nothing", func(m *format.FileMetaData) {}, ""},
		{"rows", func(m *format.FileMetaData) { m.NumRows++ }, "the file is damaged: it claims 4 rows, and its row groups have 3"},
		{"rows of a group", func(m *format.FileMetaData) { m.NumRows++; m.RowGroups[0].NumRows++ }, "claims 2 values for 3 rows"},
		{"negative rows", func(m *format.FileMetaData) { m.NumRows, m.RowGroups[0].NumRows = -1, -2 }, "row group 0 claims -2 rows"},
		{"rows that overflow", func(m *format.FileMetaData) {
			for i := range m.RowGroups {
				m.RowGroups[i].NumRows = math.MaxInt64
			}
		}, "row group 0 claims 9223372036854775807 rows"},
		{"more values than pages have", func(m *format.FileMetaData) {
			m.NumRows, m.RowGroups[0].NumRows, column(m).NumValues = 1e9+1, 1e9, 1e9
		}, `column "a", row 2: the file is damaged: the column claims 1000000000 values and has 2`},
		{"fewer values than pages have", func(m *format.FileMetaData) {
			m.NumRows, m.RowGroups[0].NumRows, column(m).NumValues = 2, 1, 1
		}, "a page claims 2 values, where 1 are missing"},
		{"offset", func(m *format.FileMetaData) { column(m).DataPageOffset = 1 << 40 }, "column a of row group 0 would lie at byte 1099511627776"},
		{"negative offset", func(m *format.FileMetaData) { column(m).DataPageOffset = -1 }, "column a of row group 0 would lie at byte -1"},
		{"size", func(m *format.FileMetaData) { column(m).TotalCompressedSize = math.MaxInt64 }, "would lie at byte"},
		{"negative size", func(m *format.FileMetaData) { column(m).TotalCompressedSize = -1 }, "would lie at byte"},
		{"no bytes", func(m *format.FileMetaData) { column(m).TotalCompressedSize = 0 }, "claims 2 values in no bytes"},
		{"another file", func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].FilePath = "b" }, `is in another file, "b"`},
		{"encrypted column", func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].EncryptedColumnMetadata = []byte{1} }, "column a of row group 0 is encrypted"},
		{"unknown compression", func(m *format.FileMetaData) { column(m).Codec = 77 }, "is not supported"},
		{"another compression", func(m *format.FileMetaData) { column(m).Codec = format.Snappy }, "the file is damaged: a page"},
		{"no schema", func(m *format.FileMetaData) { m.Schema = nil }, "it has no schema"},
		{"schema without columns", func(m *format.FileMetaData) { m.Schema = m.Schema[:1] }, "its schema names more columns than it describes"},
		{"columns without a schema", func(m *format.FileMetaData) { m.Schema = m.Schema[:2]; m.Schema[0].NumChildren.V = 1 }, "row group 0 has 2 columns, the schema 1"},
		{"many children", func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = math.MaxInt32 }, "its schema names more columns than it describes"},
		{"negative children", func(m *format.FileMetaData) { m.Schema[1].NumChildren = thrift.New[int32](-1) }, "its schema has a group of -1 columns"},
		{"twice the same name", func(m *format.FileMetaData) { m.Schema[2].Name = "a" }, `the file names the column "a" twice, as number 1 and 2`},
		{"fewer columns in a group", func(m *format.FileMetaData) { m.RowGroups[1].Columns = m.RowGroups[1].Columns[:1] }, "row group 1 has 1 columns, the schema 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, meta := footerOf(t, whole)
			c.change(meta)
			got, err := readBytes(t, withFooter(t, body, meta), a, 0)
			if c.want == "" && (err != nil || got[0].Len() != 3) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v\n want %s", err, c.want)
			}
		})
	}
	if _, err := readBytes(t, withFooterBytes([]byte(parquetMagic), []byte{0}), a, 0); err == nil {
		t.Error("an empty footer: no error")
	}
	for name, footer := range map[string][]byte{
		"deep":        bytes.Repeat([]byte{0x1C}, 1<<20),
		"deep lists":  bytes.Repeat([]byte{0x19}, 1<<20),
		"long list":   {0x29, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07},
		"long text":   {0x68, 0xFF, 0xFF, 0xFF, 0xFF, 0x07},
		"empty items": append([]byte{0x29, 0xFC, 0x80, 0x80, 0x40}, make([]byte, 1<<20+1)...),
	} {
		if _, err := readBytes(t, withFooterBytes([]byte(parquetMagic), footer), a, 0); err == nil || !strings.Contains(err.Error(), "the file is damaged: its footer: it") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, c := range map[string]struct{ data, want string }{
		"CSV":       {"a,b\n1,2\n3,4\n5,6\n", "this is no Parquet file: those begin and end with PAR1"},
		"empty":     {"", "the file is damaged: it has 0 bytes"},
		"encrypted": {"PARE1234\x00\x00\x00\x00PARE", "the file is encrypted"},
		"length":    {"PAR11234\xFF\xFF\xFF\xFFPAR1", "its footer of 4294967295 bytes would be longer than the file"},
	} {
		if _, err := readBytes(t, []byte(c.data), a, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

// page encodes a page of a column of INT64.
func page(t testing.TB, header format.PageHeader, body []byte) []byte {
	t.Helper()
	header.CompressedPageSize = int32(len(body))
	if header.UncompressedPageSize == 0 {
		header.UncompressedPageSize = int32(len(body))
	}
	data, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	return append(data, body...)
}

func dataPage(values int32, encoding format.Encoding) format.PageHeader {
	return format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{NumValues: values, Encoding: encoding, DefinitionLevelEncoding: format.RLE})}
}

func dictionaryPage(values int32) format.PageHeader {
	return format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: values, Encoding: format.Plain})}
}

// handmade returns a file of one column a, INT64, with these pages.
func handmade(t testing.TB, rows int64, codec format.CompressionCodec, pages ...[]byte) []byte {
	t.Helper()
	body := append([]byte(parquetMagic), bytes.Join(pages, nil)...)
	return withFooter(t, body, &format.FileMetaData{
		NumRows: rows,
		Schema: []format.SchemaElement{
			{Name: "root", NumChildren: thrift.New[int32](1)},
			{Name: "a", Type: thrift.New(format.Int64), RepetitionType: thrift.New(format.Required)},
		},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: format.Int64, PathInSchema: []string{"a"}, Codec: codec, NumValues: rows,
			DataPageOffset: 4, TotalCompressedSize: int64(len(body) - 4),
		}}}}},
	})
}

// TestRunsAreNoBombs: a long run of equal values is a legal file; a page that
// claims values, bytes or rows that it does not have is not, and costs nothing.
func TestRunsAreNoBombs(t *testing.T) {
	a := []Field{{Column: "a", Param: "p", Kind: ir.I64}}
	seven := binary.LittleEndian.AppendUint64(nil, 7)
	run := func(n uint64, index ...byte) []byte { return append(binary.AppendUvarint([]byte{1}, n<<1), index...) }
	const many = 1 << 18
	legal := handmade(t, many, format.Uncompressed, page(t, dictionaryPage(1), seven), page(t, dataPage(many, format.RLEDictionary), run(many, 0)))
	got, err := readBytes(t, legal, a, 0)
	if err != nil || len(legal) > 1000 {
		t.Fatalf("a run in %d bytes: %v", len(legal), err)
	}
	for i, v := range got[0].Slice.([]int64) {
		if v != 7 {
			t.Fatalf("row %d: %d", i, v)
		}
	}
	delta := func(n uint64) []byte { // all differences are 0, and take no bits
		b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 1<<16), 1), n)
		return append(b, 14, 0, 0)
	}
	if got, err := readBytes(t, handmade(t, 1<<16, 0, page(t, dataPage(1<<16, format.DeltaBinaryPacked), delta(1<<16))), a, 0); err != nil || got[0].At(1<<16-1).Int64() != 7 {
		t.Errorf("equal differences: %v", err)
	}
	big := func(h format.PageHeader, size int32) format.PageHeader { h.UncompressedPageSize = size; return h }
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"rows that no page has", handmade(t, 1<<40, 0, page(t, dataPage(1, format.Plain), seven)), "the column claims 1099511627776 values and has 1"},
		{"more rows than can be", handmade(t, 1<<41, 0, page(t, dataPage(1, format.Plain), seven)), "row group 0 claims 2199023255552 rows"},
		{"a page without its values", handmade(t, 1<<27, 0, page(t, dataPage(1<<27, format.Plain), seven)), "a page of 8 bytes claims 134217728 values of 8 bytes"},
		{"a run behind the dictionary", handmade(t, 1<<27, 0, page(t, dictionaryPage(1), seven), page(t, dataPage(1<<27, format.RLEDictionary), run(1<<50, 1))), "a run of a page is cut off"},
		{"an index behind the dictionary", handmade(t, 8, 0, page(t, dictionaryPage(1), seven), page(t, dataPage(8, format.RLEDictionary), run(8, 1))), "a position lies behind the end of the dictionary"},
		{"a packed index behind the dictionary", handmade(t, 8, 0, page(t, dictionaryPage(1), seven), page(t, dataPage(8, format.RLEDictionary), []byte{1, 3, 2})), "a position lies behind the end of the dictionary"},
		{"differences of too many bits", handmade(t, 8, 0, page(t, dataPage(8, format.DeltaBinaryPacked), append([]byte{0x80, 1, 4, 8, 14, 0, 65, 0, 0, 0}, make([]byte, 500)...))), "the values of a page are cut off"},
		{"a wrong checksum", handmade(t, 1, 0, page(t, format.PageHeader{Type: format.DataPage, CRC: 1, DataPageHeader: dataPage(1, format.Plain).DataPageHeader}, seven)), "the checksum of a page is wrong"},
		{"an encoding of another type", handmade(t, 1, 0, page(t, dataPage(1, format.DeltaByteArray), seven)), "INT64 values in the encoding DELTA_BYTE_ARRAY are not supported"},
		{"no run", handmade(t, 8, 0, page(t, dictionaryPage(1), seven), page(t, dataPage(8, format.RLEDictionary), []byte{1})), "a page has fewer values than it claims"},
		{"no dictionary", handmade(t, 8, 0, page(t, dataPage(8, format.RLEDictionary), run(8, 0))), "a dictionary that is not there"},
		{"a dictionary without values", handmade(t, 8, 0, page(t, dictionaryPage(math.MaxInt32), seven)), "a dictionary of 2147483647 values in 8 bytes"},
		{"two dictionaries", handmade(t, 8, 0, page(t, dictionaryPage(1), seven), page(t, dictionaryPage(1), seven)), "two dictionaries"},
		{"differences that are not there", handmade(t, 1<<27, 0, page(t, dataPage(1<<27, format.DeltaBinaryPacked), delta(1<<27))), "the values of a page are cut off"},
		{"more differences than values", handmade(t, 9, 0, page(t, dataPage(9, format.DeltaBinaryPacked), delta(math.MaxInt32))), "a page of 9 values in 1 blocks of 65536 claims 2147483647"},
		{"a snappy bomb", handmade(t, 1<<25, format.Snappy, page(t, big(dataPage(1<<25, format.Plain), 1<<28), []byte{0x80, 0x80, 0x80, 0x80, 0x01, 0})), "a page of 6 bytes claims to hold 268435456"},
		{"a page of many bytes", handmade(t, 1<<28, format.Zstd, page(t, big(dataPage(1<<28, format.Plain), math.MaxInt32), seven)), "pages of up to 268435456 are read"},
		{"endless pages of nothing", handmade(t, 1, 0, bytes.Repeat(page(t, dataPage(0, format.Plain), nil), 1000)), "the column claims 1 values and has 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := readBytes(t, c.data, a, 0)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\n want %s", err, c.want)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("%d bytes were allocated", allocated)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
	// Before there is memory for a claim, the pages' headers are asked.
	source := NewSource(t.Context(), nil)
	path := filepath.Join(t.TempDir(), "in.parquet")
	if err := os.WriteFile(path, handmade(t, 1<<40, 0, page(t, dataPage(1, format.Plain), seven)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Read(path, a); err == nil || source.Memory.Used() != 0 {
		t.Errorf("error %v, %d bytes were given", err, source.Memory.Used())
	}
	// A legal run needs its memory, too.
	_, err = readBytes(t, legal, a, 1<<20)
	var limit *memory.LimitError
	if !errors.As(err, &limit) || limit.Needed != 8*many {
		t.Errorf("error %v", err)
	}
}

// TestMalformedArrays: lengths and prefixes that the page does not have.
func TestMalformedArrays(t *testing.T) {
	lengths := func(values ...int32) []byte {
		b, err := parquet.DeltaBinaryPacked.EncodeInt32(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	array := func(rows int64, pages ...[]byte) []byte {
		body, meta := footerOf(t, handmade(t, rows, format.Uncompressed, pages...))
		meta.Schema[1].Type = thrift.New(format.ByteArray)
		return withFooter(t, body, meta)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		name     string
		encoding format.Encoding
		rows     int32
		body     []byte
		want     any
	}{
		{"prefixes", format.DeltaByteArray, 3, join(lengths(0, 2, 1), lengths(3, 1, 0), []byte("abcd")), [][8]byte{{'a', 'b', 'c'}, {'a', 'b', 'd'}, {'a'}}},
		{"a prefix longer than the value before", format.DeltaByteArray, 3, join(lengths(0, 1, 3), lengths(3, 0, 0), []byte("abc")), "the values of a page are cut off"},
		{"a negative prefix", format.DeltaByteArray, 2, join(lengths(0, -1), lengths(3, 0), []byte("abc")), "the values of a page are cut off"},
		{"a suffix that is not there", format.DeltaByteArray, 1, join(lengths(0), lengths(4), []byte("abc")), "the values of a page are cut off"},
		{"a length that is not there", format.DeltaLengthByteArray, 2, join(lengths(1, 3), []byte("abc")), "the values of a page are cut off"},
		{"a negative length", format.DeltaLengthByteArray, 2, join(lengths(1, -1), []byte("abc")), "the values of a page are cut off"},
		{"a long array", format.Plain, 1, []byte{4, 0, 0, 0, 'a', 'b', 'c'}, "the values of a page are cut off"},
		{"arrays without values", format.Plain, 1, []byte{0, 0, 0, 0, 0, 0, 0, 0}, "a page has more than the 1 values"},
		{"a very long array", format.Plain, 1, []byte{0xFF, 0xFF, 0xFF, 0xFF, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}, "the values of a page are cut off"},
	} {
		got, err := readBytes(t, array(int64(c.rows), page(t, dataPage(c.rows, c.encoding), c.body)), []Field{{Column: "a", Param: "p", Kind: ir.Char8}}, 0)
		if want, ok := c.want.(string); ok {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v\n want %s", c.name, err, want)
			}
		} else if err != nil || !reflect.DeepEqual(got[0].Slice, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestParquetChangedWhileRead(t *testing.T) {
	columns, fields := someColumns(1000, false, 7)
	path := filepath.Join(t.TempDir(), "in.parquet")
	if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
		t.Fatal(err)
	}
	source := NewSource(t.Context(), nil)
	source.Progress = func(int64, int64) {
		if err := os.WriteFile(path, []byte(fmt.Sprint(time.Now())), 0o600); err != nil {
			t.Error(err)
		}
	}
	if _, err := source.Read(path, fields); err == nil || !strings.Contains(err.Error(), "the file has changed while it was read") {
		t.Errorf("error %v", err)
	}
}

func FuzzReadParquet(f *testing.F) {
	files, fields := smallFiles(f, 20, 3)
	for _, data := range files {
		f.Add(data)
	}
	path := filepath.Join(f.TempDir(), "in.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, columns := range append(fields, []Field{{Column: "i64", Param: "p", Kind: ir.F64}, {Column: "u8", Param: "p", Kind: ir.Bool}, {Column: "f64", Param: "p", Kind: ir.F32}}) {
			source := NewSource(t.Context(), nil)
			source.Memory = memory.NewSpace(1 << 24)
			got, err := source.Read(path, columns)
			if err == nil && len(got) != len(columns) {
				t.Errorf("%d columns", len(got))
			}
			source.Memory.Close()
		}
	})
}
