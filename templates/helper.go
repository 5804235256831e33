package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// Helper is a function that is copied into emitted text of a GPU dialect if
// the text calls it. A loop program calls it by its Signature. Its name in text
// is HelperPrefix followed by Signature.Name.
type Helper struct {
	Signature *loop.Signature // its name, parameters, results, and whether it has effects
	Needs     []string        // capabilities of the device, beside those that its types need
	Uses      []*Helper       // the helpers that its text calls
	text      string
	chosen    map[string]string // the name of a kind or space for each placeholder
}

// HelperPrefix begins the names of helpers in emitted text. No other name there
// begins with it.
const HelperPrefix = "kgen_"

// Spelling says how a dialect spells the placeholders in the text of a helper.
type Spelling struct {
	Type  func(ir.Kind) string    // of a value
	Bits  func(ir.Kind) string    // the function that reinterprets bits as a value
	Space func(loop.Space) string // the qualifier of memory
}

// Text returns the definition of the helper.
func (h *Helper) Text(s Spelling) string {
	return placeholder.ReplaceAllStringFunc(h.text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value := m[2]
		if chosen, ok := h.chosen[m[2]+m[3]]; ok {
			value = chosen
		}
		kind, isKind := ir.KindByName(value)
		space, isSpace := spaces[value]
		switch verb := m[1]; {
		case verb == "" && value != "":
			return value
		case verb == "type" && isKind:
			return s.Type(kind)
		case verb == "unsigned" && isKind:
			return s.Type(unsignedOf[kind.Size()])
		case verb == "bits" && isKind:
			return s.Bits(kind)
		case verb == "unsignedbits" && isKind:
			return s.Bits(unsignedOf[kind.Size()])
		case verb == "space" && isSpace:
			return s.Space(space)
		}
		panic(fmt.Sprintf("templates: %q of %q has no meaning", found, value))
	})
}

var unsignedOf = map[int]ir.Kind{1: ir.U8, 2: ir.U16, 4: ir.U32, 8: ir.U64}

// Helpers are the helpers of one dialect.
type Helpers struct {
	all    []*Helper // callees first
	byName map[string]*Helper
}

// Lookup returns the helper called name.
func (h *Helpers) Lookup(name string) (*Helper, bool) {
	helper, ok := h.byName[name]
	return helper, ok
}

// All returns the helpers; each follows the helpers that it calls.
func (h *Helpers) All() []*Helper { return h.all }

//go:embed c/*.c opencl/*.cl opencl-ptx/*.cl cuda/*.cu
var files embed.FS

// OpenCL returns the helpers in OpenCL C 1.2, for little-endian devices.
var OpenCL = sync.OnceValue(func() *Helpers { return readHelpers(files, "c", "opencl") })

// OpenCLPTX returns the helpers in OpenCL C 1.2 with inline PTX.
var OpenCLPTX = sync.OnceValue(func() *Helpers { return readHelpers(files, "c", "opencl", "opencl-ptx") })

// CUDA returns the helpers in CUDA C++.
var CUDA = sync.OnceValue(func() *Helpers { return readHelpers(files, "c", "cuda") })

// readHelpers reads the files of folders; folder c has what all dialects share.
// Each helper in a file begins with a line
//
//	//helper NAME(TYPE, ...) TYPE [for X in KIND ..., Y in ...] [needs CAP ...] [effects]
//
// A TYPE is a kind or memory, as "local []u32" or "const global []u32". The
// result's TYPE may be none. "for" defines a helper for each choice of kinds or
// memory spaces. In the line and in the text, $X stands for the name of the
// choice, $type(X) for the type of its values, $unsigned(X) for the unsigned
// type of that width, $bits(X) and $unsignedbits(X) for the functions that
// reinterpret bits as these types, and $space(X) for the qualifier of memory. X
// may also be the name of a kind.
func readHelpers(files fs.FS, folders ...string) *Helpers {
	helpers := &Helpers{byName: map[string]*Helper{}}
	var names []string
	for _, folder := range folders {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			panic(err)
		}
		for _, entry := range entries {
			names = append(names, folder+"/"+entry.Name())
		}
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		for _, part := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n//helper ")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			if err := helpers.add(head, strings.TrimSpace(body)); err != nil {
				panic(fmt.Sprintf("templates: %s: %s: %v", name, head, err))
			}
		}
	}
	if err := helpers.order(); err != nil {
		panic(fmt.Sprintf("templates: %v", err))
	}
	return helpers
}

var (
	placeholder = regexp.MustCompile(`\$([a-z]+)\(([A-Z]|[a-z]+\d*)\)|\$([A-Z])`)
	headLine    = regexp.MustCompile(`^(\S+)\(([^()]*)\) (\S+)(?: for (.*?))?(?: needs (.*?))?( effects)?$`)
	called      = regexp.MustCompile(`\b` + HelperPrefix + `(\w+)\(`)
)

// add adds the helpers of one head line.
func (h *Helpers) add(head, body string) error {
	m := headLine.FindStringSubmatch(head)
	if m == nil {
		return fmt.Errorf("no head line of a helper")
	}
	choices := []map[string]string{{}}
	for _, choice := range strings.Split(m[4], ", ") {
		name, values, _ := strings.Cut(choice, " in ")
		var next []map[string]string
		for _, before := range choices {
			for _, value := range strings.Fields(values) {
				chosen := maps.Clone(before)
				chosen[name] = value
				next = append(next, chosen)
			}
		}
		if choice != "" {
			choices = next
		}
	}
	for _, chosen := range choices {
		helper := &Helper{Needs: strings.Fields(m[5]), text: body, chosen: chosen}
		plain := func(text string) string { return (&Helper{text: text, chosen: chosen}).Text(Spelling{}) }
		helper.Signature = &loop.Signature{Name: plain(m[1]), Effects: m[6] != ""}
		var err error
		if helper.Signature.Params, err = types(plain(m[2])); err != nil {
			return err
		}
		if helper.Signature.Results, err = types(plain(m[3])); err != nil {
			return err
		}
		if err := h.insert(helper); err != nil {
			return err
		}
	}
	return nil
}

func (h *Helpers) insert(helper *Helper) error {
	name := helper.Signature.Name
	if h.byName[name] != nil {
		return fmt.Errorf("there are two helpers %s", name)
	}
	h.byName[name] = helper
	h.all = append(h.all, helper)
	return nil
}

// order finds the helpers that each calls, and moves each behind the last of
// them: what all dialects share may call what a dialect has.
func (h *Helpers) order() error {
	none := func(ir.Kind) string { return "" }
	for _, helper := range h.all {
		name := helper.Signature.Name
		text := helper.Text(Spelling{none, none, func(loop.Space) string { return "" }})
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			used := h.byName[m[1]]
			switch {
			case m[1] == name:
			case used == nil:
				return fmt.Errorf("%s calls %s, which is nowhere", name, m[1])
			case !slices.Contains(helper.Uses, used):
				helper.Uses = append(helper.Uses, used)
			}
		}
	}
	var ordered []*Helper
	isPlaced := func(helper *Helper) bool { return slices.Contains(ordered, helper) }
	for len(ordered) < len(h.all) {
		before := len(ordered)
		for _, helper := range h.all {
			if !isPlaced(helper) && !slices.ContainsFunc(helper.Uses, func(used *Helper) bool { return !isPlaced(used) }) {
				ordered = append(ordered, helper)
			}
		}
		if len(ordered) == before {
			return fmt.Errorf("helpers call each other")
		}
	}
	h.all = ordered
	return nil
}

var spaces = map[string]loop.Space{"local": loop.Local, "global": loop.Global}

// types reads a list of types: KIND, or [const] SPACE []KIND for memory.
func types(list string) ([]loop.Type, error) {
	var all []loop.Type
	for _, text := range strings.Split(list, ", ") {
		if text == "" || text == "none" {
			continue
		}
		text, readOnly := strings.CutPrefix(text, "const ")
		space, kindName, isMemory := strings.Cut(text, "[]")
		if !isMemory {
			kindName = text
		}
		kind, ok := ir.KindByName(kindName)
		if !ok {
			return nil, fmt.Errorf("%q is no type", text)
		}
		t := loop.ScalarOf(kind)
		if isMemory {
			t = loop.SliceOf(t).In(spaces[strings.TrimSpace(space)])
			t.ReadOnly = readOnly
		}
		all = append(all, t)
	}
	return all, nil
}
