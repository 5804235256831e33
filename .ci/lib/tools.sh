# What a run needs beside Go: it is installed where apt-get is, and where it is
# missing, the end of the run says what was left out, or the steps fail.

has go || { echo "Go is missing; install the version that go.mod names: https://go.dev/dl"; exit 1; }
install gcc gcc libc6-dev

# OpenCL devices are never skipped: without PoCL their steps fail. More threads
# than cores can stall kernels that wait.
opencl_found() { pkg-config --exists OpenCL && ls /etc/OpenCL/vendors/pocl*.icd; } &>/dev/null
install opencl_found pocl-opencl-icd ocl-icd-opencl-dev pkg-config
opencl_found || echo "OpenCL's headers or PoCL are missing; Debian's packages are pocl-opencl-icd ocl-icd-opencl-dev pkg-config"
opencl=(env CGO_ENABLED=1 CGO_CFLAGS="-O2 -g -DCL_TARGET_OPENCL_VERSION=120" POCL_MAX_PTHREAD_COUNT=2 KGEN_REQUIRE_OPENCL=1)

# The CUDA emulation is never skipped: without g++ its tests fail.
install g++ g++
export KGEN_REQUIRE_CUDAEMU=1

install clang clang
has clang || not_run+=("clang over the emitted OpenCL C: there is no clang")
install clang-19 clang-19 # CUDA C++ that needs PTX 8, which neither Debian's NVRTC nor its clang makes
has clang-19 || not_run+=("clang-19 over the emitted CUDA C++: there is no clang-19")

# Python with PyOpenCL; the first one need not be Debian's.
pyopencl_found() { python3 -c 'import pyopencl' || /usr/bin/python3 -c 'import pyopencl'; } &>/dev/null
install pyopencl_found python3-pyopencl python3-numpy

# NVRTC, and what the worker for CUDA devices is built with, in a folder that stays.
cuda=${KGEN_CUDA_PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/kgen-ci/cuda}
if cuda_missing=$(timeout 5m .ci/cuda-packages "$cuda" 2>&1); then
	cuda_found=1
else
	cuda_found=
	not_run+=("NVRTC over the emitted CUDA C++, the worker for CUDA devices: ${cuda_missing##*$'\n'}")
fi
# Where nothing makes PTX 8, as clang-19 does, its steps fail, and so where nothing compiles. -v says what did.
nvrtc=(env ${cuda_found:+KGEN_NVRTC="$cuda/lib/libnvrtc.so.11.2"} KGEN_REQUIRE_CUDA_COMPILER=1)

# tree-sitter, which needs node for its grammars, in such a folder too.
install node nodejs
tree_sitter=${XDG_CACHE_HOME:-$HOME/.cache}/kgen-ci/tree-sitter
if ! has node; then
	tree_sitter=
	not_run+=("tree-sitter's grammar: there is no node")
elif ! tree_sitter_missing=$(timeout 5m .ci/tree-sitter "$tree_sitter" 2>&1); then
	tree_sitter=
	not_run+=("tree-sitter's grammar: ${tree_sitter_missing##*$'\n'}")
fi
