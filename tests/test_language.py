import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADING = "### Phrases that the tests refuse"
TEXT = {".md", ".j2", ".toml", ".yaml", ".cff"}
ROOMS = (".ci", "benchmarks", "docs", "flows", "nadp", "tasks", "tests")


def banned():
    """The block in CONTRIBUTING: the one list of phrases."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(HEADING)[2]
    return [phrase.strip() for phrase in section.split("```")[1].removeprefix("text").split(",")]


def files():
    for path in (*ROOT.iterdir(), *(p for room in ROOMS for p in (ROOT / room).rglob("*"))):
        if path.is_file() and path.suffix in {".py", *TEXT}:
            yield path


def comments(source):
    """Runs of comment lines, each joined to one text."""
    run, last = [], -1
    for number, line in enumerate(source.splitlines(), 1):
        if (at := line.find("# ")) >= 0:
            if number != last + 1:
                yield last, " ".join(run)
                run = []
            run.append(line[at + 2 :])
            last = number
    yield last, " ".join(run)


def literals(source):
    """Strings and f-strings of a module; adjacent literals are one text."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value


def sentences(source):
    """The docstrings of a module of tests, and the names of its functions, which are sentences too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield (
                getattr(node, "lineno", 1),
                f"{getattr(node, 'name', '')}. {ast.get_docstring(node)}".replace("_", " "),
            )


def prose(path):
    """The texts of a file that a person reads, with their lines; other identifiers are left out."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return [*comments(source), *(sentences if "tests" in path.parts else literals)(source)]
    if path.name == "CONTRIBUTING.md":
        source = source.partition("## Words")[0]  # below, it lists what not to write
    if path.suffix in {".toml", ".yaml"}:
        source = re.sub(r"(?m)^\s*#\s", " ", source)
    return [(1, re.sub(r"`[^`\n]+`", "`code`", source))]


def pattern(phrases):
    wanted = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{wanted})(?!\w|\s+apart)", re.IGNORECASE)  # two things may be told apart


def test_no_text_holds_a_phrase_that_contributing_bans():
    refused = pattern(banned())
    found = [
        f"{path.relative_to(ROOT)}:{line}: {' '.join(phrase.split())}"
        for path in files()
        for line, text in prose(path)
        for phrase in refused.findall(text)
    ]
    assert not found, "\n".join(found)


def test_a_phrase_is_found_across_line_breaks_and_in_an_f_string_but_not_inside_a_word():
    source = 'x = f"{y} came "\\\n    "back"\n# was came\n# back\novercame_back = 1\n'
    refused = pattern(["came back"])
    assert [line for line, text in literals(source) if refused.search(text)] == [1]
    assert any(refused.search(text) for _, text in comments(source))
    assert not refused.search("overcame back")


def test_the_list_is_read_from_contributing():
    assert len(banned()) > 40
    assert {"anew", "bettered"} <= set(banned())
