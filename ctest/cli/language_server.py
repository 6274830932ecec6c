#!/usr/bin/env python3
"""Speaks the language server protocol with bmf language-server, and checks the answers.

usage: language_server.py BMF TEST [FILE...]

TEST is the name of a function test_NAME below. Prints what is wrong and ends with 1; otherwise nothing.
"""

import json
import os
import random
import subprocess
import sys

BMF = sys.argv[1]


class Server:
    def __init__(self, *options, start=True):
        self.process = subprocess.Popen([BMF, "language-server", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.notes = []  # notifications that came before an answer
        if start:
            self.capabilities = self.ask("initialize", {"capabilities": {}})["capabilities"]
            self.tell("initialized", {})

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message, ensure_ascii=False).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            assert line.endswith(b"\r\n"), line
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name == "Content-Length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        assert message["jsonrpc"] == "2.0", message
        return message

    def answer(self, number):
        while True:
            message = self.read()
            if "method" not in message:
                assert message["id"] == number, (message, number)
                return message
            self.notes.append(message)

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.answer(self.number)

    def ask(self, method, params=None):
        answer = self.request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method, params=None):
        answer = self.request(method, params)
        assert "result" not in answer, answer
        assert answer["error"]["message"], answer
        return answer["error"]["code"]

    def tell(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def diagnostics(self, uri, version=None):
        """Those published next."""
        message = self.notes.pop(0) if self.notes else self.read()
        assert message["method"] == "textDocument/publishDiagnostics", message
        params = message["params"]
        assert params["uri"] == uri and params.get("version") == version, params
        return params["diagnostics"]

    def open(self, text, uri="file:///work/prog.bmf", version=1):
        self.uri, self.version = uri, version
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "bmf", "version": version,
                                                            "text": text}})
        return self.diagnostics(uri, version)

    def change(self, *changes):
        self.version += 1
        self.tell("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": self.version},
                                             "contentChanges": list(changes)})
        return self.diagnostics(self.uri, self.version)

    def at(self, method, line, character):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": self.uri},
                                                   "position": {"line": line, "character": character}})

    def about(self, method):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": self.uri}, "options": {}})

    def end(self, code=0):
        if code == 0:
            assert self.ask("shutdown") is None
        self.tell("exit")
        self.finish(code)

    def finish(self, code):
        self.process.stdin.close()
        out, said = self.process.stdout.read(), self.process.stderr.read()
        assert self.process.wait(60) == code, (self.process.returncode, said)
        assert said == b"", said
        return out


def place(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def find(text, part, nth=0):
    """Line and character of a part of a text, in UTF-16 units."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(part, at + 1)
    before = text[:at]
    return before.count("\n"), len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2


PROGRAM = """# The variance of a list.
let square(x) = x * x
# the mean of its elements
let mean(xs) = reduce(+, 0, xs) / real(length(xs))

main(samples) =
    let m = mean(samples) in
    samples |> split(procs) |> map(part -> part |> map(x -> square(x - m)) |> reduce(+, 0)) |> reduce(+)
default [1.0, 2.5]
"""


def test_life():
    server = Server()
    assert server.capabilities["hoverProvider"] and server.capabilities["definitionProvider"]
    assert server.capabilities["documentFormattingProvider"] and server.capabilities["documentSymbolProvider"]
    assert server.capabilities["textDocumentSync"]["openClose"]
    server.open("main(n) = n\ndefault 1\n")
    server.tell("textDocument/didClose", {"textDocument": {"uri": server.uri}})
    assert server.diagnostics(server.uri) == []
    assert server.error("textDocument/hover", {"textDocument": {"uri": server.uri},
                                               "position": {"line": 0, "character": 0}}) == -32602
    assert server.ask("shutdown") is None
    assert server.error("textDocument/hover", {}) == -32600
    server.tell("exit")
    server.finish(0)
    Server().end(1)  # exit without shutdown
    Server().finish(1)  # the input ends
    early = Server(start=False)
    assert early.error("textDocument/hover", {}) == -32002
    early.tell("textDocument/didOpen", {"textDocument": {"uri": "file:///x.bmf", "text": "main"}})
    assert early.ask("initialize", {})["serverInfo"]["name"] == "bmf"
    assert early.error("initialize", {}) == -32600
    early.end()
    Server(start=False).end(1)


def test_malformed():
    server = Server()

    def refused(data, code, number=None):
        server.raw(data)
        assert server.answer(number)["error"]["code"] == code, data

    def framed(body):
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    refused(framed(b"{"), -32700)
    refused(framed(b""), -32700)
    refused(framed(b"\xff\xfe"), -32700)
    refused(b"Content-Type: x\r\n\r\n", -32700)
    refused(b"Content-Length: two\r\n\r\n", -32700)
    refused(b"Content-Length: -2\r\n\r\n", -32700)
    refused(b"Content-Length: 99999999999999999999 x\r\n\r\n", -32700)
    refused(b"Content-Length:" + b" " * 1000 + b"7\r\n\r\n", -32700)
    refused(framed(b"[]"), -32600)
    refused(framed(b"7"), -32600)
    refused(framed(b"{}"), -32600)
    refused(framed(b'{"jsonrpc": "1.0", "id": 3, "method": "shutdown"}'), -32600, 3)
    refused(framed(b'{"jsonrpc": "2.0", "id": [], "method": "shutdown"}'), -32600)
    refused(framed(b'{"jsonrpc": "2.0", "id": "a", "method": 5}'), -32600, "a")
    refused(framed(b'{"jsonrpc": "2.0", "id": 4, "method": "shutdown", "params": 5}'), -32600, 4)
    refused(framed(b'{"jsonrpc": "2.0", "id": 5, "method": "workspace/symbol"}'), -32601, 5)
    refused(framed(b'{"jsonrpc": "2.0", "id": "b", "method": "textDocument/hover"}'), -32602, "b")
    refused(framed(b'{"jsonrpc": "2.0", "id": 7, "method": "%s"}' % (b"x" * 5000)), -32601, 7)
    refused(framed(b'{"jsonrpc": "2.0", "id": 8, "method": "%s"}' % ("\u00e4" * 99 + "a").encode()), -32601, 8)
    for dropped in (b'{"jsonrpc": "2.0", "method": "nothing"}', b'{"jsonrpc": "2.0", "id": 1, "result": null}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen"}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": []}}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": []}',
                    b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": 5}}}'):
        server.raw(framed(dropped))
    server.raw(b"content-length:  15\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{\"jsonrpc\": 2.0")
    assert server.answer(None)["error"]["code"] == -32700
    server.open("main(n) = n\ndefault 1\n")
    for position in (None, {"line": -1, "character": 0}, {"line": "0", "character": 0}, {"line": 0}, [], 3):
        assert server.error("textDocument/hover", {"textDocument": {"uri": server.uri}, "position": position}) == -32602
    for position in ((0, 10 ** 9), (10 ** 9, 0), (10 ** 18, 10 ** 18)):
        server.at("hover", *position)
    server.end()
    server = Server()
    server.raw(b"Content-Length: 100\r\n\r\n{")
    server.finish(1)


def test_diagnostics():
    server = Server()
    text = "let double(x) = x + x\nmain(xs) = map(duble, xs)\ndefault [1]\n"
    (one,) = server.open(text)
    assert one["severity"] == 1 and one["source"] == "bmf", one
    assert one["message"] == "duble is not defined; is double meant?", one
    assert one["range"] == place(1, 15, 20), one
    assert server.change({"range": place(1, 15, 20), "text": "double"}) == []
    (one,) = server.change({"text": "main(xs) = length(xs) + true\ndefault [1]\n"})
    assert one["severity"] == 1 and one["range"] == place(0, 22, 23), one
    # not in the text: before a character of two units, behind it, and in the line below
    remark = "# \U0001d54f\u00e4\n"
    line = "main(xs) = {xs, \u00e4}\n"
    (one,) = server.change({"text": remark + line})
    assert one["range"]["start"] == {"line": 1, "character": line.index("\u00e4")}, one
    wide = "main(n) = {n, # \U0001d54f\n  y}\ndefault 1\n"
    (one,) = server.change({"text": wide})
    assert one["message"] == "y is not defined" and one["range"] == place(1, 2, 3), one
    # the data
    (one,) = server.change({"text": "main(n) = n\ndefault [1, true]\n"})
    assert one["severity"] == 1 and one["range"]["start"]["line"] == 1, one
    # core language
    (one,) = server.change({"text": "B_Op (B_Lenght) [1]\n"})
    assert one["severity"] == 1 and one["range"] == place(0, 6, 14), one
    assert server.change({"text": "B_Op (B_Length) [1]\n"}) == []
    # nothing, remarks, a library
    for fine in ("", "\n\n", "# nothing\n", "let f(x) = x\n"):
        assert server.change({"text": fine}) == [], fine
    # no data: a hint at main; an error comes first
    (one,) = server.change({"text": "main(xs) = length(xs)\n"})
    assert one["severity"] == 4 and "default" in one["message"] and one["range"] == place(0, 0, 4), one
    # a broadcast, where m is used
    (one,) = server.change({"text": PROGRAM})
    assert one["severity"] == 3 and one["message"] == "m is sent to all processors: real", one
    line, column = find(PROGRAM, "m))")
    assert one["range"] == place(line, column, column + 1), one
    server.end()


def test_several():
    """Every definition has its first error; what follows one is looked at from the next definition on."""
    server = Server()

    def errors(text):
        found = server.change({"text": text})
        assert all(one["severity"] == 1 for one in found), found
        return sorted((one["range"]["start"]["line"], one["message"]) for one in found)

    server.open("main(n) = n\ndefault 1\n")
    text = """let bracket(x) = (x + 1
let name(x) = x + y
let fine(x) = bracket(x) + arrow(x)
let arrow x = x + 1
let other(x) = fine(x, 2) + arrow(x)
let twice(x) =
    let y = x in
    y ++
let fine(x) = 2
let missing(x) =
let whole(x) = fine(x) + z
main(n) = whole(n) + w
default 1
"""
    found = errors(text)
    assert [line for line, _ in found] == [1, 1, 3, 4, 8, 8, 10, 10, 11], found
    messages = dict(found)
    assert (1, "')' expected, found let") in found and (1, "y is not defined") in found, found
    assert messages[3].startswith("'=' expected"), found
    assert messages[4].startswith("fine takes 1 argument, 2 given") and messages[11] == "w is not defined", found
    assert any("defined twice" in message for line, message in found if line == 8), found
    assert (10, "z is not defined") in found, found
    # only of these: mended one by one, each takes its own messages with it
    assert errors(text.replace("y ++", "y").replace("let missing(x) =\n", "").replace("let fine(x) = 2\n", "")) == [
        (1, "')' expected, found let"), (1, "y is not defined"), (3, messages[3]), (4, messages[4]),
        (8, "z is not defined"), (9, "w is not defined")]
    # names that are used before the error are found, also those of the definition with the error
    assert len(errors("let f(x) = 1 +\nlet g(x) = f(x)\nmain(n) = g(n)\ndefault 1\n")) == 1
    # in main, and behind it
    assert [line for line, _ in errors("let f(x) = a\nmain(n) = b\ndefault 1\n")] == [0, 1]
    assert [line for line, _ in errors("main(n) = (\nlet f(x) = x\nlet g(x) = )\n")] == [1, 2]
    # no more than a hundred
    assert len(server.change({"text": "".join(f"let f{k}(x) = y\n" for k in range(150))})) == 100
    assert server.change({"text": "main(n) = n\ndefault 1\n"}) == []
    # broken texts of all kinds
    seed = int.from_bytes(os.urandom(4), "little")
    print("seed", seed)
    pick = random.Random(seed)
    pieces = ["let ", "main", "f", "(x)", " = ", "\n", "\nlet ", "\nmain(n) = ", "x", " + ", "{", "}", "(", ")", "[", "]",
              ", ", "if ", " then ", " else ", "loop ", " while ", " do ", " in ", "default ", "1", "#", "\u00e4", "->"]
    for _ in range(300):
        server.change({"text": "".join(pick.choice(pieces) for _ in range(pick.randrange(60)))})
        server.about("documentSymbol")
        server.at("hover", pick.randrange(4), pick.randrange(9))
    server.end()


def test_changes():
    """Random edits, incremental and whole, of texts with all kinds of characters and line ends; the text that the server
    has is what formatting it gives back."""
    seed = int.from_bytes(os.urandom(4), "little")
    print("seed", seed)
    pick = random.Random(seed)
    server = Server()
    marker = "main(n) = n # "
    text = marker
    server.open(text)
    pieces = ["a", "\u00e4", "\u20ac", "\U0001d54f", "\n# ", "\r\n# ", "bc", "", " x y"]

    def position(units_text, at):
        before = units_text[:at].replace("\r\n", "\n")
        if at > 0 and units_text[at - 1] == "\r" and units_text[at:at + 1] == "\n":
            before = before[:-1]
        return {"line": before.count("\n"),
                "character": len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2}

    def boundary(at):
        return at - 1 if text[at - 1:at + 1] == "\r\n" else at

    for _ in range(300):
        begin = boundary(pick.randrange(len(marker), len(text) + 1))
        end = boundary(pick.randrange(begin, len(text) + 1))
        end = max(begin, end)
        new = "".join(pick.choice(pieces) for _ in range(pick.randrange(4)))
        if pick.randrange(20) == 0:
            new, begin, end = marker + new, 0, len(text)
            change = {"text": new}
        else:
            change = {"range": {"start": position(text, begin), "end": position(text, end)}, "text": new}
        after = text[:begin] + new + text[end:]
        if any(l.strip(" \r") and not l.lstrip(" \r").startswith(("#", "main")) for l in after.split("\n")):
            continue
        text = after
        server.change(change)
        edits = server.about("formatting")
        got = edits[0]["newText"] if edits else text
        expected = "\n".join(l.rstrip(" \r") for l in text.split("\n"))
        assert got.split() == expected.split(), (text, got)
    server.end()


def test_hover():
    server = Server()
    server.open(PROGRAM)

    def hover(part, nth=0, shift=0):
        line, column = find(PROGRAM, part, nth)
        answer = server.at("hover", line, column + shift)
        assert answer and answer["contents"]["kind"] == "markdown", (part, answer)
        return answer["contents"]["value"]

    assert "samples : [real]" in hover("samples")
    assert "samples : [real]" in hover("samples", 1)
    assert "m : real" in hover("m = mean")
    assert "m : real" in hover("m))")
    assert "part : [real]" in hover("part ->")
    assert "x : real" in hover("x -> square")
    mean = hover("mean(samples)")
    assert mean == "```bmf\nlet mean(xs) : [real] -> real\n```\nthe mean of its elements\n", mean
    assert "let square(x)" in hover("square(x) =") and "real -> real" in hover("square(x - m)")
    split = hover("split")
    assert "split(procs, xs) or split({r, c}, rows) : P[[real]]" in split and "processors" in split, split
    assert "map(x -> .., xs) : [real]" in hover("map(x")
    minus = hover("x - m", 0, 2)
    assert "a - b : real" in minus and "difference" in minus, minus
    assert "0 : " in hover("0, xs")
    assert "default" in hover("default") and "main" in hover("let m", 0, 0) + hover("main(")
    assert server.at("hover", 0, 3) is None and server.at("hover", 4, 0) is None
    line, column = find(PROGRAM, "samples", 1)
    server.change({"range": place(line, column, column), "text": "("})  # half typed
    server.at("hover", line, column)
    # core language
    core = "$Sum = B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))\n$Sum . B_Map (B_Op (B_Length)) [[1], [2, 3]]\n"
    server.change({"text": core})
    assert "$Sum : [int] -> int" in server.at("hover", 1, 2)["contents"]["value"]
    assert "B_Map : [[int]] -> [int]" in server.at("hover", 1, 8)["contents"]["value"]
    # how long lists are, where that is known: of a name that is used with two lengths it is not; loops and stencils keep them
    shapes = """let first(m) = m[0]
main(a, b) =
  let c = matmul(a, b) in
  let d = loop u = c for i < 3 do stencil({1, 1}, {{_, n, _}, {w, _, e}, {_, s, _}} -> n + w + e + s, 0.0, u) in
  let e = loop u = b for i < 3 do map(row -> filter(x -> x > 0.0, row), u) in
  let f = loop v = [1] for i < 3 do v ++ [i] in
  {d, e, f, first(a), first(b), transpose(d)}
default {[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]}
"""
    server.change({"text": shapes})

    def shape(part, nth=0, shift=0):
        line, column = find(shapes, part, nth)
        return server.at("hover", line, column + shift)["contents"]["value"].splitlines()[1]

    assert shape("a), first") == "a : [[real]] 3 x 2", shape("a), first")
    assert shape("matmul") == "matmul(a, b) : [[real]] 3 x 4", shape("matmul")
    assert shape("c for") == "c : [[real]] 3 x 4", shape("c for")
    assert shape("d, e") == "d : [[real]] 3 x 4", shape("d, e")
    assert shape("e, f") == "e : [[real]] 2 x ?", shape("e, f")
    assert shape("f, first") == "f : [int]", shape("f, first")
    assert shape("m[0]") == "m : [[real]]", shape("m[0]")
    # where they are bound, as where they are used
    for part, expected in (("a, b) =", "a : [[real]] 3 x 2"), ("c = matmul", "c : [[real]] 3 x 4"), ("d = loop", "d : [[real]] 3 x 4"),
                           ("u = c", "u : [[real]] 3 x 4"), ("f = loop", "f : [int]"), ("m) = m", "m : [[real]]")):
        assert shape(part) == expected, shape(part)
    assert shape("transpose") == "transpose(rows) : [[real]] 4 x 3", shape("transpose")
    server.change({"text": core})
    # a function at two types: those of its parameter
    server.change({"text": "let size(xs) = length(xs)\nmain(n) = {size([n]), size([1.5])}\ndefault 1\n"})
    names = server.at("hover", 0, 10)["contents"]["value"]
    assert "xs : [int] or [real]" in names, names
    # patterns, loops, a value that is handed through
    server.change({"text": "main(n) = let {a, b} = {n, 2.5} in loop {s, t} = {a, true} for i < n do {s + i, t}\ndefault 1\n"})
    for part, type_ in ((("a, b"), "a : int"), ("b}", "b : real"), ("t}", "t : bool"), ("i <", "i : int")):
        line, column = find("main(n) = let {a, b} = {n, 2.5} in loop {s, t} = {a, true} for i < n do {s + i, t}", part)
        assert type_ in server.at("hover", line, column)["contents"]["value"], part
    server.change({"text": "main(n) = let k = n + 1 in k\ndefault 1\n"})
    assert "k : int" in server.at("hover", 0, 14)["contents"]["value"]
    assert "k : int" in server.at("hover", 0, 27)["contents"]["value"]
    server.end()


def test_definition(library):
    server = Server("--library", library)
    text = PROGRAM.replace("|> split", "|> take(2) |> split")
    server.open(text)

    def definition(part, nth=0, shift=0):
        line, column = find(text, part, nth)
        return server.at("definition", line, column + shift)

    def here(part, size, nth=0):
        line, column = find(text, part, nth)
        return {"uri": server.uri, "range": place(line, column, column + size)}

    assert definition("mean(samples)") == here("mean(xs)", 4)
    assert definition("square(x -") == here("square(x)", 6)
    assert definition("m))") == here("m = mean", 1)
    assert definition("m))", 0, 1) == here("m = mean", 1)  # the cursor behind it
    assert definition("samples |>") == here("samples", 7)
    assert definition("x - m") == here("x -> square", 1)
    assert definition("x * x") == here("x) = x", 1)
    assert definition("mean(xs)") == here("mean(xs)", 4)
    assert definition("split") is None and definition("procs") is None
    found = definition("take(2)")
    assert found["uri"] == "file://" + os.path.realpath(library), found
    with open(library) as file:
        lines = file.read().split("\n")
    start = found["range"]["start"]
    assert lines[start["line"]][start["character"]:].startswith("take("), found
    server.change({"text": "$One = B_Con (B_Int 1)\n$One . $One 5\n"})
    assert server.at("definition", 1, 8) == {"uri": server.uri, "range": place(0, 0, 4)}
    server.end()


def test_references(library):
    server = Server("--library", library)
    text = PROGRAM.replace("|> split", "|> take(2) |> split")
    server.open(text)

    def here(*parts):
        return [place(*(find(text, part, nth)[0], find(text, part, nth)[1] + shift, find(text, part, nth)[1] + shift + size))
                for part, nth, shift, size in parts]

    def asked(method, part, nth=0, shift=0, **more):
        line, column = find(text, part, nth)
        return server.request("textDocument/" + method, {"textDocument": {"uri": server.uri},
                                                         "position": {"line": line, "character": column + shift}, **more})

    def references(part, nth=0, shift=0, declaration=True):
        found = asked("references", part, nth, shift, context={"includeDeclaration": declaration})["result"]
        assert all(one["uri"] == server.uri for one in found), found
        return [one["range"] for one in found]

    def rename(part, name, nth=0, shift=0):
        answer = asked("rename", part, nth, shift, newName=name)
        if "error" in answer:
            assert answer["error"]["code"] == -32803, answer
            return answer["error"]["message"]
        (uri,) = answer["result"]["changes"]
        assert uri == server.uri
        lines = [line.encode("utf-16-le") for line in text.split("\n")]
        for edit in reversed(answer["result"]["changes"][uri]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            assert start["line"] == end["line"]
            line = lines[start["line"]]
            lines[start["line"]] = (line[:2 * start["character"]] + edit["newText"].encode("utf-16-le") +
                                    line[2 * end["character"]:])
        return "\n".join(line.decode("utf-16-le") for line in lines)

    # of two x each has its own places
    square = here(("square(x)", 0, 7, 1), ("x * x", 0, 0, 1), ("x * x", 0, 4, 1))
    assert references("square(x)", 0, 7) == square and references("x * x", 0, 4) == square
    assert references("x - m") == here(("x -> square", 0, 0, 1), ("x - m", 0, 0, 1))
    mean = here(("mean(xs)", 0, 0, 4), ("mean(samples)", 0, 0, 4))
    assert references("mean(samples)") == mean and references("mean(xs)", 0, 4) == mean  # the cursor behind it
    assert references("mean(samples)", declaration=False) == mean[1:]
    assert references("take(2)") == here(("take(2)", 0, 0, 4))
    assert references("procs") == [] and references("reduce") == []
    line, column = find(text, "m))")
    marks = server.at("documentHighlight", line, column)
    assert [mark["range"] for mark in marks] == here(("m = mean", 0, 0, 1), ("m))", 0, 0, 1)), marks
    assert [mark["kind"] for mark in marks] == [3, 2], marks

    line, column = find(text, "square(x -")
    assert server.at("prepareRename", line, column + 3) == {"range": here(("square(x -", 0, 0, 6))[0],
                                                            "placeholder": "square"}
    assert server.at("prepareRename", *find(text, "take(2)")) is None
    assert server.at("prepareRename", *find(text, "procs")) is None
    assert rename("square(x -", "squared") == text.replace("square(", "squared(")
    assert rename("m = mean", "the_mean") == text.replace("let m =", "let the_mean =").replace("x - m", "x - the_mean")
    assert rename("x - m", "sample") == text.replace("x -> square(x - m)", "sample -> square(sample - m)")
    assert rename("samples |>", "xs") == text.replace("samples", "xs")
    # what would be caught by another name, or catch another
    assert rename("x -> square", "m") == "m means something else in some place where x stands"
    assert rename("m = mean", "x") == "x means something else in some place where m stands"
    assert rename("square(x -", "mean") == "mean means something else in some place where square stands"
    assert rename("square(x -", "reduce") == "reduce is built in"
    assert rename("square(x -", "let") == "let is a word of the notation"
    assert rename("square(x -", "2x") == "2x begins with a digit"
    assert rename("square(x -", "") == "newName is not there"
    assert rename("take(2)", "first") == "the name is defined in a library"
    assert rename("procs", "first") == "there is no name of the program's here"

    text = "# é𝄞\nmain({a, b}: {real, real}) = {a: a, b: loop a = b for i < 3 do a + i}"
    server.change({"text": text})
    assert rename("a: a", "c", 0, 3) == text.replace("{a, b}:", "{c, b}:").replace("a: a", "a: c")
    assert rename("a + i", "c") == text.replace("loop a", "loop c").replace("a + i", "c + i")
    assert rename("i < 3", "a").startswith("a means something else")
    # core language
    text = "$One = B_Con (B_Int 1)\n$OneMore = $One\n$One . $OneMore 5\n"
    server.change({"text": text})
    assert references("$One . ", 0, 2) == here(("$One =", 0, 1, 3), ("$One\n", 0, 1, 3), ("$One .", 0, 1, 3))
    assert rename("$One .", "Unit", 0, 1) == text.replace("$One\n", "$Unit\n").replace("$One =", "$Unit =").replace("$One .", "$Unit .")
    server.end()


def test_library_errors(broken):
    server = Server("--library", broken)
    (one,) = server.open("main(n) = n\ndefault 1\n")
    assert one["range"]["start"] == {"line": 0, "character": 0} and one["severity"] == 1, one
    assert os.path.basename(broken) + ":1:" in one["message"], one
    server.end()
    server = Server("--library", broken + ".not.there")
    (one,) = server.open("main(n) = n\ndefault 1\n")
    assert ".not.there" in one["message"], one
    server.change({"text": "main(n) = "})
    server.at("hover", 0, 3)
    server.at("definition", 0, 3)
    server.about("documentSymbol")
    server.about("formatting")
    server.at("completion", 0, 3)
    server.end()


def test_rest():
    server = Server()
    server.open(PROGRAM)
    assert [(s["name"], s["kind"], s["selectionRange"]["start"]["line"]) for s in server.about("documentSymbol")] == [
        ("square", 12, 1), ("mean", 12, 3), ("main", 12, 5)]
    items = {i["label"]: i for i in server.at("completion", 6, 12)}
    for name in ("map", "sort", "let", "square", "mean", "samples", "part"):
        assert name in items, name
    assert items["map"]["kind"] == 3 and "map(" in items["map"]["detail"] and items["map"]["documentation"], items["map"]
    assert items["let"]["kind"] == 14 and items["samples"]["kind"] == 6
    assert server.about("formatting") == []
    (edit,) = (server.change({"text": "main( n )=n+1 # one\ndefault 1"}), server.about("formatting"))[1]
    assert edit["newText"] == "main(n) = n + 1  # one\ndefault 1\n", edit
    assert edit["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 9}}, edit
    server.change({"text": "main( n )=n+\n"})
    assert server.about("formatting") is None  # it does not parse
    server.change({"text": "main( n ) = unknown\n"})
    assert server.about("formatting")[0]["newText"] == "main(n) = unknown\n"  # but it need not be right
    server.change({"text": "B_Id   1\n"})
    assert server.about("formatting") is None  # core language
    server.end()


def test_half_typed(*paths):
    """Every text of some programs as it is while it is typed: no answer is missing, and the server lives on."""
    server = Server()
    server.open("")
    for path in paths:
        with open(path) as file:
            text = file.read()
        whole = text.encode("utf-16-le")
        step = max(1, len(text) // 60)
        for size in list(range(0, len(text), step)) + [len(text)]:
            server.change({"text": text[:size]})
            before = text[:size]
            line, column = before.count("\n"), size - before.rfind("\n") - 1
            for method in ("hover", "definition", "completion"):
                server.at(method, line, column)
                server.at(method, line // 2, 5)
            server.about("documentSymbol")
            server.about("formatting")
        assert whole and all(d["severity"] > 1 for d in server.change({"text": text})), path
    server.end()


globals()["test_" + sys.argv[2]](*sys.argv[3:])
