#!/usr/bin/python3
"""Random serial programs of the language for tests of `bmf parallelise`: maps, filters, scans, reductions, zips, tuples, choices,
loops, lists of lists, stencils, shifts, sorting, groups, reductions by key and of tuples, tables of reductions, single elements, some by their indices, slices.

usage: random_serial.py SEED COUNT     prints a program on each line
"""

import random
import sys

NOT_ONE = "B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 1)]"
TWICE = "B_Op (B_Plus) . B_Alltup [B_Id, B_Id]"
LEFT, RIGHT = "B_Addr (B_Num 1) (B_Num 2)", "B_Addr (B_Num 2) (B_Num 2)"
AT_MOST_3 = "B_Op (B_Min) . B_Alltup [B_Op (B_Length), B_Con (B_Int 3)]"
LAST = "B_Op (B_Minus) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]"


def table(each):
    """`each` of {list, k} for k = 1, 2, 0."""
    return f"B_Map ({each}) . B_Op (B_Distl) . B_Alltup [B_Id, B_Allvec [B_Con (B_Int 1), B_Con (B_Int 2), B_Con (B_Int 0)]]"


def with_element(number):
    return (f"B_If (B_Op (B_Eq) . B_Alltup [B_Op (B_Length), B_Con (B_Int 0)]) (B_Id) (B_Map (B_Op (B_Minus)) . B_Op (B_Distl) . "
            f"B_Alltup [B_Op (B_Index) . B_Alltup [B_Id, {number}], B_Id])")


PAIRS = f"B_Op (B_Distl) . B_Alltup [{RIGHT}, {LEFT}]"  # {list, k} to [{k, element}]
BOTH = (f"B_Alltup [B_Op (B_Plus) . B_Alltup [{LEFT} . {LEFT}, {LEFT} . {RIGHT}], "
        f"B_Op (B_Max) . B_Alltup [{RIGHT} . {LEFT}, {RIGHT} . {RIGHT}]]")
# [int] to [int]
FLAT = [
    "B_Map (B_Op (B_Neg))", "B_Map (B_Op (B_Abs))", "B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 2)])",
    f"B_Filter ({NOT_ONE})", "B_Scan (B_Op (B_Max))", "B_Scan (B_Op (B_Plus))", "B_Scan (B_Op (B_Min)) (B_Con (B_Int 2))",
    "B_Scan (B_Op (B_Minus))", "B_Scan (B_Op (B_Plus)) (B_Con (B_Int 5))", "B_Id",
    "B_Map (B_Op (B_Plus)) . B_Op (B_Distl) . B_Alltup [B_Op (B_Length), B_Id]",
    "B_Map (B_Op (B_Minus)) . B_Op (B_Distl) . B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)), B_Id]",
    "B_Zip (B_Op (B_Times)) . B_Alltup [B_Id, B_Map (B_Op (B_Abs))]",
    "B_Zip (B_Op (B_Plus)) . B_Alltup [B_Id, B_Scan (B_Op (B_Plus))]",
    "B_Op (B_Conc) . B_Alltup [B_Id, B_Map (B_Op (B_Neg))]",
    f"B_Map (B_If ({NOT_ONE}) (B_Op (B_Neg)) (B_Id))",
    "B_Stencil (B_Num 1) (B_Op (B_Max) . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Addr (B_Num 1) (B_Num 3)]) (B_Con (B_Int 0))",
    "B_Stencil (B_Num 2) (B_Op (B_Min) . B_Alltup [B_Addr (B_Num 1) (B_Num 5), B_Addr (B_Num 4) (B_Num 5)])",
    "B_Shift (B_Num 2) (B_Con (B_Int 7))", "B_Shift (B_Num -1) (B_Op (B_Neg))", "B_Shift (B_Num -3)", "B_Op (B_Sort)",
    "B_Op (B_Argsort)", "B_Sort_by (B_Op (B_Abs))", "B_Op (B_Unique)",
    f"B_Map (B_Op (B_Plus) . B_Alltup [{LEFT}, B_Reduce (B_Op (B_Minus)) (B_Con (B_Int 0)) . {RIGHT}]) . "
    "B_Group (B_Op (B_Mod) . B_Alltup [B_Op (B_Abs), B_Con (B_Int 3)])",
    "B_Reduce (B_Op (B_Conc)) (B_Allvec []) . B_Map (B_Allvec [B_Id, B_Op (B_Neg)])",
    "B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Alltup [B_Con (B_Int 4), "
    "B_Map (B_Alltup [B_Op (B_Mod) . B_Alltup [B_Op (B_Abs), B_Con (B_Int 4)], B_Id])]",
    table(f"B_Op (B_Length) . B_Filter (B_Op (B_Le)) . {PAIRS}"),
    table(f"B_Reduce (B_Op (B_Min)) (B_Con (B_Int 5)) . B_Map (B_Op (B_Plus)) . {PAIRS}"),
    table(f"B_Op (B_Plus) . B_Alltup [B_Op (B_Length), B_Reduce (B_Op (B_Max)) (B_Con (B_Int -3))] . B_Map ({RIGHT}) . "
          f"B_Filter (B_Op (B_Ne)) . {PAIRS}"),
    table(f"B_Op (B_Minus) . B_Alltup [{RIGHT}, B_Op (B_Length) . {LEFT}]"),
    with_element("B_Con (B_Int 0)"), with_element(LAST),
    *(f"B_Op (B_Conc) . B_Alltup [{some}, B_Map (B_Op (B_Neg))]" for some in (
        f"B_Op (B_Project) . B_Alltup [B_Id, B_Op (B_Iota) . {AT_MOST_3}]", f"B_Op (B_Slice) . B_Alltup [B_Id, B_Con (B_Int 0), {AT_MOST_3}]",
        "B_Op (B_Project) . B_Alltup [B_Id, B_Op (B_Argsort)]",
        f"B_Op (B_Project) . B_Alltup [B_Id, B_Map (B_Op (B_Mod) . B_Alltup [B_Op (B_Abs) . {RIGHT}, {LEFT}]) . B_Op (B_Distl) . "
        "B_Alltup [B_Op (B_Length), B_Id]]")),
    "B_Op (B_Conc) . B_Alltup [B_Allvec [B_Reduce (B_Op (B_Max)) (B_Con (B_Int -2)) . B_Map (B_Op (B_Abs)), B_Op (B_Length)], B_Id]",
]
# [int] to int or a tuple of them
ENDS = [
    "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int %d))", "B_Reduce (B_Op (B_Min)) (B_Con (B_Int %d))",
    "B_Reduce (B_Op (B_Max)) (B_Con (B_Int %d))", "B_Op (B_Length)", "B_Reduce (B_Op (B_Minus)) (B_Con (B_Int %d))",
    "B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int %d)), B_Op (B_Length), B_Id]",
    "B_Allvec [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int %d)) . B_Map (B_Op (B_Neg)), B_Op (B_Length)]",
    f"B_Reduce ({BOTH}) (B_Alltup [B_Con (B_Int 0), B_Con (B_Int %d)]) . B_Map (B_Alltup [B_Id, B_Id])",
]
SUM = "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))"


def chain(rng, longest, depth=0):
    """[int] to [int]."""
    parts = []
    for _ in range(rng.randint(1, longest)):
        kind = rng.random()
        if depth < 2 and kind < 0.12:
            parts.append(f"B_If (B_Op (B_Lt) . B_Alltup [{rng.choice(['B_Op (B_Length)', SUM])}, B_Con (B_Int {rng.randint(0, 9)})]) "
                         f"({chain(rng, 2, depth + 1)}) ({chain(rng, 2, depth + 1)})")
        elif depth < 2 and kind < 0.22:  # the sum of absolute values grows, or is 0 and below the bound never
            parts.append(f"B_While (B_Op (B_And) . B_Alltup [B_Op (B_Gt) . B_Alltup [{SUM} . B_Map (B_Op (B_Abs)), B_Con (B_Int 0)], "
                         f"B_Op (B_Lt) . B_Alltup [{SUM} . B_Map (B_Op (B_Abs)), B_Con (B_Int {rng.randint(1, 60)})]]) "
                         f"({rng.choice(['', 'B_Map (B_Op (B_Neg)) . ', 'B_Map (B_Op (B_Abs)) . '])}B_Map ({TWICE}))")
        elif depth < 2 and kind < 0.3:  # {list, list, counter}, the first list changed
            parts.append(f"B_Addr (B_Num 1) (B_Num 3) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Con (B_Int 2)]) "
                         f"(B_Alltup [{chain(rng, 2, depth + 1)} . B_Addr (B_Num {rng.choice([1, 2])}) (B_Num 3), "
                         f"B_Addr (B_Num {rng.choice([1, 2])}) (B_Num 3), "
                         f"B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 3) (B_Num 3), B_Con (B_Int 1)]]) . "
                         f"B_Alltup [B_Id, {rng.choice(FLAT)}, B_Con (B_Int 0)]")
        else:
            parts.append(rng.choice(FLAT))
    return " . ".join(parts)


def end(rng):
    made = rng.choice(ENDS)
    return made % rng.randint(-3, 3) if "%" in made else made


def nested(rng):
    """[[int]] to something: the outer level, the inner one, or both."""
    rows = [[rng.randint(-9, 9) for _ in range(rng.randint(0, 5))] for _ in range(rng.randint(1, 5))]
    parts = [f"B_Map ({chain(rng, 2)})"] if rng.random() < 0.7 else []
    if rng.random() < 0.6:
        parts.insert(0, f"B_Map ({SUM})")
        if rng.random() < 0.7:
            parts.insert(0, chain(rng, 2))
        if rng.random() < 0.5:
            parts.insert(0, end(rng))
    elif rng.random() < 0.5:
        parts.insert(0, "B_Op (B_Length)")
    return (" . ".join(parts) or "B_Id"), rows


def program(rng):
    if rng.random() < 0.3:
        text, data = nested(rng)
    else:
        text = chain(rng, 4)
        if rng.random() < 0.7:
            text = end(rng) + " . " + text
        data = [rng.randint(-9, 9) for _ in range(rng.randint(1, 12))]
    return f"{text} {data}"


if __name__ == "__main__":
    generator = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(program(generator))
