//go:build opencl

package run

/*
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"
)

// vendorNotes says which installed drivers cannot be loaded. The loader of
// OpenCL passes over them without a word.
func vendorNotes() (notes []string, folder string) {
	folder = cmp.Or(os.Getenv("OCL_ICD_VENDORS"), "/etc/OpenCL/vendors")
	files, _ := filepath.Glob(filepath.Join(folder, "*.icd"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		library, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("driver %s: %v", file, err))
		case library == "":
			notes = append(notes, fmt.Sprintf("driver %s: the file names no library", file))
		default:
			if reason := loadError(library); reason != "" {
				notes = append(notes, fmt.Sprintf("driver %s cannot be loaded: %s", file, reason))
			}
		}
	}
	return notes, folder
}

// loadError says why a library cannot be loaded, or "".
func loadError(library string) string {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	C.dlerror()
	// Not closed: the loader of OpenCL keeps it, too.
	if C.dlopen(name, C.RTLD_LAZY|C.RTLD_LOCAL) != nil {
		return ""
	}
	return C.GoString(C.dlerror())
}
