"""Writes the programs of a page of docs/ into files: NUMBER.bmf, and beside it what they must print or say.

    extract_programs.py PAGE DIRECTORY

Fenced blocks: ```bmf is a program; the ```result or ```error block behind it becomes NUMBER.result or NUMBER.error.
Tables headed | program | prints |: each row is a program and its result. Tables headed | what | for instance |: the last
cell is a program that fails; its NUMBER.error is empty."""

import pathlib
import re
import sys


def blocks(lines):
    """(tag, text) of every fenced block."""
    tag, body = None, []
    for line in lines:
        if line.startswith("```") and tag is None:
            tag, body = line[3:].strip(), []
        elif line.startswith("```"):
            yield tag, "".join(body)
            tag = None
        elif tag is not None:
            body.append(line)


def fenced(lines):
    program = None
    for tag, text in blocks(lines):
        if tag == "bmf":
            if program is not None:
                sys.exit("a program without a result: " + program)
            program = text
        elif tag in ("result", "error"):
            yield program, tag, text
            program = None
    if program is not None:
        sys.exit("a program without a result: " + program)


def rows(lines):
    kind = None
    for line in lines:
        if line.startswith("| program | prints |"):
            kind = "result"
        elif line.startswith("| what | for instance |"):
            kind = "error"
        elif not line.startswith("|"):
            kind = None
        cells = re.findall(r"`([^`]*)`", line)
        if kind == "result" and len(cells) == 2:
            yield cells[0] + "\n", kind, cells[1] + "\n"
        elif kind == "error" and line.rstrip().endswith("` |"):
            yield cells[-1] + "\n", kind, ""


def main():
    lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines(keepends=True)
    directory = pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    for number, (program, kind, text) in enumerate([*fenced(lines), *rows(lines)]):
        (directory / f"{number:03}.bmf").write_text(program, encoding="utf-8")
        (directory / f"{number:03}.{kind}").write_text(text, encoding="utf-8")


main()
