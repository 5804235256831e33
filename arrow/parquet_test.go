package kgenarrow_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	kgenarrow "github.com/kgen-go/kgen/arrow"
	"github.com/kgen-go/kgen/arrow/internal/shop"
)

// A log that kgen data writes, whose amounts have NULLs, has the same columns and the same
// answer when arrow-go's Parquet reader reads it as when kgen does.
func TestParquet(t *testing.T) {
	folder := t.TempDir()
	kgen := filepath.Join(folder, "kgen.exe")
	command(t, "go", "-C", "..", "build", "-o", kgen, "./cmd/kgen")
	path, filled := filepath.Join(folder, "events.parquet"), filepath.Join(folder, "filled.parquet")
	command(t, kgen, "data", "events", "--rows", "20000", "--out", path)
	command(t, kgen, "run", "-e", "pipeline p(at: [n]timestamp, user: [n]i64, page: [n]text, amount: [n]i64 missing -1, paid: [n]bool present amount) { return at, user, page, amount, paid }",
		"--in", path, "--out", filled)

	log, filledLog := readParquet(t, path, "page"), readParquet(t, filled)
	defer log.Release()
	defer filledLog.Release()
	if n := filledLog.NumRows(); n != 20000 || log.NumRows() != n {
		t.Fatalf("%d rows, %d of kgen", log.NumRows(), n)
	}
	column := func(name string) kgenarrow.Column { return kgenarrow.TableColumn(log, name) }
	kgens := func(name string) kgenarrow.Column { return kgenarrow.TableColumn(filledLog, name) }
	page, paid := must(kgenarrow.Strings(column("page"))), must(kgenarrow.Present(column("amount")))
	if log.Column(log.Schema().FieldIndices("page")[0]).DataType().ID() != arrow.DICTIONARY {
		t.Error("pages have no dictionary")
	}
	for name, same := range map[string]bool{
		"at":     slices.Equal(must(kgenarrow.Timestamps(column("at"))), must(kgenarrow.Timestamps(kgens("at")))),
		"user":   slices.Equal(must(kgenarrow.Numbers[int64](column("user"))), must(kgenarrow.Numbers[int64](kgens("user")))),
		"page":   slices.Equal(page, must(kgenarrow.Strings(kgens("page")))),
		"amount": slices.Equal(must(kgenarrow.Numbers(column("amount"), kgenarrow.Missing(int64(-1)))), must(kgenarrow.Numbers[int64](kgens("amount")))),
		"paid":   slices.Equal(paid, must(kgenarrow.Bools(kgens("paid")))),
	} {
		if !same {
			t.Errorf("%s differs", name)
		}
	}
	var fault *kgenarrow.ValueError
	if _, err := kgenarrow.Numbers[int64](column("amount")); !errors.As(err, &fault) || fault.Row != int64(slices.Index(paid, false)) {
		t.Errorf("the first NULL is in row %d; %v", slices.Index(paid, false), err)
	}

	texts := shop.NewTexts(page)
	r, err := shop.Products(texts.Codes(page), must(kgenarrow.Numbers(column("amount"), kgenarrow.Missing(int64(0)))), paid, 3)
	if err != nil {
		t.Fatal(err)
	}
	command(t, kgen, "run", "../examples/events/shop.kg#products", "--in", path, "--bind", "product=page", "--set", "most=3", "--out", filled)
	top := readParquet(t, filled)
	defer top.Release()
	column = func(name string) kgenarrow.Column { return kgenarrow.TableColumn(top, name) }
	if !slices.Equal(must(kgenarrow.Strings(column("product"))), texts.Strings(r.Product)) || !slices.Equal(must(kgenarrow.Numbers[int64](column("revenue"))), r.Revenue) ||
		!slices.Equal(must(kgenarrow.Numbers[int64](column("sold"))), r.Sold) || !slices.Equal(must(kgenarrow.Numbers[int64](column("looked"))), r.Looked) || len(r.Sold) != 3 {
		t.Errorf("kgen run: %v; the function: %v %v", top, texts.Strings(r.Product), r)
	}
}

func must[T any](values []T, err error) []T {
	if err != nil {
		panic(err)
	}
	return values
}

// docs/go-generate.md shows lines of the example.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../docs/go-generate.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## Columns of Arrow\n")
	section, _, _ = strings.Cut(section, "\n## ")
	shown := 0
	for line := range strings.Lines(section) {
		if line, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(line, "go mod ") {
			if shown++; !strings.Contains(string(example), "\t"+strings.TrimSpace(line)+"\n") {
				t.Errorf("the example does not have %s", line)
			}
		}
	}
	if shown < 8 {
		t.Errorf("only %d lines", shown)
	}
}

// readParquet reads a file by arrow-go in small batches, some columns with dictionaries.
func readParquet(t *testing.T, path string, dictionaries ...string) arrow.Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := file.NewParquetReader(f, file.WithReadProps(parquet.NewReaderProperties(memory.DefaultAllocator)))
	if err != nil {
		t.Fatal(err)
	}
	properties := pqarrow.ArrowReadProperties{BatchSize: 1000}
	for _, name := range dictionaries {
		properties.SetReadDict(r.MetaData().Schema.ColumnIndexByName(name), true)
	}
	reader, err := pqarrow.NewFileReader(r, properties, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := reader.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
