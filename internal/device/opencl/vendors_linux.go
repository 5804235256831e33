//go:build opencl

package opencl

/*
#include <dlfcn.h>
#include <stdlib.h>

// In one call, since the error is one of the thread. Not closed: the loader of
// OpenCL keeps the library, too.
static const char *load_error(const char *name) {
	dlerror();
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL) ? "" : dlerror();
}
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

// vendorNotes says which installed drivers cannot be loaded. OpenCL's loader
// skips them silently.
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
	return C.GoString(C.load_error(name))
}
