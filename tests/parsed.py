"""Pages as trees, for tests: what is where, not how it is written."""

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr", "path", "rect", "circle"}


class Node:
    def __init__(self, tag, attributes, parent=None):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.children, self.own = [], []

    def __getitem__(self, name):
        return self.attributes[name]

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        parts = [part if isinstance(part, str) else part.text for part in self.own]
        return " ".join(" ".join(parts).split())

    def all(self, tag=None, of=None, **attributes):
        """Every element below, in order, of a tag and a class, with these attributes."""
        for child in self.children:
            fits = tag in (None, child.tag) and (of is None or of in child.classes)
            if fits and all(child.attributes.get(name) == value for name, value in attributes.items()):
                yield child
            yield from child.all(tag, of, **attributes)

    def first(self, tag=None, of=None, **attributes):
        return next(self.all(tag, of, **attributes))

    def table(self):
        """The rows of a table: the head of each, and its cells without what stands below them."""
        return {
            row.first("th").text: [cell.own_text for cell in row.all("td")]
            for row in self.all("tr")
            if any(row.all("td"))
        }

    @property
    def own_text(self):
        return " ".join("".join(part for part in self.own if isinstance(part, str)).split())


class _Builder(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.here = Node("", ())

    def handle_starttag(self, tag, attrs):
        node = Node(tag, attrs, self.here)
        self.here.children.append(node)
        self.here.own.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attrs):
        node = Node(tag, attrs, self.here)
        self.here.children.append(node)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert tag == self.here.tag, f"<{self.here.tag}> is closed by </{tag}>"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.own.append(data)


def parsed(html):
    """The tree of a page; an element that is not closed, or closed twice, is an error."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert builder.here is builder.root, f"<{builder.here.tag}> is not closed"
    return builder.root
