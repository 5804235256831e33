package table

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/kgen-go/kgen/ir"
)

func TestPatterns(t *testing.T) {
	at := func(text string) int64 {
		s, err := ParseScalar(ir.Timestamp, text)
		if err != nil {
			t.Fatal(err)
		}
		return s.Int64()
	}
	for _, c := range []struct{ pattern, text, want string }{
		{"%d.%m.%Y", "01.05.2024", "2024-05-01"},
		{"%d.%m.%Y", " 01.05.2024 ", "2024-05-01"},
		{"%m/%d/%y", "12/31/68", "2068-12-31"},
		{"%m/%d/%y", "12/31/69", "1969-12-31"},
		{"%Y%m%d%H%M%S", "20240501123059", "2024-05-01T12:30:59"},
		{"%d %B %Y at %I:%M %p", "1 May 2024 at 01:30 PM", "2024-05-01T13:30"},
		{"%a, %d %b %Y %T %z", "Wed, 01 May 2024 12:30:00 +0200", "2024-05-01T10:30"},
		{"%FT%R%z", "2024-05-01T12:30-05:30", "2024-05-01T18:00"},
		{"%FT%R%z", "2024-05-01T12:30Z", "2024-05-01T12:30"},
		{"%F %T.%f", "2024-05-01 12:30:00.125", "2024-05-01T12:30:00.125"},
		{"%F %T.%f", "2024-05-01 12:30:00", "2024-05-01T12:30"},
		{"%d.%m.%Y %H:%M:%S,%f", "01.05.2024 12:30:00,000001", "2024-05-01T12:30:00.000001"},
		{"%Y/%j", "2024/366", "2024-12-31"},
		{"%e-%b-%Y", " 1-Feb-0000", "0000-02-01"},
		{"%d.%m.%Y %H:%M:%S", "1.5.2024 9:05:7", "2024-05-01T09:05:07"},
		{"%d_%m_%Y", "01_05_2024", "2024-05-01"},
		{"%F %I:%M %p", "2024-06-01 01:30 pm", "2024-06-01T13:30"},
		{"%FT%R%z", "2024-05-01T12:30+02", "2024-05-01T10:30"},
		{"%FT%R%z", "2024-05-01T12:30+02:00", "2024-05-01T10:30"},
		{"%F %I%p %z", "2024-05-01 12am -0530", "2024-05-01T05:30"},
		{"%% %F %T.%f", "% 9999-12-31 23:59:59.999999", "9999-12-31T23:59:59.999999"},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got, err := p.timestamp(c.text, exact); err != nil || got != at(c.want) {
			t.Errorf("%s by %s is %s (%v), want %s", c.text, c.pattern, ir.AppendTimestamp(nil, got), err, c.want)
		}
		if day, err := p.date(c.text); err == nil != (at(c.want)%ir.MicrosPerDay == 0) || err == nil && int64(day)*ir.MicrosPerDay != at(c.want) {
			t.Errorf("%s by %s is day %d (%v)", c.text, c.pattern, day, err)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for pattern, said := range map[string]string{
		"":          "a year, a month and a day are needed; a pattern has %Y",
		"day":       "a year, a month and a day are needed",
		"%d.%m.":    "a year, a month and a day are needed",
		"%H:%M":     "a year, a month and a day are needed",
		"%Y %F":     "%F reads what a directive before it has read",
		"%F %I:%M":  "%I and %p go together, and %H stands alone",
		"%F %R %p":  "%I and %p go together, and %H stands alone",
		"%F %é":     "%é is not known",
		"%F %S.000": `the text ".000" would`,
		"%d.%m.%":   "the pattern ends in %; a pattern has %Y",
		"%d.%q":     "%q is not known; a pattern has %Y",
		"%F 2006":   `the text " 2006" would be read as a part of a date`,
		"Mon %F":    `the text "Mon " would be read as a part of a date`,
		"%H:%M.%f":  "%f is not known",
		"%S%f":      "%f is not known",
		"%S..%f":    "%f is not known",
		"%s":        "%s is not known",
		"100%% %F":  `the text "100" would`,
		"%Y-%d0%m":  "cannot be told apart",
		"%F P%A":    "cannot be told apart",
		"%d.%m.%Y1": `the text "1" would`,
	} {
		if _, err := parsePattern(pattern); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v, want %s", pattern, err, said)
		}
	}
}

// A pattern reads what package time writes by its layout.
func TestPatternsReadAnyTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p, err := parsePattern("%d.%m.%Y %I:%M:%S.%f %p %z")
	if err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		micros := r.Int64N(253402300799999999+62167219200000000) - 62167219200000000 // years 0 to 9999
		text := time.UnixMicro(micros).UTC().Format("02.01.2006 03:04:05.000000 PM Z07:00")
		if got, err := p.timestamp(text, exact); err != nil || got != micros {
			t.Fatalf("%s is %d (%v), want %d", text, got, err, micros)
		}
	}
}

func TestPatternsInCSV(t *testing.T) {
	path := writeTemp(t, "day,at\n01.05.2024,01/05/2024 12:30\n,\n31.12.1969,31/12/1969 23:59\n")
	source := "pipeline p(day: [n]date missing date(\"1970-01-01\"), at: [n]timestamp missing timestamp(\"1970-01-01T00:00:01Z\"), there: [n]bool present at) { return day, at, there }"
	binding, err := Bind(pipeline(t, source), Flags{In: []string{path}, Format: []string{"day=%d.%m.%Y", "at=%d/%m/%Y %H:%M"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := binding.Read(NewSource(t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[]int32{19844, 0, -1}, []int64{1714566600e6, 1e6, -60e6}, []bool{true, false, true}}
	for i, c := range got {
		if d := cmp.Diff(want[i], c.Slice); d != "" {
			t.Errorf("parameter %d: %s", i, d)
		}
	}
	for text, said := range map[string]string{
		"31.02.2024":       `:2: column "day", row 0: "31.02.2024" is not a date as %d.%m.%Y writes it: day out of range`,
		"2024-05-01":       `"2024-05-01" is not a date as %d.%m.%Y writes it`,
		"01.05.2024 12:00": `is not a date as %d.%m.%Y writes it`,
		"":                 "the field is empty, but every row needs a date",
	} {
		path := writeTemp(t, "day,at\n"+text+",x\n")
		binding, err := Bind(pipeline(t, "pipeline p(day: [n]date) { return day }"), Flags{In: []string{path}, Format: []string{"day=%d.%m.%Y"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := binding.Read(NewSource(t.Context(), nil)); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, want %s", text, err, said)
		}
	}
}

// Files of all formats round alike.
func TestRoundedFiles(t *testing.T) {
	nanos := []int64{1714566600000000500, 1714566600000001500, -1, 0}
	want := []int64{1714566600000000, 1714566600000002, 0, 0}
	csv := "a\n"
	var old []parquet.Value
	for _, v := range nanos {
		csv += time.Unix(0, v).UTC().Format(time.RFC3339Nano) + "\n"
		days := v / 86400e9
		if v < 0 {
			days--
		}
		of := uint64(v - days*86400e9)
		old = append(old, parquet.Int96Value(deprecated.Int96{uint32(of), uint32(of >> 32), uint32(days + 2440588)}))
	}
	for name, path := range map[string]string{
		"CSV":     writeTemp(t, csv),
		"NumPy":   writeArray(t, t.TempDir(), "a.npy", npyOf("<M8[ns]", len(nanos), little(nanos)...)),
		"Parquet": writeValuesFile(t, []parquetValues{{parquet.Timestamp(parquet.Nanosecond), int64Values(nanos...)}}, 10),
		"INT96":   writeValuesFile(t, []parquetValues{{parquet.Leaf(parquet.Int96Type), old}}, 10),
	} {
		field := Field{Column: "a", Param: "a", Kind: ir.Timestamp, Round: rounded}
		got, err := readFile(t.Context(), path, []Field{field}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, got[0].Slice); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		field.Round = exact
		if _, err := readFile(t.Context(), path, []Field{field}, nil); err == nil || !strings.Contains(err.Error(), "row 0") || !strings.Contains(err.Error(), "part of a microsecond") {
			t.Errorf("%s, not rounded: %v", name, err)
		}
	}
	far := writeValuesFile(t, []parquetValues{{parquet.Timestamp(parquet.Nanosecond), int64Values(math.MaxInt64, math.MinInt64)}}, 10)
	got, err := readFile(t.Context(), far, []Field{{Column: "a", Param: "a", Kind: ir.Timestamp, Round: rounded}}, nil)
	if err != nil || !cmp.Equal(got[0].Slice, []int64{9223372036854776, -9223372036854776}) {
		t.Errorf("the ends of 64 bits: %v, %v", got, err)
	}
}
