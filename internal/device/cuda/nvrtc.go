//go:build cuda

package cuda

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct {
	int (*Version)(int *, int *);
	const char *(*GetErrorString)(int);
	int (*CreateProgram)(void **, const char *, const char *, int, const char *const *, const char *const *);
	int (*DestroyProgram)(void **);
	int (*CompileProgram)(void *, int, const char *const *);
	int (*GetProgramLogSize)(void *, size_t *);
	int (*GetProgramLog)(void *, char *);
	int (*GetPTXSize)(void *, size_t *);
	int (*GetPTX)(void *, char *);
	int (*GetCUBINSize)(void *, size_t *);
	int (*GetCUBIN)(void *, char *);
	int (*GetNumSupportedArchs)(int *);
	int (*GetSupportedArchs)(int *);
} library;

// Says why a library cannot be loaded, or "". In one call, since the error is
// one of the thread.
static const char *load(const char *name, int flags) {
	dlerror();
	return dlopen(name, flags) ? "" : dlerror();
}
static const char *loadBuiltins(const char *name) { return load(name, RTLD_NOW | RTLD_GLOBAL); }

static const char *loadLibrary(const char *name, library *l) {
	const char *error = load(name, RTLD_NOW | RTLD_LOCAL);
	if (*error)
		return error;
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#define FIND(function) if (!(*(void **)&l->function = dlsym(handle, "nvrtc" #function))) return "it has no nvrtc" #function;
	FIND(Version) FIND(GetErrorString) FIND(CreateProgram) FIND(DestroyProgram) FIND(CompileProgram) FIND(GetProgramLogSize)
	FIND(GetProgramLog) FIND(GetPTXSize) FIND(GetPTX) FIND(GetCUBINSize) FIND(GetCUBIN) FIND(GetNumSupportedArchs) FIND(GetSupportedArchs)
	return "";
}

static int version(library *l, int *major, int *minor) { return l->Version(major, minor); }
static const char *message(library *l, int status) { return l->GetErrorString(status); }
static int create(library *l, void **program, const char *text, const char *name) { return l->CreateProgram(program, text, name, 0, 0, 0); }
static int destroy(library *l, void **program) { return l->DestroyProgram(program); }
static int compile(library *l, void *program, int count, char **options) { return l->CompileProgram(program, count, (const char *const *)options); }
static int countArchitectures(library *l, int *count) { return l->GetNumSupportedArchs(count); }
static int architectures(library *l, int *list) { return l->GetSupportedArchs(list); }

// Part 0 is the log, 1 PTX, 2 machine code.
static int partSize(library *l, void *program, int part, size_t *size) {
	return part == 0 ? l->GetProgramLogSize(program, size) : part == 1 ? l->GetPTXSize(program, size) : l->GetCUBINSize(program, size);
}
static int partOf(library *l, void *program, int part, char *to) {
	return part == 0 ? l->GetProgramLog(program, to) : part == 1 ? l->GetPTX(program, to) : l->GetCUBIN(program, to);
}
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// nvrtc is NVIDIA's compiler as a library.
type nvrtc struct {
	library       C.library
	version       string
	major         int   // of the version
	architectures []int // targets: 90 is sm_90
}

// nvrtcNames are the library names of NVRTC in CUDA 13, 12 and 11.
var nvrtcNames = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}

// loadNVRTC loads the compiler, once.
var loadNVRTC = sync.OnceValues(func() (*nvrtc, error) {
	names := nvrtcNames
	if path := os.Getenv("KGEN_NVRTC"); path != "" {
		names = []string{path}
		builtins, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "libnvrtc-builtins.so.*"))
		for _, b := range builtins { // which it loads by its name
			withCString(b, func(name *C.char) { C.loadBuiltins(name) })
		}
	}
	var reasons []string
	for _, name := range names {
		n := new(nvrtc)
		var reason string
		withCString(name, func(name *C.char) { reason = C.GoString(C.loadLibrary(name, &n.library)) })
		if reason != "" {
			reasons = append(reasons, reason)
			continue
		}
		var major, minor, count C.int
		C.version(&n.library, &major, &minor)
		n.version, n.major = fmt.Sprintf("NVRTC %d.%d", major, minor), int(major)
		if C.countArchitectures(&n.library, &count) == 0 && count > 0 {
			list := make([]C.int, count)
			C.architectures(&n.library, &list[0])
			for _, a := range list {
				n.architectures = append(n.architectures, int(a))
			}
		}
		return n, nil
	}
	return nil, fmt.Errorf("NVRTC, which compiles emitted text, cannot be loaded (%s). "+
		"Install it: python3 -m pip install nvidia-cuda-nvrtc, or NVIDIA's package cuda-nvrtc, and set LD_LIBRARY_PATH or KGEN_NVRTC to the file",
		strings.Join(slices.Compact(reasons), "; "))
})

func withCString(text string, use func(*C.char)) {
	c := C.CString(text)
	defer C.free(unsafe.Pointer(c))
	use(c)
}

// warningsVariable makes errors of warnings, for tests: emitted text has none.
const warningsVariable = "KGEN_CUDA_WARNINGS_ARE_ERRORS"

// compileError is the compiler's message about an invalid text.
type compileError struct{ log string }

func (e *compileError) Error() string { return e.log }

// architecture returns the option for a device of a compute capability: code
// for it, or PTX for the newest architecture before it that NVRTC knows.
func (n *nvrtc) architecture(capability int) string {
	newest := 0
	for _, a := range n.architectures {
		if a <= capability {
			newest = max(newest, a)
		}
	}
	if newest == capability || newest == 0 {
		return fmt.Sprintf("sm_%d", capability)
	}
	return fmt.Sprintf("compute_%d", newest)
}

// compile returns PTX and, for a real architecture, machine code.
func (n *nvrtc) compile(file, text string, options []string) (ptx, machine []byte, err error) {
	var program unsafe.Pointer
	var status C.int
	withCString(text, func(text *C.char) {
		withCString(file, func(file *C.char) { status = C.create(&n.library, &program, text, file) })
	})
	if status != 0 {
		return nil, nil, n.failure(status)
	}
	defer C.destroy(&n.library, &program)
	list := (*[1 << 20]*C.char)(C.malloc(C.size_t(len(options)+1) * C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(list))
	for i, option := range options {
		list[i] = C.CString(option)
		defer C.free(unsafe.Pointer(list[i]))
	}
	if status = C.compile(&n.library, program, C.int(len(options)), &list[0]); status != 0 {
		log, _ := n.part(program, 0)
		return nil, nil, &compileError{strings.TrimRight(string(log), "\x00") + "\n" + n.failure(status).Error()}
	}
	if os.Getenv(warningsVariable) != "" {
		log, err := n.part(program, 0)
		if text := strings.TrimRight(string(log), "\x00\n"); err != nil || text != "" {
			return nil, nil, cmp.Or[error](err, &compileError{text + "\n" + warningsVariable + " is set: warnings are errors"})
		}
	}
	if ptx, err = n.part(program, 1); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(options, func(o string) bool { return strings.Contains(o, "=sm_") }) {
		machine, err = n.part(program, 2)
	}
	return ptx, machine, err
}

func (n *nvrtc) failure(status C.int) error {
	return errors.New(n.version + ": " + C.GoString(C.message(&n.library, status)))
}

// part returns the log (0), PTX (1) or machine code (2) of a program.
func (n *nvrtc) part(program unsafe.Pointer, number C.int) ([]byte, error) {
	var size C.size_t
	if status := C.partSize(&n.library, program, number, &size); status != 0 {
		return nil, n.failure(status)
	}
	if size == 0 {
		return nil, nil
	}
	data := C.malloc(size)
	defer C.free(data)
	if status := C.partOf(&n.library, program, number, (*C.char)(data)); status != 0 {
		return nil, n.failure(status)
	}
	return C.GoBytes(data, C.int(size)), nil
}
