#!/usr/bin/env python3
"""Runs a plan that `kgen emit --backend opencl` wrote, with its texts beside it, and prints the results as CSV.

usage: run_plan.py NAME.plan.json [FILE.csv | COLUMN.npy | SCALAR=VALUE]...

PYOPENCL_CTX chooses the device; without it, PyOpenCL does."""
import os
import numpy as np, pyopencl as cl
import steps


class OpenCL(steps.Run):
    """A run on an OpenCL device, in a queue that is in order."""

    extension = ".cl"

    def __init__(self, plan, folder, queue, inputs):
        self.folder, self.queue, self.programs = folder, queue, {}
        d, config = queue.device, cl.device_fp_config
        self.machine = {"units": d.max_compute_units, "subgroup": 1, "maxWorkgroup": d.max_work_group_size,
                        "localBytes": d.local_mem_size, "memory": d.global_mem_size, "maxAlloc": d.max_mem_alloc_size}
        self.caps = {cap for cap, has in {
            "atomics.i64": {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"} <= set(d.extensions.split()),
            "fp64": "cl_khr_fp64" in d.extensions.split(),
            "progress.ticket": True,  # supposed: where it is wrong, a kernel gives up and the fallback runs
            "f32.divide": d.single_fp_config & config.CORRECTLY_ROUNDED_DIVIDE_SQRT,
            "f32.denormals": d.single_fp_config & config.DENORM}.items() if has}
        super().__init__(plan, inputs)

    def alloc(self, name, length):
        # Whole words: kernels may change an element through the 8 bytes that hold it.
        size = max(-(-length * self.dtypes[name].itemsize // 8) * 8, 8)
        self.buffers[name] = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, size), length

    def store(self, name, column):
        if len(column):
            cl.enqueue_copy(self.queue, self.buffers[name][0], np.ascontiguousarray(column))

    def fill(self, name, element):
        memory, length = self.buffers[name]
        if length:
            cl.enqueue_fill_buffer(self.queue, memory, element, 0, length * element.itemsize)

    def load(self, name, index, count):
        memory, length = self.buffers[name]
        assert 0 <= index <= length - count, f"{count} elements from {index} on of buffer {name}, which has {length}"
        elements = np.empty(count, self.dtypes[name])
        if count:
            cl.enqueue_copy(self.queue, elements, memory, src_offset=index * elements.itemsize)
        return elements

    def launch(self, variant, s):
        row0, rows = self.value(s.get("row0", 0)), self.value(s["rows"])
        assert row0 >= 0 and 0 <= rows < 2**31, f"{rows} rows from {row0} on; a launch spans less than 2^31"
        workgroup, items, chunk = (variant["schedule"].get(key) or 1 for key in ("workgroup", "items", "chunk"))
        groups = self.value(variant.get("grid", {"ceildiv": [rows, workgroup * items * chunk]}), rows)
        if groups > (most := min(variant.get("gridLimit", groups), self.machine["units"] if variant.get("forward") == "resident" else groups)):
            raise steps.GiveUp(f"{s['kernel']} needs {groups} groups, of {most} at most")
        if groups == 0:
            return
        kernel = cl.Kernel(self.program(variant), variant["entry"])
        args = {a["name"]: a for a in variant.get("args", []) + s.get("bind", [])}  # in the variant's order
        for i, arg in enumerate([{"value": row0}, {"value": rows}, *args.values()]):
            kernel.set_arg(i, self.buffers[arg["buffer"]][0] if "buffer" in arg else self.scalars[arg["scalar"]] if "scalar" in arg
                           else np.int64(self.value(arg["value"], rows)))
        cl.enqueue_nd_range_kernel(self.queue, kernel, (groups * workgroup,), (workgroup,))

    def program(self, variant):
        options = ["-cl-std=CL1.2"]
        if "f32.divide" in self.plan.get("needs", []) + variant.get("needs", []):
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        options += [f"-D{spec['name']}={self.value(spec['value'])}" for spec in variant.get("spec", [])]
        key = variant["file"], *options
        if key not in self.programs:
            with open(os.path.join(self.folder, variant["file"]), encoding="utf-8") as text:
                self.programs[key] = cl.Program(self.queue.context, text.read()).build(options)
        return self.programs[key]


if __name__ == "__main__":
    steps.main(__doc__, lambda: cl.CommandQueue(cl.create_some_context(interactive=False)), OpenCL)
