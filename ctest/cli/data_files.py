"""Random arrays as data files of every format, read and written by `bmf run` on several ranks, against NumPy.

data_files.py SEED CASES: needs BMF_BIN_DIR and MPIRUN; prints what was done, ends with 1 if anything differs."""
import os
import random
import subprocess
import sys

import numpy as np

try:
    import h5py
except ImportError:
    h5py = None

SCALARS = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]
BMF = os.path.join(os.environ["BMF_BIN_DIR"], "bmf")


def has_hdf5():
    """Whether h5py is there and this bmf has HDF5; data.bats has made the program."""
    said = subprocess.run([BMF, "check", os.path.join(os.pardir, "id.bmf"), "--arg", "none.h5:x"], capture_output=True, text=True).stderr
    return h5py is not None and "without HDF5" not in said


def random_array(draw, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        values = draw.standard_normal(shape)
    elif dtype.kind == "b":
        values = draw.integers(0, 2, shape)
    else:
        info = np.iinfo(dtype)
        values = draw.integers(info.min, min(info.max, 2**63 - 1), shape, dtype=dtype, endpoint=True)
    return values.astype(dtype)


def ordered(array, pick):
    """Perhaps in the other order of bytes; of structures every field for itself."""
    if not array.dtype.names:
        return array.astype(array.dtype.newbyteorder(pick.choice("<>")))
    kinds = {name: (array.dtype[name].newbyteorder(pick.choice("<>")), array.dtype.fields[name][1])
             for name in array.dtype.names}
    return array.astype(np.dtype({"names": list(kinds), "formats": [kind for kind, _ in kinds.values()],
                                  "offsets": [offset for _, offset in kinds.values()], "itemsize": array.dtype.itemsize}))


def random_structure(pick, draw, rows):
    kinds = [pick.choice(SCALARS) for _ in range(pick.randint(2, 5))]
    made = np.zeros(rows, dtype=np.dtype([(f"c{k}", kind) for k, kind in enumerate(kinds)], align=pick.random() < 0.5))
    for name in made.dtype.names:
        made[name] = random_array(draw, made.dtype[name], rows)
    return made


def wide(dtype):
    return {"f": np.float64, "b": np.bool_}.get(np.dtype(dtype).kind, np.int64)


def columns(array):
    """The columns of a structure or a matrix, as the language has their scalars."""
    if array.dtype.names:
        return [array[name].astype(wide(array.dtype[name])) for name in array.dtype.names]
    return [array.astype(wide(array.dtype))]


def same(a, b):
    a, b = columns(a), columns(b)
    return len(a) == len(b) and all(x.shape == y.shape and x.dtype == y.dtype and np.array_equal(x, y, equal_nan=True)
                                    for x, y in zip(a, b))


def note(pick):
    """A cell that nobody reads: text in quotes, with lines that look like rows."""
    lines = pick.choices(["1,2", "", "# none", "3;4", 'say ""so""', '"",', '5" pipe'.replace('"', '""'), " "], k=pick.randint(0, 4))
    return '"' + "\n".join(lines) + '"'


def write_table(path, array, pick):
    separator = {"csv": pick.choice(",;"), "tsv": "\t", "txt": pick.choice(["  ", "\t", ","]), "dat": " "}[path[-3:]]
    rows = [list(row) for row in zip(*columns(array))] if array.dtype.names else \
        [list(np.atleast_1d(row)) for row in array]
    with open(path, "w", newline=pick.choice(["\n", "\r\n"])) as out:
        noted = array.dtype.names and pick.random() < 0.5
        if pick.random() < 0.5:
            names = [f'"name {k}"' if separator in ",;" else f"c{k}" for k in range(len(rows[0]))]
            print(separator.join(names + (['"a\nnote"'] if noted else [])), file=out)
        for row in rows:
            if pick.random() < 0.05:
                print(pick.choice(["", "# a comment", '# a "comment']), file=out)
            cells = [str(x).lower() if isinstance(x, (bool, np.bool_)) else repr(x.item()) for x in row]
            print(separator.join(cells + ([note(pick)] if noted else [])), file=out)


def write(kind, array, pick):
    """Writes in.KIND, and returns the name for --arg."""
    path = f"in.{kind}"
    if kind == "npy":
        np.save(path, np.asfortranarray(array) if pick.random() < 0.5 else array)
        return path
    if kind == "npz":
        pick.choice([np.savez, np.savez_compressed])(path, x=np.asfortranarray(array) if pick.random() < 0.5 else array,
                                                     other=np.arange(5))
        return path + ":x"
    if kind == "raw":
        dtype = array.dtype
        packed = np.zeros(array.shape, dtype=[(n, dtype[n]) for n in dtype.names]) if dtype.names else array
        for name in dtype.names or ():
            packed[name] = array[name]
        packed.tofile(path)
        words = ",".join(packed.dtype[n].str for n in dtype.names) if dtype.names else \
            pick.choice([array.dtype.str, array.dtype.name] if array.dtype.isnative else [array.dtype.str])
        return f"{path}:{words}" + (f":{array.shape[1]}" if array.ndim == 2 else "")
    if kind == "h5":
        with h5py.File(path, "w") as out:
            if pick.random() < 0.5 and array.size:
                out.create_dataset("group/x", data=array, compression="gzip", chunks=True)
            else:
                out["group/x"] = array
        return path + ":/group/x"
    write_table(path, array, pick)
    if array.dtype.names:
        return f"{path}:1-{len(array.dtype.names)}"
    return path


def read(name, like):
    path, _, what = name.partition(":")
    if path.endswith(".npy"):
        return np.load(path)
    if path.endswith(".npz"):
        return np.load(path)[what or "arr_0"]
    if path.endswith(".raw"):
        dtype = np.dtype([(n, wide(like.dtype[n])) for n in like.dtype.names]) if like.dtype.names else wide(like.dtype)
        return np.fromfile(path, dtype=dtype).reshape(like.shape)
    if path.endswith(".h5"):
        with h5py.File(path) as file:
            return file[what][()]
    separator = {"csv": ",", "tsv": "\t", "txt": " "}[path[-3:]]
    with open(path) as file:
        rows = [line.rstrip("\n").split(separator) for line in file]
    parse = {np.float64: float, np.int64: int, np.bool_: lambda cell: {"true": True, "false": False}[cell]}
    if like.dtype.names:
        if rows and rows[0][0].startswith("c"):  # fields that came with names, c0 and so on, are written with them
            assert rows.pop(0) == list(like.dtype.names)
        kinds = [wide(like.dtype[n]) for n in like.dtype.names]
        made = np.zeros(len(rows), dtype=[(f"f{k}", kind) for k, kind in enumerate(kinds)])
        for k, kind in enumerate(kinds):
            made[f"f{k}"] = [parse[kind](row[k]) for row in rows]
        return made
    kind = wide(like.dtype)
    return np.array([[parse[kind](cell) for cell in row] for row in rows], dtype=kind).reshape(like.shape)


def run(ranks, program, argument, out):
    with open("prog.bmf", "w") as file:
        file.write(program)
    command = [os.environ["MPIRUN"], "-n", str(ranks), BMF, "run", "prog.bmf", "--arg", argument, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    return done.stderr.strip() if done.returncode else None


def main():
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    pick, draw = random.Random(seed), np.random.default_rng(seed)
    kinds = ["npy", "npz", "raw", "csv", "tsv", "txt"] + (["h5"] if has_hdf5() else [])
    for case in range(cases):
        kind, other = pick.choice(kinds), pick.choice(kinds)
        table = {"csv", "tsv", "txt"} & {kind, other}
        rows = pick.choice([1, 2, 7, 100, 3000])
        dimensions = pick.choice([1, 2, 2, 3] if not table and "raw" not in (kind, other) else [1, 2])
        if pick.random() < 0.3 and not (table and kind == "npz"):
            array = random_structure(pick, draw, rows)
        else:
            array = random_array(draw, pick.choice(SCALARS), (rows, pick.randint(2, 9), pick.randint(1, 4))[:dimensions])
        name = write(kind, array if kind in ("csv", "tsv", "txt") else ordered(array, pick), pick)
        out = {"npz": "out.npz:y", "h5": "out.h5:/a/b"}.get(other, "out." + other)
        ranks = pick.choice([1, 2, 3, 5])
        program = pick.choice(["B_Id", "P_Reduce (B_Op (B_Conc)) . P_Split (B_Num 4)", "P_Split (B_Num 3)"])
        what = f"seed {seed}, case {case}: {array.dtype} {array.shape} {name} on {ranks} ranks, {program}, to {out}"
        failure = run(ranks, program, name, out)
        if failure or not same(array, read(out, array)):
            print(what, failure or "differs")
            sys.exit(1)
        for path in os.listdir():
            os.remove(path)
    print(f"{cases} cases from seed {seed}")


main()
