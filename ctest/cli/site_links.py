"""site_links.py DIR: every link, picture, style and script of the pages in DIR leads to a file in DIR, and to an anchor that is
there; prints what does not and how much was looked at. No page loads anything from elsewhere. Inside of doxygen's pages, whose
links are doxygen's, only files count."""

import html.parser
import os
import sys
import urllib.parse

LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.doubled = set(), [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values and values["id"] in self.anchors:
            self.doubled.append(values["id"])
        self.anchors |= {values[key] for key in ("id",) if key in values}
        if tag == "a" and values.get("name"):
            self.anchors.add(values["name"])
        for key in ("href", "src"):
            if values.get(key):
                self.links.append((tag, key, values[key]))


def read(path):
    links = Links()
    with open(path, encoding="utf-8", errors="replace") as file:
        links.feed(file.read())
    return links


def main(root):
    pages = {os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".html")}
    read_pages = {path: read(path) for path in sorted(pages)}
    wrong, looked = [], 0
    for path, page in read_pages.items():
        reference = os.path.relpath(path, root).startswith("reference/")  # doxygen's
        if not reference:
            wrong += [f"{path}: two elements are called {name}" for name in page.doubled]
        for tag, key, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if (tag, key) in LOADED and parts.scheme != "javascript":
                    wrong.append(f"{path}: loads {link}")
                continue
            looked += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target) or not os.path.abspath(target).startswith(os.path.abspath(root)):
                wrong.append(f"{path}: there is no {link}")
            elif not reference and parts.fragment and target in read_pages and \
                    urllib.parse.unquote(parts.fragment) not in read_pages[target].anchors:
                wrong.append(f"{path}: no anchor for {link}")
    print("\n".join(wrong) if wrong else f"{len(pages)} pages, {looked} links")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
