"""What a plan does apart from its device: expressions, the flow of its steps, checks. docs/plan.md is the reference."""
import json, os, sys
import numpy as np
from columns import DTYPES, fit, literal, read_inputs, write_results

OPERATORS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "min": min, "max": max,
             "ceildiv": lambda a, b: -(-a // b), "pow2": lambda a: 1 << max(a - 1, 0).bit_length(),
             "shl": lambda a, b: a << b, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b, "and": lambda a, b: a and b}


class GiveUp(Exception):
    """The plan cannot be finished here; its fallback starts anew."""


class CheckFailed(Exception):
    """The data broke a rule of the language."""


class Run:
    """One run of a plan. Its subclass is the device: machine, caps, and the methods alloc, store, fill, load and launch."""

    def __init__(self, plan, inputs):
        self.plan = plan
        for file in (v["file"] for k in plan.get("kernels", []) for v in k["variants"] if "file" in v):
            if not file.endswith(self.extension):
                raise ValueError(f"{file}: this runs texts *{self.extension}; run_plan.py those of OpenCL, run_plan_cupy.py those of CUDA")
        if not self.caps.issuperset(plan.get("needs", [])):
            raise GiveUp(f"the device lacks one of {plan['needs']}")
        self.scalars = {s["name"]: literal(s["kind"], s.get("init")) for s in plan.get("scalars", [])}
        self.kinds = {s["name"]: s["kind"] for s in plan.get("scalars", [])}
        self.domains = {d["name"]: d.get("len") for d in plan.get("domains", [])}  # of parameters, numbers
        self.declared = {b["name"]: b for b in plan.get("buffers", [])}
        self.dtypes = {b["name"]: np.dtype(DTYPES[b["kind"]]) for b in plan.get("buffers", [])}
        self.buffers = {}  # by name, as the device has them
        self.variants = {k["name"]: self.choose(k) for k in plan.get("kernels", [])}
        for port in (p for p in plan["ports"] if p["direction"] == "in"):
            value = inputs[port["name"]]
            if "scalar" in port:
                self.scalars[port["scalar"]] = value
            else:
                self.domains[port["domain"]] = len(value)
                self.alloc(port["buffer"], len(value))
                self.store(port["buffer"], value)
        assert self.steps(plan["steps"]), "the steps end without a return"

    def choose(self, kernel):
        """Returns the first variant that the device can run."""
        for v in kernel["variants"]:
            if (self.caps.issuperset(v.get("needs", [])) and v["schedule"].get("workgroup", 1) <= self.machine["maxWorkgroup"]
                    and self.value(v.get("localBytes", 0)) + v.get("ownBytes", 0) <= self.machine["localBytes"]):
                return v
        raise GiveUp(f"no variant of {kernel['name']} runs on this device")

    def value(self, e, rows=None):
        """Returns the value of an expression; rows is that of a launch."""
        if isinstance(e, (int, str)):
            return int(self.scalars[e]) if isinstance(e, str) else e
        (op, x), = e.items()
        if op in OPERATORS:
            result = OPERATORS[op](*(self.value(arg, rows) for arg in x))
            if not -2**63 <= result < 2**63:
                raise OverflowError(f"{e} does not fit 64 bits")
            return result
        if op == "len":
            return self.value(self.domains[x])
        return {"machine": self.machine.get(x), "resident": self.machine["units"], "rows": rows}[op]

    def steps(self, steps):
        """Runs steps up to a return; says whether it met one."""
        return any(getattr(self, "do_" + op)(s) for step in steps for op, s in step.items())

    def do_alloc(self, s):
        self.alloc(s["buffer"], self.value(self.declared[s["buffer"]]["length"]))

    def do_init(self, s):
        b, dtype = self.declared[s["buffer"]], self.dtypes[s["buffer"]]
        self.fill(s["buffer"], np.array(np.iinfo(dtype).max, dtype) if b["role"] == "errors" else literal(b["kind"], b.get("fill")))

    def do_launch(self, s):
        self.launch(self.variants[s["kernel"]], s)

    def do_read(self, s):
        for name, x in zip(s["scalars"], self.load(s["buffer"], self.value(s.get("index", 0)), len(s["scalars"]))):
            self.scalars[name] = fit(self.kinds[name], x)

    def do_set(self, s):
        self.scalars[s["scalar"]] = np.array(self.value(s["value"]))

    def do_if(self, s):
        return self.steps(s.get("then" if self.value(s["cond"]) else "else", []))

    def do_while(self, s):
        for _ in range(s["max"]):
            if not self.value(s["cond"]):
                return False
            if self.steps(s["steps"]):
                return True
        if self.value(s["cond"]) and not s.get("else"):
            raise GiveUp(f"{s['cond']} still holds after {s['max']} rounds")
        return self.value(s["cond"]) and self.steps(s["else"])

    def do_parts(self, s):
        length, multiple = self.value(s["len"]), s.get("multiple", 1)
        limit = max(s.get("limit", 2**31 - 1) // multiple, 1) * multiple
        for row0 in range(0, max(length, 1), limit):
            self.scalars[s["row0"]], self.scalars[s["rows"]] = np.array(row0), np.array(min(length - row0, limit))
            if self.steps(s["steps"]):
                return True
            for c in s.get("carries", []):
                self.buffers[c["in"]], self.buffers[c["out"]] = self.buffers[c["out"]], self.buffers[c["in"]]

    def do_checkErrors(self, s):
        names = {b["role"]: name for name, b in self.declared.items()}
        if "abort" in names and self.load(names["abort"], 0, 1)[0]:
            raise GiveUp("a kernel waited too long for another work-group, or a check failed in a row whose number it does not know")
        sites = [] if s.get("abortOnly") else self.plan.get("sites", [])
        rows = self.load(names["errors"], 0, len(sites)) if "errors" in names else None
        for i, site in enumerate(sites):
            if self.value(site["when"]) if "when" in site else rows[i] != np.iinfo(rows.dtype).max:
                where = f", row {0 if 'when' in site else rows[i]} of domain {site['domain']}" if "domain" in site else ""
                raise CheckFailed(f"{site['position']}: {site['message']}{where}")

    def do_return(self, s):
        return True

    def results(self):
        """Returns the results by name: a column, or one element for a scalar."""
        return {p["name"]: self.load(p["buffer"], 0, self.value({"len": p["domain"]})) if "buffer" in p
                else self.scalars[p["scalar"]].reshape(1) for p in self.plan["ports"] if p["direction"] == "out"}


def main(usage, connect, run):
    """Is the command line: the plan's file, then the inputs. Run is made with what connect returns."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    path, *arguments = sys.argv[1:]
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        (inputs, texts), device = read_inputs(plan, arguments), connect()
        while plan:
            try:
                return write_results(plan, run(plan, os.path.dirname(path), device, inputs).results(), texts)
            except GiveUp as reason:
                print(f"gave up: {reason}", file=sys.stderr)
                plan = plan.get("fallback")
    except (OSError, ValueError, CheckFailed) as fault:
        sys.exit(str(fault))
    sys.exit("there is no fallback")
