"""A stand-in for CuPy where there is no GPU: arrays lie in the memory of the host, and kernels are compiled by g++.
It has one thread a group and runs the groups in order, so it is for texts of groups of 1. Only what
examples/host-python asks for is there."""
import ctypes, os, subprocess, tempfile
import numpy as np

uint8 = np.uint8


class cuda:
    class Device:
        attributes = {"MultiProcessorCount": 2, "WarpSize": 32, "MaxThreadsPerBlock": 1, "MaxSharedMemoryPerBlockOptin": 48 << 10}
        mem_info = 1 << 30, 1 << 30
        compute_capability = "60"

    class runtime:
        def driverGetVersion():
            return 12000

    class nvrtc:
        NVRTCError = subprocess.CalledProcessError

        def getVersion():
            return 12, 0

        def createProgram(text, name, headers, names):
            return {"text": text, "log": ""}

        def compileProgram(program, options):
            assert isinstance(options, tuple) and options[0] == "--gpu-architecture=sm_60"
            prelude = os.path.join(os.path.dirname(__file__), "prelude.h")
            with tempfile.TemporaryDirectory() as folder:
                library = os.path.join(folder, "kernels.so")
                try:
                    subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-shared", "-fPIC",
                                    *options[1:], "-include", prelude, "-x", "c++", "-", "-o", library], input=program["text"].encode(),
                                   stderr=subprocess.PIPE, check=True)
                except subprocess.CalledProcessError as refused:
                    program["log"] = refused.stderr.decode()
                    raise
                with open(library, "rb") as image:
                    program["image"] = image.read()

        def getCUBIN(program):
            return program["image"]

        def getProgramLog(program):
            return program["log"]

        def destroyProgram(program):
            program.clear()


class ndarray:
    def __init__(self, host):
        self.host = host

    def __getitem__(self, key):
        return ndarray(self.host[key])

    def __setitem__(self, key, value):
        assert isinstance(value, ndarray), "only what is on the device can be stored there"
        self.host[key] = value.host

    def reshape(self, *shape):
        return ndarray(self.host.reshape(*shape))

    def set(self, array):
        assert array.dtype == self.host.dtype and array.shape == self.host.shape
        self.host[:] = array

    def get(self):
        return self.host.copy()


def empty(size, dtype):
    return ndarray(np.full(size, 0xA5, dtype))


def asarray(array):
    return ndarray(np.array(array))


class RawModule:
    def __init__(self, path, enable_cooperative_groups=False):
        self.library = ctypes.CDLL(path)

    def get_function(self, name):
        return RawKernel(self.library, name)


class RawKernel:
    def __init__(self, library, name):
        self.library, self.function = library, library[name]

    def __call__(self, grid, block, args, shared_mem=0):
        (groups,), (size,) = grid, block
        assert groups > 0 and size == 1 and shared_mem == 0
        values = []
        for arg in args:
            if isinstance(arg, ndarray):
                values.append(ctypes.c_void_p(arg.host.ctypes.data))
            else:
                assert isinstance(arg, (np.number, np.bool_)), f"{arg!r} is no argument that CuPy takes"
                values.append(np.ctypeslib.as_ctypes_type(arg.dtype)(arg.item()))
        for group in range(groups):
            self.library.kgen_start_group(group, groups)
            self.function(*values)
