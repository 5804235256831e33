package ctext

import (
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/templates"
)

// newNames returns the names of a program in the dialect. A reserved name gets
// the prefix v_; a number behind it could make another reserved name. A program
// asks again for the same names in each scope; to match patterns takes long.
func newNames(dialect *Dialect) *backends.Names {
	known := map[string]bool{}
	reserved := func(name string) bool {
		is, found := known[name]
		if !found {
			is = isKeyword(name) || dialect.IsReserved(name)
			known[name] = is
		}
		return is
	}
	spell := func(name string) string {
		name = cName(name)
		if reserved(name) {
			return "v_" + name
		}
		return name
	}
	return backends.NewNames(spell, reserved)
}

// cName spells name in letters, digits and single underscores between them.
// Other characters become their code points: größe is gru00f6u00dfe.
func cName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			if b.Len() == 0 {
				b.WriteByte('v')
			}
			b.WriteRune(r)
		case r < 0x80: // an underscore, a point or the like
			if s := b.String(); s != "" && s[len(s)-1] != '_' {
				b.WriteByte('_')
			}
		default:
			b.WriteByte('u')
			hex := strconv.FormatInt(int64(r), 16)
			b.WriteString(strings.Repeat("0", max(0, 4-len(hex))) + hex)
		}
	}
	spelled := strings.TrimSuffix(b.String(), "_")
	if spelled == "" {
		return "value"
	}
	if strings.HasPrefix(spelled, templates.HelperPrefix) {
		return "v_" + spelled
	}
	return spelled
}

// isKeyword reports whether name is a keyword of C99, C11 or C++, or a
// predefined macro.
func isKeyword(name string) bool {
	_, found := keywords[name]
	return found
}

var keywords = WordSet(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
	co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
	double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
	new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
	return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
	typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
	complex imaginary noreturn
	NULL EOF FILE NDEBUG arm hppa i386 linux mips powerpc sparc sun unix vax vms
	int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t ptrdiff_t
	size_t ssize_t
	abort assert exit free main malloc memcmp memcpy memmove memset printf`)

// WordSet returns the words of a text as a set, for lists of reserved names.
func WordSet(text string) map[string]struct{} {
	set := map[string]struct{}{}
	for _, word := range strings.Fields(text) {
		set[word] = struct{}{}
	}
	return set
}
