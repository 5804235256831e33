package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// dataFlags are the flags of every kind of data.
type dataFlags struct {
	out  string
	seed uint64
	json bool
}

// dataFile is a relation and the file that it is written to.
type dataFile struct {
	flag      string // that names the file
	path      string
	generator generate.Generator
}

// dataKind is a subcommand of kgen data.
type dataKind struct {
	name, short, long, example string
	// flags declares the flags of this kind and returns a function that makes its
	// files from them, the file of --out first.
	flags func(f *pflag.FlagSet) func(common dataFlags) ([]dataFile, error)
}

func newData() *cobra.Command {
	var names []string
	for _, kind := range dataKinds {
		names = append(names, kind.name)
	}
	c := &cobra.Command{
		Use:   "data KIND",
		Short: "Generate data of a known distribution",
		Long: `Data generates a relation and writes it to a file, whose extension chooses the
format, or as CSV to standard output (-). The same flags and seed give the same
rows on every machine. Memory does not grow with the number of rows, and a file
appears whole or not at all.

kgen data KIND --help explains the columns of a kind.`,
		Example: `  kgen data lineitem --scale 1 --out lineitem.parquet
  kgen data ints --rows 1e8 --dist zipf --s 1.1 --sorted --out z.parquet
  kgen data wisconsin --rows 1_000_000 --out - | head`,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}, // those of a kind: without one, that is what is wrong
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageErrorf("there is no kind of data %s; there are %s", args[0], strings.Join(names, ", "))
			}
			return usageErrorf("name a kind of data: %s", strings.Join(names, ", "))
		},
	}
	for _, kind := range dataKinds {
		c.AddCommand(newDataKind(kind))
	}
	return c
}

func newDataKind(kind dataKind) *cobra.Command {
	var common dataFlags
	c := &cobra.Command{
		Use:     kind.name + " --out FILE",
		Short:   kind.short,
		Example: kind.example,
		Args:    arguments(0, 0, "no arguments, only flags"),
	}
	f := c.Flags()
	f.StringVarP(&common.out, "out", "o", "", "write the rows to `FILE`; - for standard output")
	f.Uint64Var(&common.seed, "seed", 1, "the `SEED` of the random numbers")
	f.BoolVar(&common.json, "json", false, "print rows, columns, file and seconds as JSON")
	files := kind.flags(f)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if common.out == "" {
			return usageErrorf("name the file to write: --out FILE, or --out - for standard output")
		}
		list, err := files(common)
		if err != nil {
			return usageErrorf("--%w", err) // it begins with the name of a flag
		}
		return generateData(c, common, list)
	}
	help := c.HelpFunc()
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = kind.long
		if list, err := files(common); err == nil {
			c.Long += explainColumns(list)
		}
		help(c, args)
	})
	return c
}

// explainColumns lists the columns of files for a help text.
func explainColumns(files []dataFile) string {
	var b strings.Builder
	for _, file := range files {
		fmt.Fprintf(&b, "\n\nColumns of --%s:", file.flag)
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, c := range file.generator.Columns() {
			fmt.Fprintf(w, "\n  %s\t%v\t%s", c.Name, c.Kind, c.Meaning)
		}
		w.Flush()
	}
	return b.String()
}

// dataReport is the report of a file, and its JSON form.
type dataReport struct {
	Rows    int64        `json:"rows"`
	Columns []dataColumn `json:"columns"`
	File    string       `json:"file"`
	Seconds float64      `json:"seconds"`
}

type dataColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// collectFrom is the memory above which garbage is collected eagerly: otherwise
// the index of a long and wide file would take twice its memory.
const collectFrom = 150 << 20

// generateData writes all files, or none.
func generateData(c *cobra.Command, flags dataFlags, files []dataFile) error {
	var wanted []dataFile
	for _, file := range files {
		if file.path == "" {
			continue
		}
		if _, err := table.FormatOf(file.path); err != nil {
			return usageErrorf("--%s %w", file.flag, err)
		}
		for _, other := range wanted {
			if other.path == file.path {
				return usageErrorf("--%s %s: --%s already goes there", file.flag, file.path, other.flag)
			}
		}
		wanted = append(wanted, file)
	}
	if debug.SetMemoryLimit(-1) > collectFrom {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(collectFrom))
	}
	stage := table.NewStage(c.Context(), c.OutOrStdout())
	defer stage.Abort()
	printTo := c.OutOrStdout()
	var reports []dataReport
	for _, file := range wanted {
		begin := time.Now()
		rows, err := writeData(c, stage, file)
		if err != nil {
			return err
		}
		report := dataReport{Rows: rows, File: file.path, Seconds: math.Round(time.Since(begin).Seconds()*1e3) / 1e3}
		for _, column := range file.generator.Columns() {
			report.Columns = append(report.Columns, dataColumn{column.Name, column.Kind.String()})
		}
		reports = append(reports, report)
		if file.path == table.Standard {
			printTo = c.ErrOrStderr()
		}
	}
	if err := stage.Commit(); err != nil {
		return err
	}
	for _, report := range reports {
		if err := printData(printTo, report, flags.json); err != nil {
			return err
		}
	}
	return nil
}

func printData(out io.Writer, r dataReport, asJSON bool) error {
	if asJSON {
		return writeJSON(out, r)
	}
	if r.File == table.Standard {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s: %d rows, %d columns, %.1f s\n", r.File, r.Rows, len(r.Columns), r.Seconds)
	return err
}

// writeData streams the rows of a file into the stage.
func writeData(c *cobra.Command, stage *table.Stage, file dataFile) (rows int64, err error) {
	w, err := stage.NewWriter(file.path, generate.Fields(file.generator))
	if err != nil {
		return 0, err
	}
	var bar *progress
	if file.path != table.Standard {
		bar = newProgress(c.ErrOrStderr(), file.path, "rows")
	}
	defer bar.end()
	if err := file.generator.Stream(c.Context(), generate.Workers(), func(batch []ir.Column) error {
		rows += int64(batch[0].Len())
		bar.report(rows, file.generator.Rows())
		return w.Write(batch)
	}); err != nil {
		return rows, err
	}
	return rows, w.Close()
}

// A wholeNumber is a flag for integers with the usual notations for large ones.
type wholeNumber struct{ *big.Int }

var wholeForm = regexp.MustCompile(`^[+-]?\d+(_\d+)*(\.\d+)?([eE]\+?\d{1,2})?$`)

// Set implements pflag.Value.
func (n *wholeNumber) Set(text string) error {
	wrong := errors.New("write a whole number, such as 1000000, 1_000_000 or 1e6")
	if len(text) > 60 || !wholeForm.MatchString(text) {
		return wrong
	}
	value, ok := new(big.Rat).SetString(strings.ReplaceAll(text, "_", ""))
	if !ok || !value.IsInt() {
		return wrong
	}
	n.Int = value.Num()
	return nil
}

// String implements pflag.Value.
func (n *wholeNumber) String() string {
	if n.Int == nil {
		return ""
	}
	return n.Int.String()
}

// Type implements pflag.Value.
func (n *wholeNumber) Type() string { return "N" }

// A count is a wholeNumber from 1 that fits 63 bits.
type count int64

// Set implements pflag.Value.
func (n *count) Set(text string) error {
	var whole wholeNumber
	if err := whole.Set(text); err != nil {
		return err
	}
	if whole.Sign() <= 0 || !whole.IsInt64() {
		return fmt.Errorf("at least 1 and at most %d", int64(math.MaxInt64))
	}
	*n = count(whole.Int64())
	return nil
}

// String implements pflag.Value.
func (n *count) String() string {
	if *n == 0 {
		return ""
	}
	return fmt.Sprint(int64(*n))
}

// Type implements pflag.Value.
func (n *count) Type() string { return "N" }
