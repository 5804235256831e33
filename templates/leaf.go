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

// Leaf is a leaf intrinsic: a function that emitted text of a GPU dialect
// carries along where it is used, and that a loop program may call by its
// Signature. Its name in text is LeafPrefix and Signature.Name.
type Leaf struct {
	Signature *loop.Signature
	Needs     []string // capabilities of the device, beside those of its types
	Uses      []*Leaf  // the leaves that its text calls
	text      string
	chosen    map[string]string // the name of a kind or space for each placeholder
}

// LeafPrefix begins the names of leaf intrinsics in emitted text; nothing else
// there begins with it.
const LeafPrefix = "kgen_"

// Spelling is how a dialect spells what the text of a leaf leaves open.
type Spelling struct {
	Type  func(ir.Kind) string    // of a value
	Bits  func(ir.Kind) string    // the function that reads bits as a value
	Space func(loop.Space) string // the qualifier of memory
}

// Text returns the definition of the leaf.
func (l *Leaf) Text(s Spelling) string {
	return placeholder.ReplaceAllStringFunc(l.text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value := m[2]
		if chosen, ok := l.chosen[m[2]+m[3]]; ok {
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

// Leaves are the leaf intrinsics of one dialect.
type Leaves struct {
	all    []*Leaf // callees first
	byName map[string]*Leaf
}

// Lookup returns the leaf called name.
func (l *Leaves) Lookup(name string) (*Leaf, bool) {
	leaf, ok := l.byName[name]
	return leaf, ok
}

// All returns the leaves, those that others use before these.
func (l *Leaves) All() []*Leaf { return l.all }

//go:embed c/*.c opencl/*.cl cuda/*.cu
var files embed.FS

// OpenCL returns the leaf intrinsics in OpenCL C 1.2, for little-endian devices.
var OpenCL = sync.OnceValue(func() *Leaves { return readLeaves(files, "c", "opencl") })

// CUDA returns the leaf intrinsics in CUDA C++.
var CUDA = sync.OnceValue(func() *Leaves { return readLeaves(files, "c", "cuda") })

// readLeaves reads the files of folders: what all dialects read alike is in
// folder c. Each file holds leaves, which begin with a line
//
//	//leaf NAME(TYPE, ...) TYPE [for X in KIND ..., Y in ...] [needs CAP ...] [effects]
//
// in which TYPE is a kind, memory as "local []u32" or "const global []u32", or,
// of a result, none.
// Where it says "for", there is a leaf for each choice of kinds or spaces. In
// the line and in the text, $X stands for the name of the choice, $type(X) for
// the type of its values, $unsigned(X) for the unsigned type of that width,
// $bits(X) and $unsignedbits(X) for the functions that read bits as these, and
// $space(X) for the qualifier of memory. X may also be the name of a kind.
func readLeaves(files fs.FS, folders ...string) *Leaves {
	leaves := &Leaves{byName: map[string]*Leaf{}}
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
		for _, part := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n//leaf ")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			if err := leaves.add(head, strings.TrimSpace(body)); err != nil {
				panic(fmt.Sprintf("templates: %s: %s: %v", name, head, err))
			}
		}
	}
	return leaves
}

var (
	placeholder = regexp.MustCompile(`\$([a-z]+)\(([A-Z]|[a-z]+\d*)\)|\$([A-Z])`)
	headLine    = regexp.MustCompile(`^(\S+)\(([^()]*)\) (\S+)(?: for (.*?))?(?: needs (.*?))?( effects)?$`)
	called      = regexp.MustCompile(`\b` + LeafPrefix + `(\w+)\(`)
)

// add adds the leaves of one head line.
func (l *Leaves) add(head, body string) error {
	m := headLine.FindStringSubmatch(head)
	if m == nil {
		return fmt.Errorf("no head line of a leaf")
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
		leaf := &Leaf{Needs: strings.Fields(m[5]), text: body, chosen: chosen}
		plain := func(text string) string { return (&Leaf{text: text, chosen: chosen}).Text(Spelling{}) }
		leaf.Signature = &loop.Signature{Name: plain(m[1]), Effects: m[6] != ""}
		var err error
		if leaf.Signature.Params, err = types(plain(m[2])); err != nil {
			return err
		}
		if leaf.Signature.Results, err = types(plain(m[3])); err != nil {
			return err
		}
		if err := l.insert(leaf); err != nil {
			return err
		}
	}
	return nil
}

// insert adds a leaf and finds those that it uses.
func (l *Leaves) insert(leaf *Leaf) error {
	name := leaf.Signature.Name
	if l.byName[name] != nil {
		return fmt.Errorf("there are two leaves %s", name)
	}
	none := func(ir.Kind) string { return "" }
	text := leaf.Text(Spelling{none, none, func(loop.Space) string { return "" }})
	for _, m := range called.FindAllStringSubmatch(text, -1) {
		used := l.byName[m[1]]
		switch {
		case m[1] == name:
		case used == nil:
			return fmt.Errorf("%s calls %s, which stands behind it or nowhere", name, m[1])
		case !slices.Contains(leaf.Uses, used):
			leaf.Uses = append(leaf.Uses, used)
		}
	}
	l.byName[name] = leaf
	l.all = append(l.all, leaf)
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
