package oracle

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A machine that does other things, too, is measured by processor time: what Linux has given to the threads of a process. Elsewhere
// it is 0.

// processorTime returns that of this process, or of the processes that it has started and that run.
func processorTime(ofChildren bool) (sum time.Duration) {
	ids := []string{"self"}
	if ofChildren {
		ids = nil
		lists, _ := filepath.Glob("/proc/self/task/*/children")
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			ids = append(ids, strings.Fields(string(text))...)
		}
	}
	for _, id := range ids {
		threads, _ := filepath.Glob("/proc/" + id + "/task/*/schedstat")
		for _, thread := range threads {
			text, _ := os.ReadFile(thread)
			ran, _, _ := strings.Cut(string(text), " ")
			nanoseconds, _ := strconv.ParseInt(ran, 10, 64)
			sum += time.Duration(nanoseconds)
		}
	}
	return sum
}
