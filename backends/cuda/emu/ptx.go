package emu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ptxForm is a form of inline PTX that the emulation knows, and the C++ that
// replaces it: %0 and so on are the operands, outputs first; $1 and so on are
// parts of the template.
type ptxForm struct {
	pattern *regexp.Regexp
	call    string
}

func form(pattern, call string) ptxForm {
	pattern = strings.ReplaceAll(pattern, "SHARED", `(?:\.shared(?:::cta)?)?`)
	return ptxForm{regexp.MustCompile("^" + pattern + ";?$"), call}
}

var ptxForms = []ptxForm{
	form(`mbarrier\.initSHARED\.b64 \[(%\d)\], (%\d|\d+)`, "cudaemu_mbarrier_init($1, $2)"),
	form(`mbarrier\.arrive\.expect_tx(?:\.release\.cta)?SHARED\.b64 _, \[(%\d)\], (%\d|\d+)`, "cudaemu_mbarrier_arrive($1, $2)"),
	form(`mbarrier\.arrive(?:\.release\.cta)?SHARED\.b64 _, \[(%\d)\]`, "cudaemu_mbarrier_arrive($1, 0)"),
	form(`\{ ?\.reg \.pred \w+; mbarrier\.(?:try|test)_wait\.parity(?:\.acquire\.cta)?SHARED\.b64 \w+, \[(%\d)\], (%\d); selp\.[bsu]32 (%\d), 1, 0, \w+; \}`,
		"$3 = cudaemu_mbarrier_wait($1, $2)"),
	form(`cp\.async\.bulk\.shared::(?:cluster|cta)\.global\.mbarrier::complete_tx::bytes \[(%\d)\], \[(%\d)\], (%\d|\d+), \[(%\d)\]`,
		"cudaemu_bulk_load($1, (const void *)($2), $3, $4)"),
	form(`fence\.(?:mbarrier_init\.release\.cluster|proxy\.async(?:\.shared::cta)?)`, "(void)0"),
	form(`fence\.(?:acq_rel|sc)\.gpu`, "cudaemu_fence(1, 0)"),
	form(`fence\.(?:acq_rel|sc)\.cta`, "cudaemu_fence(0, 0)"),
	form(`ld\.relaxed\.gpu(?:\.global)?\.[bsu](32|64) (%\d), \[(%\d)\]`, "$2 = cudaemu::load<unsigned ptx_$1>((const void *)($3), 0, 1)"),
	form(`ld\.acquire\.gpu(?:\.global)?\.[bsu](32|64) (%\d), \[(%\d)\]`, "$2 = cudaemu::load<unsigned ptx_$1>((const void *)($3), 1, 1)"),
	form(`st\.relaxed\.gpu(?:\.global)?\.[bsu](32|64) \[(%\d)\], (%\d)`, "cudaemu::store<unsigned ptx_$1>((void *)($2), $3, 0, 1)"),
	form(`st\.release\.gpu(?:\.global)?\.[bsu](32|64) \[(%\d)\], (%\d)`, "cudaemu::store<unsigned ptx_$1>((void *)($2), $3, 1, 1)"),
	form(`nanosleep\.u32 (?:%\d|\d+)`, "cudaemu_pause(0)"),
}

var (
	asmPattern     = regexp.MustCompile(`\b(?:asm|__asm__)\s*(?:(?:volatile|__volatile__)\s*)?\(`)
	operandPattern = regexp.MustCompile(`%\d`)
	spaces         = regexp.MustCompile(`\s+`)
)

// replacePTX puts the emulation's functions in place of inline PTX. Lines stay
// where they are.
func replacePTX(file, text string) (string, error) {
	var out strings.Builder
	for {
		at := asmPattern.FindStringIndex(text)
		if at == nil {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:at[0]])
		line := 1 + strings.Count(out.String(), "\n")
		sections, end, err := asmSections(text[at[1]:])
		call := ""
		if err == nil {
			call, err = ptxCall(sections)
		}
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", file, line, err)
		}
		statement := text[at[0] : at[1]+end]
		out.WriteString(call + strings.Repeat("\n", strings.Count(statement, "\n")))
		text = text[at[1]+end:]
	}
}

// asmSections splits what stands in the parentheses of an asm statement at its
// colons: template, outputs, inputs, clobbers. end is behind the parenthesis.
func asmSections(text string) (sections []string, end int, err error) {
	depth, begin := 0, 0
	for i := 0; i < len(text); i = next(text, i) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return append(sections, text[begin:i]), i + 1, nil
			}
			depth--
		case ':':
			if depth == 0 {
				sections = append(sections, text[begin:i])
				begin = i + 1
			}
		}
	}
	return nil, 0, fmt.Errorf("an asm statement without an end")
}

// next returns the index behind the byte at i, or behind the string that begins
// there.
func next(text string, i int) int {
	if text[i] == '"' {
		for i++; i < len(text) && text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
		}
	}
	return i + 1
}

// ptxCall returns the C++ that replaces an asm statement.
func ptxCall(sections []string) (string, error) {
	template, _, err := quoted(sections[0])
	if err != nil {
		return "", err
	}
	var operands []string
	for _, section := range sections[1:min(len(sections), 3)] {
		for rest := strings.TrimSpace(section); rest != ""; {
			var expression string
			if _, rest, err = quoted(rest); err != nil {
				return "", err
			}
			if expression, rest, err = parenthesized(rest); err != nil {
				return "", err
			}
			operands = append(operands, expression)
			rest = strings.TrimSpace(strings.TrimPrefix(rest, ","))
		}
	}
	template = strings.TrimSpace(spaces.ReplaceAllString(template, " "))
	for _, f := range ptxForms {
		m := f.pattern.FindStringSubmatchIndex(template)
		if m == nil {
			continue
		}
		call := string(f.pattern.ExpandString(nil, f.call, template, m))
		call = strings.NewReplacer("ptx_32", "int", "ptx_64", "long long").Replace(call)
		return operandPattern.ReplaceAllStringFunc(call, func(name string) string {
			i, _ := strconv.Atoi(name[1:])
			if i >= len(operands) {
				err = fmt.Errorf("the PTX %q names operand %s of %d", template, name, len(operands))
				return name
			}
			return "(" + operands[i] + ")"
		}), err
	}
	return "", fmt.Errorf("the CUDA emulation does not know the PTX %q", template)
}

// quoted reads strings that follow each other, as one.
func quoted(text string) (value, rest string, err error) {
	rest = strings.TrimSpace(text)
	found := false
	for strings.HasPrefix(rest, `"`) {
		prefix, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", "", fmt.Errorf("a string of an asm statement: %w", err)
		}
		part, err := strconv.Unquote(prefix)
		if err != nil {
			return "", "", fmt.Errorf("the string %s of an asm statement: %w", prefix, err)
		}
		value, rest, found = value+part, strings.TrimSpace(rest[len(prefix):]), true
	}
	if !found {
		return "", "", fmt.Errorf("an asm statement without a string at %q", rest)
	}
	return value, rest, nil
}

// parenthesized reads an expression in parentheses.
func parenthesized(text string) (expression, rest string, err error) {
	if !strings.HasPrefix(text, "(") {
		return "", "", fmt.Errorf("an operand of an asm statement without parentheses at %q", text)
	}
	depth := 0
	for i := 0; i < len(text); i = next(text, i) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], nil
			}
		}
	}
	return "", "", fmt.Errorf("an operand of an asm statement without an end at %q", text)
}
