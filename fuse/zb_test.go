package fuse
import ("testing";"github.com/kgen-go/kgen/ir";"github.com/kgen-go/kgen/plan";"fmt";"strings";"time")
func TestBig(t *testing.T) {
	for _, kind := range []string{"map","scan","filter","mixed","runs","chain"} {
	for _, n := range []int{60, 300} {
		var b strings.Builder
		b.WriteString("pipeline big(x0: [n]i64) {\n")
		var res []string
		for i := 1; i <= n; i++ {
			switch k := kind; {
			case k=="map": fmt.Fprintf(&b, "\tx%d = x%d * %d + x%d\n", i, i-1, i, (i-1)/2); res = append(res, fmt.Sprintf("x%d", i))
			case k=="scan": fmt.Fprintf(&b, "\tx%d = scan(add, x0 * %d)\n", i, i); res = append(res, fmt.Sprintf("x%d", i))
			case k=="chain": fmt.Fprintf(&b, "\tx%d = scan(add, x%d)\n", i, i-1); res = append(res, fmt.Sprintf("x%d", i))
			case k=="filter": fmt.Fprintf(&b, "\tx%d = x0[x0 > %d]\n", i, i); res = append(res, fmt.Sprintf("x%d", i))
			case k=="runs": fmt.Fprintf(&b, "\tg%d = runs(x0 / %d)\n", i, i+1); res = append(res, fmt.Sprintf("x%d: sum(x0, by: g%d)", i, i))
			case k=="mixed":
				switch i%4 {
				case 0: fmt.Fprintf(&b, "\tx%d = scan(add, x%d)\n", i, i/2*0); res = append(res, fmt.Sprintf("x%d", i))
				case 1: fmt.Fprintf(&b, "\tx%d = x0 * %d\n", i, i); res = append(res, fmt.Sprintf("x%d", i))
				case 2: fmt.Fprintf(&b, "\tx%d = x%d[x%d > 3]\n", i, i-1, i-1); res = append(res, fmt.Sprintf("x%d", i))
				case 3: fmt.Fprintf(&b, "\tx%d = sum(x%d)\n", i, i-1); res = append(res, fmt.Sprintf("x%d", i))
				}
			}
		}
		fmt.Fprintf(&b, "\treturn %s\n}\n", strings.Join(res, ", "))
		start := time.Now()
		ps, errs := ir.Load("big.kg", []byte(b.String()))
		if len(errs) > 0 { t.Fatal(errs) }
		load := time.Since(start)
		start = time.Now()
		g, err := Lower(ps[0])
		if err != nil { t.Fatal(err) }
		low := time.Since(start)
		fmt.Printf("%s %d: %d stages load %v lower %v", kind, n, len(g.Stages), load, low)
		for _, level := range Levels {
			start := time.Now()
			fu, err := Fuse(g, level, plan.Profiles()["cores"])
			if err != nil { t.Fatal(err) }
			pr, err := fu.Program()
			if err != nil { t.Fatal(err) }
			d := time.Since(start)
			start = time.Now()
			if _, err := pr.Explain(); err != nil { t.Fatal(err) }
			fmt.Printf(" %s %v +%v (%d)", level, d.Round(time.Millisecond), time.Since(start).Round(time.Millisecond), len(pr.Kernels))
		}
		fmt.Println()
	}}
}
