package kernels

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/plan"
)

// header writes the constants of a plan for hosts in C and C++. Its macros
// begin with the name of a kernel; a host may include several headers.
func header(base string, p *plan.Plan, macros macroNames) []byte {
	var b strings.Builder
	guard := "KGEN_" + strings.ToUpper(base) + "_H"
	fmt.Fprintf(&b, "// %s\n//\n// The constants of %s.plan.json. docs/plan.md of kgen says how to run a plan.\n\n", backends.Generated(), base)
	fmt.Fprintf(&b, "#ifndef %s\n#define %s\n", guard, guard)
	for host := p; host != nil; host = host.Fallback {
		what := "its fallback"
		if host == p {
			what = "the plan"
		}
		fmt.Fprintf(&b, "\n// Buffers of %s, by the number of their elements:\n", what)
		lengths(&b, host)
		for _, k := range host.Kernels {
			v := k.Variants[0]
			macro := macros.of(v.Entry)
			fmt.Fprintf(&b, "\n// %s(row0, rows", v.Entry)
			for _, arg := range v.Args {
				fmt.Fprintf(&b, ", %s", arg.Name)
			}
			fmt.Fprintf(&b, ")\n#define %s_NAME %q\n#define %s_WORKGROUP %d\n#define %s_ROWS %d // of a group\n",
				macro, v.Entry, macro, v.Schedule.Workgroup, macro, v.Schedule.Rows())
			fmt.Fprintf(&b, "#define %s_ARGS %d\n", macro, len(v.Args)+2)
		}
	}
	b.WriteString("\n#endif\n")
	return []byte(b.String())
}

// lengths writes the lengths of a plan's buffers as a comment.
func lengths(b *strings.Builder, p *plan.Plan) {
	domains := map[string]string{} // of inputs
	for _, port := range p.Ports {
		domains[port.Buffer] = port.Domain
	}
	for _, buffer := range p.Buffers {
		length := buffer.Length
		if length.IsZero() {
			length = plan.Len(domains[buffer.Name])
		}
		fmt.Fprintf(b, "//   %s: %v of %s (%s)\n", buffer.Name, length, buffer.Kind, buffer.Role)
	}
}
