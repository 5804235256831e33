package gocpu

import (
	"bytes"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/templates"
)

// SupportName is the file that every package of emitted pipelines has once.
const SupportName = "kgen_support.go"

// supportNames are the exported names of the support file.
var supportNames = []string{"Option", "WithWorkers", "WithAllocator", "WithScratch", "Scratch", "CheckError", "WithTrace", "Texts", "NewTexts"}

// Support returns the text of SupportName in the package called name. It is
// the same for all pipelines, so that they can share a package.
func Support(name string) []byte { return SupportFile(name, templates.GoSupport) }

// traceName is the file beside it where a trace was asked for.
const traceName = "kgen_trace.go"

// textsName is the file beside it where pipelines have texts.
const textsName = "kgen_texts.go"

// SupportFile returns a template as a file of the package called name.
func SupportFile(name string, template []byte) []byte {
	_, text, _ := bytes.Cut(template, []byte("package support\n"))
	return append([]byte("// "+backends.Generated()+"\n\npackage "+name+"\n"), text...)
}
