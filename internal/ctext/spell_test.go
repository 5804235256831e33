package ctext

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNamesAreSpelled(t *testing.T) {
	for name, want := range map[string]string{
		"l_orderkey": "l_orderkey", "Total": "Total", "größe": "gru00f6u00dfe", "a__b": "a_b", "_x": "x", "x_": "x", "2nd": "v2nd", "": "value",
		"_": "value", "x.y": "x_y", "kgen_day": "v_kgen_day", "__kgen_day": "v_kgen_day", "a\nb": "a_b", "a*/b": "a_b", "\u2028": "u2028",
	} {
		if got := cName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestCommentsEscape(t *testing.T) {
	for text, want := range map[string]string{
		"a.kg:3: x[m]": "// a.kg:3: x[m]", "": "//", "a\nb": "// a\n// b", `path\`: "// path<5c>", "what??/": "// what?<3f>/",
		"a\rb": "// a<0d>b", "größe": "// gr<00f6><00df>e", "a\u2028b": "// a<2028>b", "a */ b /* c": "// a */ b /* c", "a\tb": "// a b",
		"a\x00b": "// a<00>b", "\xff": "// <fffd>",
	} {
		if got := strings.Join(comment(text), "\n"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever a name or a comment is, it cannot escape its place.
func TestRandomTextStaysInPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	name := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$`)
	line := regexp.MustCompile(`^//( [ -~]*)?$`)
	alphabet := []rune("ab_kgen_09?/\\*\n\r\"' #é\u2028\x00\u0085$%")
	for range 20000 {
		text := make([]rune, random.IntN(12))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		if got := cName(string(text)); !name.MatchString(got) || strings.HasPrefix(got, "kgen_") {
			t.Fatalf("%q is spelled %q", string(text), got)
		}
		for _, got := range comment(string(text)) {
			if !line.MatchString(got) || strings.Contains(got, "??") || strings.Contains(got, `\`) {
				t.Fatalf("%q is the comment %q", string(text), got)
			}
		}
	}
}

func TestKeywords(t *testing.T) {
	for _, word := range []string{"int", "if", "restrict", "NULL", "linux", "constexpr"} {
		if !isKeyword(word) {
			t.Errorf("%s is no keyword", word)
		}
	}
	if slices.ContainsFunc([]string{"x", "key", "value", "sum"}, isKeyword) {
		t.Error("names are keywords")
	}
}
