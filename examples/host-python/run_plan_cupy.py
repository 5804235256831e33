#!/usr/bin/env python3
"""Runs a plan that `kgen emit --backend cuda` wrote, with its texts beside it, and prints the results as CSV.

usage: run_plan_cupy.py NAME.plan.json [FILE.csv | COLUMN.npy | SCALAR=VALUE]...

CUDA_VISIBLE_DEVICES chooses the device; without it, it is the first."""
import os, tempfile
import cupy as cp, numpy as np
import steps


class CUDA(steps.Run):
    """A run on a CUDA device, in CuPy's current stream. Buffers are bytes, since CuPy has no strings."""

    extension = ".cu"

    def __init__(self, plan, folder, device, inputs):
        self.folder, self.modules, self.images = folder, {}, tempfile.TemporaryDirectory()
        about, memory = device.attributes, device.mem_info[1]
        self.machine = {"units": about["MultiProcessorCount"], "subgroup": about["WarpSize"],
                        "maxWorkgroup": about["MaxThreadsPerBlock"], "localBytes": about["MaxSharedMemoryPerBlockOptin"],
                        "memory": memory, "maxAlloc": memory}
        self.caps = {"atomics.i64", "fp64", "progress.ticket", "progress.static", "progress.resident", "f32.divide", "f32.denormals"}
        self.capability = int(device.compute_capability)
        if self.capability >= 90 and cp.cuda.runtime.driverGetVersion() >= 12000 and cp.cuda.nvrtc.getVersion()[0] >= 12:
            self.caps.add("copy.bulk")
        super().__init__(plan, inputs)

    def alloc(self, name, length):
        # Whole words: kernels may change an element through the 8 bytes that hold it.
        size = max(-(-length * self.dtypes[name].itemsize // 8) * 8, 8)
        self.buffers[name] = cp.empty(size, np.uint8), length

    def store(self, name, column):
        elements = np.frombuffer(np.ascontiguousarray(column).tobytes(), np.uint8)
        if len(elements):
            self.buffers[name][0][:len(elements)].set(elements)

    def fill(self, name, element):
        memory, length = self.buffers[name]
        size = self.dtypes[name].itemsize
        if length:
            one = np.frombuffer(element.tobytes().ljust(size, b"\0"), np.uint8)
            memory[:length * size].reshape(length, size)[:] = cp.asarray(one)

    def load(self, name, index, count):
        memory, length = self.buffers[name]
        assert 0 <= index <= length - count, f"{count} elements from {index} on of buffer {name}, which has {length}"
        size = self.dtypes[name].itemsize
        return memory[index * size:(index + count) * size].get().view(self.dtypes[name])

    def launch(self, variant, s):
        row0, rows = self.value(s.get("row0", 0)), self.value(s["rows"])
        assert row0 >= 0 and 0 <= rows < 2**31, f"{rows} rows from {row0} on; a launch spans less than 2^31"
        workgroup, items, chunk = (variant["schedule"].get(key) or 1 for key in ("workgroup", "items", "chunk"))
        groups = self.value(variant.get("grid", {"ceildiv": [rows, workgroup * items * chunk]}), rows)
        together = variant.get("forward") == "resident"  # the driver refuses what does not run at once
        if together and groups > self.machine["units"]:
            raise steps.GiveUp(f"{s['kernel']} needs {groups} work-groups at once")
        if groups == 0:
            return
        args = {a["name"]: a for a in variant.get("args", []) + s.get("bind", [])}  # in the variant's order
        values = [self.buffers[arg["buffer"]][0] if "buffer" in arg else scalar(self.scalars[arg["scalar"]]) if "scalar" in arg
                  else np.int64(self.value(arg["value"], rows)) for arg in args.values()]
        kernel, local = self.module(variant, together).get_function(variant["entry"]), self.value(variant.get("localBytes", 0))
        if local > 48 << 10:
            kernel.max_dynamic_shared_size_bytes = local
        kernel((groups,), (workgroup,), (np.int64(row0), np.int64(rows), *values), shared_mem=local)

    def module(self, variant, together):
        options = [f"-D{spec['name']}={self.value(spec['value'])}" for spec in variant.get("spec", [])]
        key = variant["file"], together, *options
        if key not in self.modules:
            path = os.path.join(self.images.name, f"{len(self.modules)}.cubin")
            with open(os.path.join(self.folder, variant["file"]), encoding="utf-8") as text, open(path, "wb") as image:
                image.write(self.compile(text.read(), variant["file"], options))
            self.modules[key] = cp.RawModule(path=path, enable_cooperative_groups=together)
        return self.modules[key]

    def compile(self, text, name, options):
        # RawModule adds -ftz=true to what it compiles, which text that computes with f32 refuses.
        nvrtc = cp.cuda.nvrtc
        program = nvrtc.createProgram(text, name, (), ())
        try:
            nvrtc.compileProgram(program, (f"--gpu-architecture=sm_{self.capability}", *options))
            return nvrtc.getCUBIN(program)
        except nvrtc.NVRTCError as refused:
            raise ValueError(nvrtc.getProgramLog(program)) from refused
        finally:
            nvrtc.destroyProgram(program)


def scalar(x):
    """Returns an argument of a kernel: a bool is a byte there, a char8 a word."""
    if x.dtype.kind == "S":
        return np.frombuffer(x.tobytes().ljust(8, b"\0"), np.uint64)[0]
    return np.uint8(x) if x.dtype.kind == "b" else x[()]


if __name__ == "__main__":
    steps.main(__doc__, cp.cuda.Device, CUDA)
