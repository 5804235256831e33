package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// readTexts runs Bind and Read over a file, and returns the strings of every column of
// kind Text.
func readTexts(t *testing.T, source string, flags Flags) [][]string {
	t.Helper()
	pipelines, errs := ir.Load("p.kg", []byte(source))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	binding, err := Bind(pipelines[0], flags)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := binding.Read(NewSource(t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	var texts [][]string
	for _, c := range columns {
		if c.Kind != ir.Text {
			continue
		}
		if !slices.IsSorted(c.Texts) || len(slices.Compact(slices.Clone(c.Texts))) != len(c.Texts) {
			t.Errorf("the dictionary is %q", c.Texts)
		}
		var list []string
		for _, code := range c.Slice.([]int32) {
			list = append(list, c.Texts[code])
		}
		texts = append(texts, list)
	}
	return texts
}

const textSource = `pipeline p(x: [n]text, y: [n]text missing "(none)", there: [n]bool present y, which: text = "home") {
	return x, y, there, hit: x == "never seen" || x < which
}
`

// someTexts has texts that formats have to quote, and which repeat.
func someTexts(rows int) (x, y []string) {
	base := []string{"", "a", "home", "a longer text of more than eight bytes", `with "quotes", commas`, "line\nbreak", "Ünïcode", "é", "z\x00z", " blanks "}
	for row := range rows {
		x = append(x, base[row*7%len(base)])
		y = append(y, fmt.Sprint("row ", row%977))
	}
	return x, y
}

// TestTexts: what formats write they read back, also where every text is another one and
// a page has no dictionary.
func TestTexts(t *testing.T) {
	for _, rows := range []int{0, 1, 10, 5000, 300_000} {
		x, y := someTexts(rows)
		if rows == 300_000 {
			for row := range x {
				x[row] = fmt.Sprint("another text ", row)
			}
		}
		var all Texts
		columns := []ir.Column{ir.NewColumn(ir.Text, rows), ir.NewColumn(ir.Text, rows)}
		for row := range rows {
			for i, text := range []string{x[row], y[row]} {
				code, err := all.Code(text)
				if err != nil {
					t.Fatal(err)
				}
				columns[i].Set(row, ir.Int(ir.Text, int64(code)))
			}
		}
		all.Finish(columns)
		for _, name := range []string{"t.csv", "t.parquet"} {
			path := filepath.Join(t.TempDir(), name)
			if err := Write(t.Context(), path, Table{Columns: []Named{{"x", columns[0]}, {"y", columns[1]}}}, nil); err != nil {
				t.Fatal(err)
			}
			got := readTexts(t, textSource, Flags{In: []string{path}, Set: []string{"which=zebra"}})
			if !slices.Equal(got[0], x) || !slices.Equal(got[1], y) {
				t.Errorf("%s, %d rows: %.300s", name, rows, cmp.Diff(x, got[0])+cmp.Diff(y, got[1]))
			}
			if d := cmp.Diff([][]string{{"zebra"}, {"never seen"}}, got[2:]); d != "" {
				t.Error(d)
			}
		}
	}
}

func TestMissingTexts(t *testing.T) {
	path := writeTemp(t, "x,y\nb,\n,q\n")
	if d := cmp.Diff([][]string{{"b", ""}, {"(none)", "q"}, {"home"}, {"never seen"}}, readTexts(t, textSource, Flags{In: []string{path}})); d != "" {
		t.Error(d)
	}
	some := func(text string) parquet.Value { return parquet.ByteArrayValue([]byte(text)).Level(0, 1, 0) }
	file := writeValuesFile(t, []parquetValues{{parquet.String(), textValues("b", "a long text of b")}, {parquet.Optional(parquet.String()), []parquet.Value{{}, some("a longer one")}}}, 2)
	got := readTexts(t, textSource, Flags{In: []string{file}, Bind: []string{"x=a", "y=b"}})
	if d := cmp.Diff([][]string{{"b", "a long text of b"}, {"(none)", "a longer one"}, {"home"}, {"never seen"}}, got); d != "" {
		t.Error(d)
	}
	_, err := readFile(t.Context(), file, []Field{{Column: "b", Param: "x", Kind: ir.Text, Texts: &Texts{}}}, nil)
	if err == nil || !strings.Contains(err.Error(), `column "b", row 0: the value is NULL, but every row needs a text`) {
		t.Errorf("NULL: %v", err)
	}
}

// Arrays of NumPy hold no texts.
func TestTextsNeedOtherFormats(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "x.npy"), npyOf("|S3", 1, 'a', 'b', 'c'), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readFile(t.Context(), folder+"/", []Field{{Column: "x", Param: "x", Kind: ir.Text, Texts: &Texts{}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "text is read from CSV and Parquet files") {
		t.Errorf("reading: %v", err)
	}
	c := ir.Column{Kind: ir.Text, Slice: []int32{0}, Texts: []string{"a"}}
	if err := Write(t.Context(), filepath.Join(folder, "y.npy"), Table{Columns: []Named{{"y", c}}}, nil); err == nil || !strings.Contains(err.Error(), "arrays hold no texts") {
		t.Errorf("writing: %v", err)
	}
	if err := (Table{Columns: []Named{{"y", ir.Column{Kind: ir.Text, Slice: []int32{0}, Texts: []string{"\xff"}}}}}).RefuseJSON(); err == nil {
		t.Error("JSON takes a text that is not UTF-8")
	}
}

func BenchmarkReadTexts(b *testing.B) {
	for _, distinct := range []int{100, 100_000} {
		var text strings.Builder
		text.WriteString("page\n")
		for row := range 200_000 {
			fmt.Fprintf(&text, "/shop/article/%d\n", row*7919%distinct)
		}
		path := writeTemp(b, text.String())
		b.Run(fmt.Sprint(distinct), func(b *testing.B) {
			for b.Loop() {
				texts := &Texts{}
				columns, err := readFile(b.Context(), path, []Field{{Column: "page", Param: "page", Kind: ir.Text, Texts: texts}}, nil)
				if err != nil {
					b.Fatal(err)
				}
				texts.Finish(columns)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200_000, "ns/row")
		})
	}
}

// The strings of a dictionary count towards the limit of memory.
func TestTextsCount(t *testing.T) {
	var text strings.Builder
	text.WriteString("x\n")
	for row := range 1000 {
		fmt.Fprintf(&text, "%d %s\n", row, strings.Repeat("y", 1000))
	}
	path := writeTemp(t, text.String())
	parquetPath := filepath.Join(t.TempDir(), "x.parquet")
	all, c := &Texts{}, ir.NewColumn(ir.Text, 1000)
	for row := range 1000 {
		code, err := all.Code(fmt.Sprint(row, strings.Repeat("y", 1000)))
		if err != nil {
			t.Fatal(err)
		}
		c.Set(row, ir.Int(ir.Text, int64(code)))
	}
	columns := []ir.Column{c}
	all.Finish(columns)
	if err := Write(t.Context(), parquetPath, Table{Columns: []Named{{"x", columns[0]}}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, parquetPath} {
		pipelines, _ := ir.Load("p.kg", []byte("pipeline p(x: [n]text) {\n\treturn x\n}\n"))
		for limit, wanted := range map[int64]bool{500_000: true, 2_000_000: false} {
			binding, err := Bind(pipelines[0], Flags{In: []string{file}})
			if err != nil {
				t.Fatal(err)
			}
			source := NewSource(t.Context(), nil)
			source.Memory = memory.NewSpace(limit)
			var full *memory.LimitError
			if _, err := binding.Read(source); errors.As(err, &full) != wanted || !wanted && err != nil {
				t.Errorf("%s with %d bytes: %v", filepath.Base(file), limit, err)
			}
		}
	}
}
