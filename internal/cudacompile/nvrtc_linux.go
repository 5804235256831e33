package cudacompile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is what is used of NVRTC. Its functions return 0 where they succeed.
type library struct {
	version     func(major, minor *int32) int32
	message     func(status int32) string
	create      func(program *uintptr, source, name *byte, headers int32, texts, names unsafe.Pointer) int32
	destroy     func(program *uintptr) int32
	compile     func(program uintptr, count int32, options unsafe.Pointer) int32
	logSize     func(program uintptr, size *uintptr) int32
	log         func(program uintptr, text *byte) int32
	ptxSize     func(program uintptr, size *uintptr) int32
	machineSize func(program uintptr, size *uintptr) int32
}

// names are what the dynamic linker may know NVRTC by, of CUDA 13, 12 and 11.
var names = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}

func nvrtc() (*Compiler, error) {
	candidates := names
	if path := os.Getenv("KGEN_NVRTC"); path != "" {
		candidates = []string{path}
		// It loads this one by its name.
		builtins, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "libnvrtc-builtins.so.*"))
		for _, b := range builtins {
			if _, err := purego.Dlopen(b, purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
				return nil, fmt.Errorf("no NVRTC: %w", err)
			}
		}
	}
	var reasons []string
	for _, name := range candidates {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		l := new(library)
		for symbol, function := range map[string]any{"Version": &l.version, "GetErrorString": &l.message, "CreateProgram": &l.create,
			"DestroyProgram": &l.destroy, "CompileProgram": &l.compile, "GetProgramLogSize": &l.logSize, "GetProgramLog": &l.log,
			"GetPTXSize": &l.ptxSize, "GetCUBINSize": &l.machineSize} {
			purego.RegisterLibFunc(function, handle, "nvrtc"+symbol)
		}
		var major, minor int32
		l.version(&major, &minor)
		return &Compiler{fmt.Sprintf("NVRTC %d.%d", major, minor), int(major), true, l.check}, nil
	}
	return nil, fmt.Errorf("no NVRTC: %s", strings.Join(reasons, "; "))
}

// check compiles a text to PTX, and to machine code where the architecture is a
// real one.
func (l *library) check(source []byte, architecture string) error {
	var program uintptr
	name := cString("kernels.cu")
	text := cString(string(source))
	if status := l.create(&program, text, name, 0, nil, nil); status != 0 {
		return fmt.Errorf("NVRTC: %s", l.message(status))
	}
	defer l.destroy(&program)
	options := []*byte{cString("--gpu-architecture=" + architecture)}
	status := l.compile(program, int32(len(options)), unsafe.Pointer(&options[0]))
	if log := l.read(program); status != 0 || log != "" {
		return fmt.Errorf("NVRTC: %s\n%s", l.message(status), log)
	}
	for what, size := range map[string]func(uintptr, *uintptr) int32{"PTX": l.ptxSize, "machine code": l.machineSize} {
		if what == "machine code" && strings.HasPrefix(architecture, "compute_") {
			continue
		}
		var bytes uintptr
		if status := size(program, &bytes); status != 0 || bytes < 100 {
			return fmt.Errorf("NVRTC made %d bytes of %s: %s", bytes, what, l.message(status))
		}
	}
	return nil
}

// read returns the log, which is "" where the compiler has nothing to say.
func (l *library) read(program uintptr) string {
	var size uintptr
	if l.logSize(program, &size) != 0 || size <= 1 {
		return ""
	}
	text := make([]byte, size)
	l.log(program, &text[0])
	return strings.TrimSpace(strings.TrimRight(string(text), "\x00"))
}

func cString(text string) *byte {
	return unsafe.StringData(text + "\x00")
}
