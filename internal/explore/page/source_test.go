package page

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	text := "// a = b\npipeline p(x: [n]i32, k: i32 = 3) {\n\ta = x + // why\n\t\tk\n\tm = select(x == 1,\n\t\t2, 3)\n\tt = \"}\\\"{\"\n\treturn s: sum(a, by: m), // first\n\t\tt\n}\n\npipeline q(x: [n]i32) { return y: x }\n"
	list := split(text)
	var statements, all []string
	for _, s := range list {
		all = append(all, s.Text)
		if s.Statement {
			statements = append(statements, s.Text)
		}
	}
	if strings.Join(all, "") != text {
		t.Errorf("%q", all)
	}
	if want := []string{"a = x +", "k", "m = select(x == 1,\n\t\t2, 3)", `t = "}\"{"`, "s: sum(a, by: m)", "t", "y: x"}; !slices.Equal(statements, want) {
		t.Errorf("%q", statements)
	}
	for _, c := range []struct {
		line, column int
		want         string
	}{{3, 6, "a = x +"}, {6, 3, "m = select(x == 1,\n\t\t2, 3)"}, {8, 12, "s: sum(a, by: m)"}, {12, 35, "y: x"}} {
		if at := find(list, c.line, c.column); at < 0 || list[at].Text != c.want {
			t.Errorf("%d:%d: segment %d, want %q", c.line, c.column, at, c.want)
		}
	}
	if at := find(list, 2, 5); at >= 0 {
		t.Errorf("the head is a statement, %q", list[at].Text)
	}
	for _, broken := range []string{"", "}", "pipeline p(", "{ \"", "{ a = (\n", "{ return"} {
		var back strings.Builder
		for _, s := range split(broken) {
			back.WriteString(s.Text)
		}
		if back.String() != broken {
			t.Errorf("%q became %q", broken, back.String())
		}
	}
}

func TestPieces(t *testing.T) {
	text := "// Code generated\n\nint helper(int a) {\n\treturn a;\n}\n\n// the first\n__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void p_kernel1(\n\tint n) {\n\n\tx();\n}\n\n__kernel void p_kernel10(int n) {\n}\n\nfunc pKernel1Summary(lo int) {\n}\n"
	var got []string
	for _, x := range pieces(text, []string{"p_kernel1", "p_kernel10"}) {
		line, _, _ := strings.Cut(strings.TrimSpace(x.text), "\n")
		got = append(got, []string{"rest", "first", "tenth"}[x.kernel+1]+": "+line)
	}
	if want := []string{"rest: // Code generated", "first: // the first", "tenth: __kernel void p_kernel10(int n) {", "first: func pKernel1Summary(lo int) {"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
