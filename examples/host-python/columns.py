"""Values: the kinds as numpy arrays, literals of plans, and columns in files as kgen reads and writes them."""
import ast, csv, math, os, re, sys
import numpy as np

# The elements of each kind, in files and buffers and as arguments of kernels.
DTYPES = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
          "u64": "u8", "f32": "f4", "f64": "f8", "date": "i4", "timestamp": "i8", "text": "i4", "char8": "S8"}
SCALES = {f"decimal({scale})": scale for scale in range(19)}  # the digits after the point, of kinds of ports
DTYPES |= dict.fromkeys(SCALES, "i8")
DAY = r"-?\d{4,7}-\d\d-\d\d"
TIME = re.compile(rf"({DAY})(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{{1,6}})0*)?)?(?:Z|([+-])(\d\d):(\d\d))?)?")
BOOLS = {"true": True, "1": True, "false": False, "0": False}
np.seterr(over="raise")  # a number that is too large for f32 is an error


def fit(kind, array):
    """Returns the array with elements of the kind; values that it does not have are an error."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]" if kind == "timestamp" else "M8[D]").astype("i8")
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
    if kind == "text":  # which has its place when all are known
        return text.encode(errors="surrogateescape")
    if kind == "date" and re.fullmatch(DAY, word):
        return fit(kind, np.array(word, "M8[D]"))
    if kind == "timestamp" and (match := TIME.fullmatch(word)):
        day, hour, minute, second, fraction, sign, hours, minutes = match.groups(default="0")
        away = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)
        seconds = int(np.array(day, "M8[D]").astype("i8")) * 86400 + (int(hour) * 60 + int(minute) - away) * 60 + int(second)
        return fit(kind, np.array(seconds * 10**6 + int(fraction.ljust(6, "0"))))
    if kind in SCALES and (match := re.fullmatch(r"([+-]?\d*)\.?(\d*?)0*", word)) and re.search(r"\d", word) and len(match[2]) <= SCALES[kind]:
        return fit(kind, np.array(int(match[1] + match[2].ljust(SCALES[kind], "0"))))
    if kind == "bool" and word.lower() in BOOLS:
        return np.array(BOOLS[word.lower()])
    if kind not in ("date", "timestamp", "bool", *SCALES):
        return fit(kind, np.array(int(word)))
    raise ValueError(f"{text!r} is no {kind}")


def literal(kind, text):
    """Returns the element that a literal of a plan stands for; none is zero."""
    if not text:
        return np.zeros((), DTYPES[kind])
    if kind in ("date", "timestamp", "text", *SCALES) and re.fullmatch(r"-?\d+", text):
        return fit(kind, np.array(int(text)))
    if kind == "char8":
        return parse(kind, unquote(text))
    return parse(kind, text)


def unquote(text):
    """Returns the string of a literal: \\x80 and above are bytes, \\u0080 is a character."""
    bytewise = re.sub(r"\\(x[89a-f].|.)", lambda m: "\\udc" + m[1][1:] if m[1][1:] else m[0], text)
    return ast.literal_eval(bytewise)


def show(kind, value, texts):
    """Returns the text of an element, the shortest one that parse reads back."""
    if kind == "text":
        return texts[value].decode(errors="surrogateescape")
    if kind == "char8":
        return value.decode(errors="surrogateescape")
    if kind == "bool":
        return str(value).lower()
    if kind == "date":
        day = str(value.astype("i8").astype("M8[D]"))
        return re.sub(r"^(-?)(\d+)", lambda m: m[1] + m[2].zfill(4), day)
    if kind == "timestamp":
        days, micros = divmod(int(value), 86400 * 10**6)
        seconds, micros = divmod(micros, 10**6)
        fraction = re.sub(r"(\.000|)000$", "", f".{micros:06}")
        return f"{show('date', np.array(days), texts)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}Z"
    if SCALES.get(kind):
        digits = str(abs(int(value))).zfill(SCALES[kind] + 1)
        return "-" * (value < 0) + digits[:-SCALES[kind]] + "." + digits[-SCALES[kind]:]
    if kind not in ("f32", "f64"):
        return str(value)
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(value)]
    if value == 0 and np.signbit(value):
        return "-0.0"  # -0 would be an integer
    if value == 0 or 1e-5 <= abs(float(value)) < 1e21:
        return np.format_float_positional(value, trim="-")
    return np.format_float_scientific(value, trim="-", exp_digits=2)


def read_csv(path, kinds, missing):
    """Returns the columns of a file that kinds names; missing has the texts of rows without one."""
    with open(path, newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        header, *rows = [row for row in csv.reader(file, strict=True) if row] or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"{path}, row {number}: {len(row)} fields, and the header has {len(header)}")
    return {name: np.array([parse(kinds[name], row[i] or missing.get(name, "")) for row in rows], "O" if kinds[name] == "text" else DTYPES[kinds[name]])
            for i, name in enumerate(header) if name in kinds}


def read_inputs(plan, arguments):
    """Returns an array for each parameter, of one dimension for a column, from what the command line names, and the
    sorted list of all texts."""
    ports = {p["name"]: p for p in plan["ports"] if p["direction"] == "in"}
    kinds = {name: p["kind"] for name, p in ports.items()}
    inputs = {name: literal(p["kind"], p["default"]) for name, p in ports.items() if "default" in p}
    inputs.update((name, parse("text", unquote(p["text"]))) for name, p in ports.items() if "text" in p and "scalar" in p)
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
            inputs.update(read_csv(argument, {name: p["kind"] for name, p in ports.items() if "domain" in p},
                                   {name: unquote(p["text"]) for name, p in ports.items() if "text" in p}))
    given = [name for name in inputs if kinds[name] == "text"]
    texts = sorted({text for name in given for text in np.ravel(np.array(inputs[name], "O"))})
    places = {text: place for place, text in enumerate(texts)}
    for name in given:
        column = np.array(inputs[name], "O")
        inputs[name] = np.array([places[text] for text in column.ravel()], DTYPES["text"]).reshape(column.shape)
    lengths = {}
    for name, p in ports.items():
        if name not in inputs or inputs[name].ndim != ("domain" in p):
            raise ValueError(f"the {'column' if 'domain' in p else 'scalar'} {name} of {p['kind']} is missing")
        if "domain" in p and lengths.setdefault(p["domain"], len(inputs[name])) != len(inputs[name]):
            raise ValueError(f"{name} has {len(inputs[name])} rows; others over {p['domain']} have {lengths[p['domain']]}")
    return inputs, texts


def write_results(plan, results, texts):
    """Prints a CSV table for each domain, the scalars last, with their names where there are several."""
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    tables = {}
    for port in sorted((p for p in plan["ports"] if p["direction"] == "out"), key=lambda p: "scalar" in p):
        tables.setdefault(port.get("domain"), []).append(port)
    for i, (domain, ports) in enumerate(tables.items()):
        title = f"# {domain or 'scalars'}\n" if len(tables) > 1 else ""
        sys.stdout.write("\n" * (i > 0) + title)
        rows = zip(*([show(p["kind"], value, texts) for value in results[p["name"]]] for p in ports))
        for row in [[p["name"] for p in ports], *rows]:
            sys.stdout.write(",".join(quoted(text, len(row)) for text in row) + "\n")


def quoted(text, fields):
    """Returns a field of a CSV file; an empty line would be none."""
    special = set(text) & set('",\r\n') or not text and fields == 1
    return '"' + text.replace('"', '""') + '"' if special else text
