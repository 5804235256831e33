package subprocess

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const variable = "KGEN_TEST_SUBPROCESS"

// TestMain is the process, too: it echoes a line, and then ends with its input or
// hangs.
func TestMain(m *testing.M) {
	how := os.Getenv(variable)
	if how == "" {
		os.Exit(m.Run())
	}
	var line string
	fmt.Scanln(&line)
	fmt.Println(line, os.Args[1])
	fmt.Fprint(os.Stderr, "complaint")
	for how == "hangs" || line != "" {
		if _, err := fmt.Scanln(&line); err != nil && how != "hangs" {
			os.Exit(3)
		}
	}
}

func TestProcess(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"ends", "hangs"} {
		p, err := Start(path, []string{"argument"}, []string{variable + "=" + how})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(p.In, "hello")
		p.In.Flush()
		if line, err := p.Out.ReadString('\n'); line != "hello argument\n" {
			t.Errorf("%s: it says %q, %v", how, line, err)
		}
		killed, err := p.EndSoon()
		if killed != (how == "hangs") || err == nil || !killed && p.Command.ProcessState.ExitCode() != 3 {
			t.Errorf("%s: killed is %v: %v", how, killed, err)
		}
		if got := p.Stderr.String(); got != "complaint" {
			t.Errorf("%s: it complains %q", how, got)
		}
	}
	if _, err := Start(path+"?", nil, nil); err == nil {
		t.Error("no program is started")
	}
}

// TestExcerpt holds that a text is kept, and of a long one the start and the end.
func TestExcerpt(t *testing.T) {
	for _, length := range []int{10, ExcerptBytes + 1, 2 * ExcerptBytes, 2*ExcerptBytes + 1, 5 * ExcerptBytes} {
		var e Excerpt
		text := "first" + strings.Repeat("-", length-8) + "end"
		for _, part := range []string{text[:7], text[7:]} {
			if n, err := e.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%d of %d bytes: %v", n, len(part), err)
			}
		}
		want := text
		if length > 2*ExcerptBytes {
			want = text[:ExcerptBytes] + "\n...\n" + text[length-ExcerptBytes:]
		}
		if got := e.String(); got != want {
			t.Errorf("%d bytes become %d, not %d", length, len(got), len(want))
		}
	}
}
