"""Values: the kinds as numpy arrays, literals of plans, and columns in files as kgen reads and writes them."""
import ast, csv, math, os, re, sys
import numpy as np

# The elements of each kind, in files and buffers and as arguments of kernels.
DTYPES = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
          "u64": "u8", "f32": "f4", "f64": "f8", "date": "i4", "char8": "S8"}
BOOLS = {"true": True, "1": True, "false": False, "0": False}
np.seterr(over="raise")  # a number that is too large for f32 is an error


def fit(kind, array):
    """Returns the array with elements of the kind; values that it does not have are an error."""
    if array.dtype.kind == "M":
        array = array.astype("M8[D]").astype("i8")
    fitted = array.astype(DTYPES[kind])
    if not np.array_equal(fitted, array, equal_nan=kind in ("f32", "f64")):
        raise ValueError(f"{array} is not all {kind}")
    return fitted


def parse(kind, text):
    """Returns the element that a field of a CSV file stands for."""
    word = text.strip()
    if kind == "char8":
        return fit(kind, np.array(text.encode(errors="surrogateescape")))
    if kind in ("f32", "f64"):
        return np.array(float(word), DTYPES[kind])
    if kind == "date" and re.fullmatch(r"-?\d{4,7}-\d\d-\d\d", word):
        return fit(kind, np.array(word, "M8[D]"))
    if kind == "bool" and word.lower() in BOOLS:
        return np.array(BOOLS[word.lower()])
    if kind not in ("date", "bool"):
        return fit(kind, np.array(int(word)))
    raise ValueError(f"{text!r} is no {kind}")


def literal(kind, text):
    """Returns the element that a literal of a plan stands for; none is zero."""
    if not text:
        return np.zeros((), DTYPES[kind])
    if kind == "date" and re.fullmatch(r"-?\d+", text):
        return fit(kind, np.array(int(text)))
    if kind == "char8":  # \x80 and above are bytes, \u0080 is a character
        bytewise = re.sub(r"\\(x[89a-f].|.)", lambda m: "\\udc" + m[1][1:] if m[1][1:] else m[0], text)
        return parse(kind, ast.literal_eval(bytewise))
    return parse(kind, text)


def show(kind, value):
    """Returns the text of an element, the shortest one that parse reads back."""
    if kind == "char8":
        return value.decode(errors="surrogateescape")
    if kind == "bool":
        return str(value).lower()
    if kind == "date":
        day = str(value.astype("i8").astype("M8[D]"))
        return re.sub(r"^(-?)(\d+)", lambda m: m[1] + m[2].zfill(4), day)
    if kind not in ("f32", "f64"):
        return str(value)
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(value)]
    if value == 0 and np.signbit(value):
        return "-0.0"  # -0 would be an integer
    if value == 0 or 1e-5 <= abs(float(value)) < 1e21:
        return np.format_float_positional(value, trim="-")
    return np.format_float_scientific(value, trim="-", exp_digits=2)


def read_csv(path, kinds):
    """Returns the columns of a file that kinds names."""
    with open(path, newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        header, *rows = [row for row in csv.reader(file, strict=True) if row] or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"{path}, row {number}: {len(row)} fields, and the header has {len(header)}")
    return {name: np.array([parse(kinds[name], row[i]) for row in rows], DTYPES[kinds[name]])
            for i, name in enumerate(header) if name in kinds}


def read_inputs(plan, arguments):
    """Returns an array for each parameter, of one dimension for a column, from what the command line names."""
    ports = {p["name"]: p for p in plan["ports"] if p["direction"] == "in"}
    kinds = {name: p["kind"] for name, p in ports.items()}
    inputs = {name: literal(p["kind"], p["default"]) for name, p in ports.items() if "default" in p}
    for argument in arguments:
        name, is_scalar, text = argument.partition("=")
        is_column = argument.endswith(".npy")
        name = os.path.basename(argument)[:-len(".npy")] if is_column else name
        if (is_scalar or is_column) and name not in kinds:
            raise ValueError(f"{argument}: the plan has no parameter {name}; there are {', '.join(kinds)}")
        if is_column:
            inputs[name] = fit(kinds[name], np.load(argument))
        elif is_scalar:
            inputs[name] = parse(kinds[name], text)
        else:
            inputs.update(read_csv(argument, {name: p["kind"] for name, p in ports.items() if "domain" in p}))
    lengths = {}
    for name, p in ports.items():
        if name not in inputs or inputs[name].ndim != ("domain" in p):
            raise ValueError(f"the {'column' if 'domain' in p else 'scalar'} {name} of {p['kind']} is missing")
        if "domain" in p and lengths.setdefault(p["domain"], len(inputs[name])) != len(inputs[name]):
            raise ValueError(f"{name} has {len(inputs[name])} rows; others over {p['domain']} have {lengths[p['domain']]}")
    return inputs


def write_results(plan, results):
    """Prints a CSV table for each domain, the scalars last, with their names where there are several."""
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    tables = {}
    for port in sorted((p for p in plan["ports"] if p["direction"] == "out"), key=lambda p: "scalar" in p):
        tables.setdefault(port.get("domain"), []).append(port)
    for i, (domain, ports) in enumerate(tables.items()):
        title = f"# {domain or 'scalars'}\n" if len(tables) > 1 else ""
        sys.stdout.write("\n" * (i > 0) + title)
        rows = zip(*([show(p["kind"], value) for value in results[p["name"]]] for p in ports))
        for row in [[p["name"] for p in ports], *rows]:
            sys.stdout.write(",".join(quoted(text, len(row)) for text in row) + "\n")


def quoted(text, fields):
    """Returns a field of a CSV file; an empty line would be none."""
    special = set(text) & set('",\r\n') or not text and fields == 1
    return '"' + text.replace('"', '""') + '"' if special else text
