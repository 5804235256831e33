package worker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/kgen-go/kgen/internal/version"
)

// Program describes a worker program to kgen.
type Program struct {
	Name     string // of the executable
	Variable string // the environment variable with its path
	Tag      string // of its build
	Needs    string // what its build needs
	Library  string // what it links, as the dynamic linker names it
	Hint     string // how to get that library
}

// OpenCL is the worker for OpenCL devices.
var OpenCL = Program{
	Name:     "kgen-opencl",
	Variable: "KGEN_OPENCL_WORKER",
	Tag:      "opencl",
	Needs:    "gcc, pkg-config and OpenCL's headers: apt-get install gcc pkg-config ocl-icd-opencl-dev",
	Library:  "libOpenCL",
	Hint: "Install the OpenCL loader and a driver: apt-get install ocl-icd-libopencl1 (Debian, Ubuntu) or dnf install ocl-icd (Fedora), " +
		"and the package of your device, such as pocl-opencl-icd for CPUs",
}

// CUDA is the worker for CUDA devices.
var CUDA = Program{
	Name:     "kgen-cuda",
	Variable: "KGEN_CUDA_WORKER",
	Tag:      "cuda",
	Needs:    "gcc, cuda.h and libcuda.so: docs/cuda.md",
	Library:  "libcuda",
	Hint:     "Install NVIDIA's driver: apt-get install nvidia-driver (Debian, from non-free), nvidia-driver-580-server (Ubuntu), or https://www.nvidia.com/drivers",
}

// Install says how to get the program, in the version of this one.
func (p Program) Install() string {
	return fmt.Sprintf("get it by CGO_ENABLED=1 %s (with %s)", version.Install(p.Name, "-tags "+p.Tag), p.Needs)
}

// Find returns the path of the program: the path in its environment variable, or
// a file in the folder of this executable, or a file on PATH.
func (p Program) Find() (string, error) {
	if path := os.Getenv(p.Variable); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", &MissingError{p, fmt.Sprintf("%s is %s, which cannot be run (%v)", p.Variable, path, err)}
		}
		return path, nil
	}
	name := p.Name
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &MissingError{Program: p}
	}
	return path, nil
}
