package testsuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// Render writes the results of running p as text to compare: a CSV section per
// table of results, or the check that failed. Rows of a pipeline that returns
// unordered are sorted, and positions do not name a file.
func Render(p *ir.Pipeline, results []ir.Column, runError error) (string, error) {
	var check *ir.CheckError
	if errors.As(runError, &check) {
		return renderCheck(check), nil
	}
	if runError != nil {
		return "", runError
	}
	var out bytes.Buffer
	for i, t := range table.Results(p, results) {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "# %s\n", t.Name)
		header := out.Len()
		if err := table.Write(context.Background(), table.Standard, t, &out); err != nil {
			return "", err
		}
		if p.Unordered {
			lines := strings.SplitAfter(string(out.Bytes()[header:]), "\n")
			rows := lines[1 : len(lines)-1]
			slices.Sort(rows)
			out.Truncate(header)
			out.WriteString(strings.Join(lines, ""))
		}
	}
	return out.String(), nil
}

// renderCheck writes the parts on which devices must agree: number, domain and
// row.
func renderCheck(e *ir.CheckError) string {
	site := e.Site
	return fmt.Sprintf("# check %d at %d:%d fails\ndomain,row\n%s,%d\n", site.Number, site.Pos.Line, site.Pos.Column, site.Domain, e.Row)
}
