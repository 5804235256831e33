package ir

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "", false}, {"%", "", true}, {"%%", "ab", true}, {"_", "", false},
		{"_", "ä", true}, {"_", "ab", false}, {"%_", "aä", true}, {"%ä", "xää", true}, {"a%", "abc", true}, {"a%", "ba", false},
		{"%green%", "dark green metallic", true}, {"%green%", "dark gren", false},
		{"%special%requests%", "the special, final requests", true}, {"%special%requests%", "requests special", false},
		{"%ab%ab", "abab", true}, {"%ab%ab", "ab", false}, {"%ab_%", "aab\nc", true}, {"a\\%", "a\\b", true},
	} {
		if got := Pattern(test.pattern).Matches(test.text); got != test.want {
			t.Errorf("%q LIKE %q is %v", test.text, test.pattern, got)
		}
	}
}

// Random patterns match what a regular expression does.
func TestPatternRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(letters ...string) string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	matched := 0
	for range 20000 {
		pattern, text := word("a", "b", "ä", "%", "_"), word("a", "b", "ä", "é")
		expression := strings.NewReplacer("%", ".*", "_", ".").Replace(pattern)
		want := regexp.MustCompile(fmt.Sprintf("(?s)^%s$", expression)).MatchString(text)
		if got := Pattern(pattern).Matches(text); got != want {
			t.Fatalf("%q LIKE %q is %v", text, pattern, got)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("%d texts of 20000 matched", matched)
	}
}
