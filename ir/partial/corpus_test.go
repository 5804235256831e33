package partial_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/partial"
)

func TestX(t *testing.T) {
	files, _ := filepath.Glob("../../testsuite/corpus/*.kg")
	ok := 0
	for _, file := range files {
		pipelines, err := ir.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			s, err := partial.New(p)
			if err != nil {
				t.Log(strings.Split(err.Error(), "\n")[0])
				continue
			}
			ok++
			t.Logf("%s\n%v\n%v\n%+v\n%+v\n%v %v %v", p, s.Shard, s.Finish, s.States, s.Groupings, s.ShardChecks, s.FinishChecks, s.Empty)
		}
	}
	t.Log(ok)
}
