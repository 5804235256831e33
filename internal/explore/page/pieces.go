package page

import (
	"slices"
	"strings"
)

// piece is a part of an emitted file.
type piece struct {
	text   string
	kernel int // the kernel whose function it is, or -1
}

// pieces cuts an emitted file into the functions of kernels and the rest. Functions
// are blocks at the margin with comments before them; a kernel has one, or several
// whose names begin with its own.
func pieces(text string, kernels []string) (list []piece) {
	plain := make([]string, len(kernels))
	for i, k := range kernels {
		plain[i] = plainName(k)
	}
	for _, block := range blocks(text) {
		owner := -1
		head, _, _ := strings.Cut(code(block), "{")
		for _, word := range words(head) {
			name := plainName(word)
			for i, k := range plain {
				rest, ok := strings.CutPrefix(name, k)
				if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') && (owner < 0 || len(k) > len(plain[owner])) {
					owner = i
				}
			}
			if owner >= 0 {
				break
			}
		}
		if n := len(list); n > 0 && owner < 0 && list[n-1].kernel < 0 {
			list[n-1].text += "\n" + block
		} else {
			list = append(list, piece{block, owner})
		}
	}
	return list
}

// blocks cuts a text at blank lines behind which something stands at the margin.
func blocks(text string) (list []string) {
	var block []string
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	isMargin := func(line string) bool { return line != "" && !strings.ContainsAny(line[:1], " \t})") }
	for i, line := range lines {
		if line == "" && i+1 < len(lines) && isMargin(lines[i+1]) && len(block) > 0 {
			list = append(list, strings.Join(block, "\n")+"\n")
			block = nil
			continue
		}
		block = append(block, line)
	}
	if len(block) > 0 {
		list = append(list, strings.Join(block, "\n")+"\n")
	}
	return list
}

// code returns a block without the comments before it.
func code(block string) string {
	lines := strings.Split(block, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return l != "" && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "#") })
	if i < 0 {
		return ""
	}
	return strings.Join(lines[i:], "\n")
}

// words returns the names in a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// plainName is a name as all languages have it: without case and underscores.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
