"""Does to a copy of the sources what docs/extending.md says.

    extend.py PAGE TREE

A section of the page (a heading of level 2) is one addition. Its fenced blocks name what they are by the words behind the
language: `file=PATH` is a new file; `in=PATH after="TEXT"` are lines that are put behind the one line of PATH that
holds TEXT (`before="TEXT"`: in front of it). Prints for each section the files of code it touches: `NAME: NUMBER files: PATH..`.

Exits with 1 if a file is there already, or if no line or several lines hold the text."""

import pathlib
import re
import sys


def sections(lines):
    """(heading, blocks) of every section; a block is (words of its tag, text)."""
    heading, blocks, tag, body = None, [], None, []
    for line in lines:
        if tag is not None:
            if line.startswith("```"):
                blocks.append((tag, "".join(body)))
                tag = None
            else:
                body.append(line)
        elif line.startswith("```"):
            tag, body = line[3:].strip(), []
        elif line.startswith("## "):
            yield heading, blocks
            heading, blocks = line[3:].strip(), []
    yield heading, blocks


def words_of(tag):
    """The file=, in=, after=, before= words of a block's tag."""
    return {key: quoted or plain for key, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', tag)}


def put_lines(path, words, text):
    side, place = ("after", words["after"]) if "after" in words else ("before", words["before"])
    lines = path.read_text().splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if place in line]
    if len(found) != 1:
        sys.exit(f"{path}: {len(found)} lines hold '{place}'")
    at = found[0] + (side == "after")
    path.write_text("".join(lines[:at]) + text + "".join(lines[at:]))


def apply(tree, tag, text):
    """Applies one block; the path it touches, or None if it is only to be read."""
    words = words_of(tag)
    if "file" in words:
        path = tree / words["file"]
        if path.exists():
            sys.exit(f"{path} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return words["file"]
    if "in" in words:
        put_lines(tree / words["in"], words, text)
        return words["in"]
    return None


def main():
    page, tree = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for heading, blocks in sections(page.read_text().splitlines(keepends=True)):
        touched = sorted({path for path in (apply(tree, tag, text) for tag, text in blocks) if path})
        code = [path for path in touched if not path.startswith(("ctest/", "docs/"))]
        if code:
            print(f"{heading}: {len(code)} files: {' '.join(code)}")


main()
