package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// complete returns the words and the directive that kgen gives a shell.
func complete(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	code, stdout, _ := execute("", append([]string{"__complete"}, args...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitOK {
		t.Fatalf("%v: exit code %d: %s", args, code, stdout)
	}
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, lines[len(lines)-1]
}

// The directives of cobra that are used here.
const (
	noFiles    = ":4"
	unspaced   = ":6" // and no files
	extensions = ":8"
	folders    = ":16"
)

func TestComplete(t *testing.T) {
	writeFiles(t, map[string]string{
		"two.kg":   "// a adds\npipeline a(x: [n]i64) { return s: sum(x) }\n\npipeline b(x: [n]i64, y: [m]f64, k: i64, l: f64 = 2) { return x: x + k, y: y * l }\n",
		"wrong.kg": "pipeline a(x: [n]i64) { return z }\n",
		"text.kg":  "pipeline t(x: [n]text, u: text) { return y: x == \"a\" || x == u }\n",
		"one.csv":  "key,quantity\n1,2\n",
		"two.csv":  "price\n1.5\n",
		"bad.csv":  "\"key\n",
		"x#y.kg":   "pipeline p(x: [n]i64) { return s: sum(x) }\n",
	})
	two := func(args ...string) []string {
		return append([]string{"run", "two.kg#b", "--in", "n=one.csv", "--in", "m=two.csv"}, args...)
	}
	for _, c := range []struct {
		args      []string
		words     string // separated by spaces
		directive string
	}{
		{[]string{"run", ""}, "kg", extensions},
		{[]string{"run", "two"}, "kg", extensions},
		{[]string{"run", "two.kg#"}, "two.kg#a two.kg#b", noFiles},
		{[]string{"explain", "x#y.kg#"}, "x#y.kg#p", noFiles},
		{[]string{"emit", "x#y.kg"}, "kg", extensions},
		{[]string{"run", "two.kg#a", ""}, "", noFiles},
		{[]string{"run", "text.kg", "--set", ""}, "u=", unspaced},
		{[]string{"run", "-e", "pipeline p(x: [n]i64) { return x }", ""}, "", noFiles},
		{[]string{"run", "wrong.kg#"}, "", noFiles},
		{[]string{"run", "missing.kg#"}, "", noFiles},
		{[]string{"vet", "two.kg", ""}, "kg", extensions},
		{[]string{"fmt", ""}, "kg", extensions},

		{[]string{"run", "--device", ""}, "gocpu vector interp cudaemu opencl:0 cuda:0 cudaemu:check", noFiles},
		{[]string{"run", "--fuse", ""}, "none paper3 paper2 onepass auto", noFiles},
		{[]string{"explain", "--fuse="}, "none paper3 paper2 onepass auto", noFiles},
		{[]string{"explain", "--format", ""}, "text json dot html", noFiles},
		{[]string{"explain", "--schedule", ""}, "groups=sort groups=hash groups=shared groups=independent groups=local groups=partitioned probe=linear probe=cuckoo probe=sort probe=loops variant=direct variant=chunked variant=privvar variant=privarray variant=subgroup variant=segmented", noFiles},
		{[]string{"emit", "--backend", ""}, "gocpu opencl opencl-ptx cuda", noFiles},
		{[]string{"emit", "--after", ""}, "verify lower fuse tile plan loop", noFiles},
		{[]string{"emit", "-o", ""}, "", folders},

		{[]string{"emit", "--schedule", ""}, "workgroup= items= chunk= scheme= ids= offsets= variant= table= groups= places= probe= sources= radix= rank= ring= lookahead= occupancy= part=", unspaced},
		{[]string{"run", "--schedule", "ids="}, "ids=ticket ids=static", noFiles},
		{[]string{"run", "--schedule", "items=4,table=l"}, "items=4,table=local items=4,table=global", noFiles},
		{[]string{"run", "--schedule", "workgroup=64,items=4,chunk=1,scheme=published,ids=ticket,offsets=scan,variant=direct,radix=8,ring=3,lookahead=1,occupancy=1,part=9,"},
			"LAST,table= LAST,groups= LAST,places= LAST,probe= LAST,sources= LAST,rank=", unspaced},
		{[]string{"run", "--schedule", "items="}, "", noFiles},
		{[]string{"run", "--schedule", "frobs="}, "", noFiles},

		{[]string{"run", "two.kg#b", "--set", ""}, "k= l=", unspaced},
		{[]string{"run", "two.kg#b", "--set", "k=1", "--set", ""}, "l=", unspaced},
		{[]string{"run", "two.kg#b", "--set", "k="}, "", noFiles},
		{[]string{"run", "-e", "pipeline p(x: [n]date, y: [n]timestamp, z: [n]i64, k: date) { return x, y, z, k }", "--format", ""}, "x= y=", unspaced},
		{[]string{"run", "-e", "pipeline p(x: [n]date, y: [n]timestamp) { return x, y }", "--format", "x="}, "", noFiles},
		{[]string{"run", "-e", "pipeline p(x: [n]date, y: [n]timestamp, z: [n]timestamp) { return x, y, z }", "--round", "y", "--round", ""}, "z", noFiles},
		{[]string{"run", "two.kg#a", "--set", ""}, "", noFiles},
		{[]string{"run", "two.kg", "--set", ""}, "", noFiles},
		{[]string{"run", "--set", ""}, "", noFiles},
		{[]string{"run", "-e", "pipeline p(x: [n]i64, k: i64) { return x: x + k }", "--set", ""}, "k=", unspaced},

		{two("--bind", ""), "x= y=", unspaced},
		{two("--bind", "x=key", "--bind", ""), "y=", unspaced},
		{two("--bind", "x="), "x=key x=quantity", noFiles},
		{two("--bind", "y="), "y=price", noFiles},
		{two("--bind", "z="), "", noFiles},
		{[]string{"run", "two.kg#a", "--in", "one.csv", "--bind", "x="}, "x=key x=quantity", noFiles},
		{[]string{"run", "two.kg#a", "--in", "bad.csv", "--bind", "x="}, "", noFiles},
		{[]string{"run", "two.kg#a", "--in", "missing.csv", "--bind", "x="}, "", noFiles},
		{[]string{"run", "two.kg#a", "--in", "-", "--bind", "x="}, "", noFiles},
		{[]string{"run", "two.kg#a", "--bind", "x="}, "", noFiles},

		{[]string{"run", "two.kg#a", "--in", ""}, "csv parquet npy", extensions},
		{[]string{"run", "two.kg#b", "--in", ""}, "n= m=", unspaced},
		{[]string{"run", "two.kg#b", "--in", "n=o"}, "n=one.csv", unspaced},
		{[]string{"run", "two.kg#b", "--in", "n=two"}, "n=two.csv", unspaced},
	} {
		words, directive := complete(t, c.args...)
		want := strings.Fields(strings.ReplaceAll(c.words, "LAST,", c.args[len(c.args)-1]))
		if !slices.Equal(words, want) || directive != c.directive {
			t.Errorf("%q: %q %s, want %q %s", c.args, words, directive, want, c.directive)
		}
	}
}

func TestCompleteHelp(t *testing.T) {
	words, directive := complete(t, "help", "")
	for _, topic := range []string{"run", "scan", "x[mask]", "popcount"} {
		if !slices.Contains(words, topic) || directive != noFiles {
			t.Errorf("%s is not in %q %s", topic, words, directive)
		}
	}
}

// TestBashCompletion checks what bash inserts behind the last = of a word.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	code, script, stderr := execute("", "completion", "bash")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, c := range []struct{ word, reply, want string }{
		{"variant=d", "variant=direct", "direct"},
		{"items=4,table=", "items=4,table=local", "local"},
		{"items=4,table=l", `items=4\,table=local`, "local"},
		{"items", "items=", "items="},
	} {
		try := exec.Command(bash, "--norc", "-c", script+"\nCOMP_WORDBREAKS='=:'; COMPREPLY=(\"$2\"); __kgen_handle_special_char \"$1\" =; printf %s \"${COMPREPLY[0]}\"", "bash", c.word, c.reply)
		if got, err := try.Output(); err != nil || string(got) != c.want {
			t.Errorf("%s, completed to %s: %q, %v; want %q", c.word, c.reply, got, err, c.want)
		}
	}
}
