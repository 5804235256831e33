package testsuite_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var updateConsumer = flag.Bool("update-consumer", false, "write go.mod and go.sum of examples/consumer")

// A module that uses kgen needs what kgen needs: the consumer's go.mod and
// go.sum follow ours. (go mod tidy there would drop modules that only other
// systems need, and it uses the network.)
func TestConsumerModule(t *testing.T) {
	folder := filepath.Join("..", "examples", "consumer")
	ours, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join("..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	fmt.Fprintf(&want, "module example.com/consumer\n\n%s\n\ntool github.com/kgen-go/kgen/cmd/kgen\n\n", regexp.MustCompile(`(?m)^go .*$`).Find(ours))
	fmt.Fprintf(&want, "require github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => ../..\n\n// Of kgen, as its go.mod has them.\nrequire (\n")
	for _, require := range regexp.MustCompile(`(?m)^\t(\S+ v\S+)`).FindAllSubmatch(ours, -1) {
		fmt.Fprintf(&want, "\t%s // indirect\n", require[1])
	}
	want.WriteString(")\n")
	for name, text := range map[string][]byte{"go.mod": want.Bytes(), "go.sum": sums} {
		path := filepath.Join(folder, name)
		if *updateConsumer {
			write(t, path, text)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s does not follow ours; run go test ./testsuite -run TestConsumerModule -update-consumer; error %v", path, err)
		}
	}
}

// write writes a file.
func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
