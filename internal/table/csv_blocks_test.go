package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// readSequentially does the work of readCSV without blocks.
func readSequentially(text string, fields []Field) ([]ir.Column, error) {
	records := csv.NewReader(bytes.NewReader(keepCRLF([]byte(strings.TrimPrefix(text, byteOrderMark)))))
	header, err := records.Read()
	if err == io.EOF {
		return nil, &DataError{Msg: "the file is empty; its first line must name the columns" + wanted(fields)}
	}
	if err != nil {
		return nil, csvError(err, 1, 0, 0)
	}
	places, err := locate(header, fields)
	if err != nil {
		return nil, err
	}
	var builders []builder
	for _, f := range fields {
		builders = append(builders, newBuilder(f.Kind))
	}
	for row := int64(0); ; row++ {
		record, err := records.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err, 1, len(record), len(header))
		}
		for i, b := range builders {
			if err := b.add(record[places[i]]); err != nil {
				line, _ := records.FieldPos(places[i])
				return nil, &DataError{Line: line, Column: fields[i].Column, Row: row, Msg: err.Error()}
			}
		}
	}
	var columns []ir.Column
	for _, b := range builders {
		columns = append(columns, b.column())
	}
	return columns, nil
}

// outcome is a text that tells results and errors apart.
func outcome(columns []ir.Column, err error) string {
	if err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, c := range columns {
		fmt.Fprintln(&all, c.Len(), textOf(c))
	}
	return all.String()
}

// blockSizes are those of a test: a few around the length of a line, and one
// for all.
var blockSizes = []int{1, 2, 3, 5, 8, 13, 64, 1 << 16}

func compareBlocks(t *testing.T, text string, fields []Field) {
	t.Helper()
	want := outcome(readSequentially(text, fields))
	for _, size := range blockSizes {
		source := NewSource(context.Background(), strings.NewReader(text))
		got := outcome(readCSV(source, Standard, fields, csvSizes{block: size, record: 1 << 20}))
		source.Memory.Close()
		if got != want {
			t.Fatalf("blocks of %d bytes of %q:\n%s\nwant\n%s", size, text, got, want)
		}
	}
}

func TestBlocksAreAsOneFile(t *testing.T) {
	fields := []Field{{Column: "a", Param: "a", Kind: ir.Char8}, {Column: "b", Param: "b", Kind: ir.I64}}
	for _, text := range []string{
		"", "\n", "\r\n", "\n\n\n", byteOrderMark, byteOrderMark + "\n\na,b\n1,2\n", "a,b", "a,b\n", "\n\r\n\na,b\n\n1,2\n\n\n3,4\n\n",
		"a,b\r\n1,2\r\n3,4\r", "a,b\n1,2\r3,4\n", "a,b\n\r1,2\n", "a,b\n1,2\n\r", "a,b\n1,2\n\r\n\r\n",
		"a,b\n\"1\n2\",3\nx,4\n", "a,b\n\"\n\n\n\",1\n\"\r\n\",2\nx,y\n", "a,\"b\"\n\"\"\"\",1\n\"\"\"\n\"\"\",2\nx,y",
		"\"a\",\"b\"\n\"x\",\"1\"\n", "a,b\n1,2\n\"3,4\n5,6\n", "a,b\n1,2\n\"3", "a,b\n1,2\n3\"\"3,4\n5,6\n\"", "a,b\n1,2\n3\"3,4\n5,6\n",
		"a,b\n\"1\"x,2\n\"3\",4\n", "a,b\n\"1\" ,2\nx,y\n", "a,b\n1,2\n3\n4,5\n", "a,b\n1,2,3\n", "a,b\n1,x\n\"\n", "a,b\n\"\n\",x\n1\n",
		"a\"b\n1,2\n", "\"a\nb", "a,\"c\nd\",b\n1,2,3\n4,5,6\n", "a,c\n1,2\n", "a,b\n,1\n,\n",
		byteOrderMark + byteOrderMark + "a,b\n1,2\n", byteOrderMark[:2], "\n" + byteOrderMark + "a,b\n1,2\n", "a,b\n" + byteOrderMark + "1,2\n" + byteOrderMark + "3,x\n",
	} {
		compareBlocks(t, text, fields)
	}
	pieces := []string{`"`, `"`, `""`, ",", ",", "\n", "\n", "\r\n", "\r", "1", "23", "x", " ", "\"4\"", "\"5\n6\"", "7,8\n", "\"9\",10\n", "1,2\n3,4\n"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 6_000 {
		text := []string{"a,b\n", "a,b\r\n", "b,\"a\"\n", "\n\na,b\n", "a,\"x\ny\",b\n", ""}[random.IntN(6)]
		for range random.IntN(12) {
			text += pieces[random.IntN(len(pieces))]
		}
		compareBlocks(t, text, fields)
	}
}

func FuzzBlocksAreAsOneFile(f *testing.F) {
	f.Add("a,b\n\"1\n\",2\n\"3\"\"\",x\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		compareBlocks(t, text, []Field{{Column: "a", Param: "a", Kind: ir.Char8}, {Column: "b", Param: "b", Kind: ir.I64}})
	})
}

func TestFilesAndStreamsReadAlike(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 30_000 {
		fmt.Fprintf(&text, "\"%d\n\",%d\n", i%1000, i)
	}
	fields := parseFields(t, []string{"b:i64", "a:char8"})
	want := outcome(readSequentially(text.String(), fields))
	path := writeTemp(t, text.String())
	for name, stdin := range map[string]io.Reader{
		"":        strings.NewReader(text.String()),
		"halves":  iotest.HalfReader(strings.NewReader(text.String())),
		"dataErr": iotest.DataErrReader(strings.NewReader(text.String())),
	} {
		if got := outcome(readFile(t.Context(), Standard, fields, stdin)); got != want {
			t.Errorf("stream %s differs", name)
		}
	}
	source := NewSource(t.Context(), nil)
	var progress []int64
	source.Progress = func(done, total int64) {
		if total != int64(text.Len()) {
			t.Errorf("progress of %d bytes, want %d", total, text.Len())
		}
		progress = append(progress, done)
	}
	if got := outcome(readCSV(source, path, fields, csvSizes{block: 10_000, record: 10_000})); got != want {
		t.Error("file differs")
	}
	if !slices.IsSorted(progress) || len(progress) < text.Len()/10_000 || progress[len(progress)-1] != int64(text.Len()) {
		t.Errorf("progress %v", progress)
	}
}

func TestFailedReadOfCSV(t *testing.T) {
	broken := errors.New("broken")
	read := func(text string, sizes csvSizes) error {
		in := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		_, err := readCSV(NewSource(t.Context(), in), Standard, parseFields(t, []string{"a:i64"}), sizes)
		return err
	}
	for _, size := range blockSizes {
		sizes := csvSizes{block: size, record: 1 << 20}
		for _, text := range []string{"", "a", "a\n", "a\n1\n2\n", "a\n1\n2"} {
			if err := read(text, sizes); err != broken {
				t.Errorf("blocks of %d, %q: error %v", size, text, err)
			}
		}
		if err := read("a\n1\nx\n3\n", sizes); err == nil || !strings.Contains(err.Error(), `row 1: "x"`) {
			t.Errorf("blocks of %d: error %v, want that of the row before the failed read", size, err)
		}
	}
}

func TestErrorEndsAStreamThatStaysOpen(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	go io.WriteString(out, "a\n1\nx\n1\n")
	_, err := readCSV(NewSource(t.Context(), in), Standard, parseFields(t, []string{"a:i64"}), csvSizes{block: 4, record: 100})
	if err == nil || !strings.Contains(err.Error(), `line 3: column "a", row 1`) {
		t.Errorf("error %v", err)
	}
}

func TestLongRecord(t *testing.T) {
	fields := parseFields(t, []string{"a:char8"})
	for _, c := range []struct{ text, want string }{
		{"a\nx\n\"" + strings.Repeat("y\n", 1000), "line 3: a row of more than"},
		{"a\nx\n" + strings.Repeat("y", 1000), "line 3: a row of more than"},
		{"a\nx\ny\"" + strings.Repeat("y\n", 1000), "line 3: byte 2: a quote inside a field"},
		{"\"" + strings.Repeat("y\n", 1000), "line 1: a row of more than"},
		{"a\nx\n" + strings.Repeat("y", 60) + "\n", `line 3: column "a", row 1: `},
	} {
		_, err := readCSV(NewSource(t.Context(), strings.NewReader(c.text)), Standard, fields, csvSizes{block: 16, record: 100})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.20q: error %v, want %s", c.text, err, c.want)
		}
	}
}

func TestMemoryOfCSV(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,2\n", 100_000)
	fields := parseFields(t, []string{"a:i64", "b:i32"})
	const need = 12 * 100_000
	read := func(limit int64) (*Source, error) {
		source := NewSource(t.Context(), strings.NewReader(text))
		source.Memory = memory.NewSpace(limit)
		_, err := readCSV(source, Standard, fields, csvSizes{block: 1000, record: 1000})
		return source, err
	}
	source, err := read(need)
	if err != nil {
		t.Errorf("exactly what is needed: %v", err)
	}
	if source.Memory.Used() != need {
		t.Errorf("used %d, want %d", source.Memory.Used(), need)
	}
	source.Memory.Close()
	source, err = read(need - 1)
	var limit *memory.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("less than needed: %v", err)
	}
	source.Memory.Close()
}

func TestValueAppendersAgreeWithScalars(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := ir.NewColumn(k, 100)
		raw := raw.Bytes(c)
		for i := range raw {
			raw[i] = byte(random.Uint32())
			if k == ir.Bool {
				raw[i] &= 1
			}
		}
		appendValue := valueAppender(c)
		for row := range c.Len() {
			text := appendValue(nil, row)
			back, err := ParseScalar(k, string(text))
			if err != nil {
				t.Fatalf("%v: %v", k, err)
			}
			one := ir.NewColumn(k, 1)
			one.Set(0, back)
			if d := cmp.Diff(textOf(Rows(c, row, row+1)), textOf(one)); d != "" {
				t.Errorf("%v: %s: %s", k, text, d)
			}
			if got := AppendScalar([]byte("x"), c.At(row)); !bytes.Equal(got, append([]byte("x"), text...)) {
				t.Errorf("%v: %s and %s", k, text, got)
			}
		}
	}
}

// TestManyLines: batches of lines come out in their order.
func TestManyLines(t *testing.T) {
	c := sequence(3*linesAtOnce + 5)
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := Write(t.Context(), path, Table{Columns: []Named{{"a", c}}}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != c.Len()+2 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines[1 : c.Len()+1] {
		if line != fmt.Sprint(i) {
			t.Fatalf("line %d is %s", i, line)
		}
	}
}

func TestFailedWriteOfLines(t *testing.T) {
	full := errors.New("full")
	out := writerFunc(func(p []byte) (int, error) {
		if len(p) > 1000 {
			return 0, full
		}
		return len(p), nil
	})
	if err := writeText(out, Table{Columns: []Named{{"a", sequence(10 * linesAtOnce)}}}); err != full {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
