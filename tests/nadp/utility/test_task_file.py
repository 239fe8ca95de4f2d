"""Declarations of tasks: what they say, and that a wrong one is answered with the line to write."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import FormatError, InputError
from nadp.utility.declaration import COLUMNS, METRICS, PART, Source
from nadp.utility.sentence_similarity import MIXED
from nadp.utility.task_file import declared, read_task

TICKETS = """
name = "tickets"
family = "labelled-texts"
source = "tickets.csv"
text = "body"
label = "team"
"""


def of(text):
    return declared(tomllib.loads(text), "tickets.toml")


def test_the_example_of_the_docs_is_a_task_with_one_source():
    task = of(TICKETS)
    assert (task.name, task.family, task.metric, task.language) == ("tickets", "labelled-texts", "accuracy", None)
    assert task.sources == (Source("file", "tickets.csv", ("body", "team", PART)),)
    assert task.sources[0].wanted == ["body", "team"]


@pytest.mark.parametrize("family", COLUMNS)
def test_columns_have_the_names_of_their_keys_unless_others_are_given(family):
    others = 'others = ["a", "b"]' if family == "odd-one-out" else ""
    task = of(f'name = "x"\nfamily = "{family}"\nsource = "x.csv"\n{others}')
    names = [name for key in COLUMNS[family] for name in (["a", "b"] if key == "others" else [key])]
    assert task.sources[0].columns == tuple(PART if name in ("part", "group") else name for name in names)
    assert task.metric == METRICS[family][0]


def test_keys_of_a_source_may_stand_at_the_top_for_all_sources():
    task = of(
        'name = "x"\nfamily = "word-pairs"\nquotes = false\nfirst = "Word 1"\n'
        '[[sources]]\nsource = "x.tsv"\nrows = 7\n'
        '[[sources]]\nhub = "owner/name"\nconfig = "fr"\nrevision = "abc"\nfirst = "Mot 1"\nwhere = { lang = "fr" }\n'
    )
    one, other = task.sources
    assert (one.place, one.rows, one.quotes, one.columns[0]) == ("file", 7, False, "Word 1")
    assert (other.place, other.config, other.revision, other.columns[0]) == ("hub", "fr", "abc", "Mot 1")
    assert (other.splits, other.where) == ((("train", ""),), (("lang", "fr"),))
    assert other.wanted == ["Mot 1", "second", "score", "lang"]


@pytest.mark.parametrize(
    ("lines", "splits"),
    [
        ("", (("train", ""),)),
        ('split = "test"', (("test", ""),)),
        ('split = ["train", "test"]', (("train", ""), ("test", ""))),
        ('train = ["a", "b"]\ntest = "c"', (("a", "train"), ("b", "train"), ("c", "test"))),
        ('layout = "file-per-label"\nfiles = { "x.neg" = "no", "x.pos" = "yes" }', (("x.neg", "no"), ("x.pos", "yes"))),
    ],
)
def test_splits_stand_for_the_parts_of_an_official_split_or_for_labels(lines, splits):
    assert of(f'name = "x"\nfamily = "labelled-texts"\nhub = "owner/name"\n{lines}').sources[0].splits == splits


def test_groups_that_cannot_be_told_apart_are_declared_so():
    source = of('name = "x"\nfamily = "sentence-pairs"\nhub = "owner/name"\nsplit = "test"\nmixed = true').sources[0]
    assert source.splits == (("test", MIXED),)


def test_neighbours_of_any_rows_need_no_source():
    task = of('name = "near"\nfamily = "neighbours"\nsample = 500\ncount = 5')
    assert (task.sources, task.sample, task.count) == ((), 500, 5)


def without(line):
    return "".join(kept + "\n" for kept in TICKETS.splitlines() if not kept.startswith(line))


WRONG = {
    "no name": (without("name"), ['name = "tickets"']),
    "no family": (without("family"), ['family = "labelled-texts"', "word-pairs", "neighbours"]),
    "no source": (without("source"), ['source = "tickets.csv"', 'hub = "owner/name"']),
    "two sources": (TICKETS + 'hub = "owner/name"', ["source and hub"]),
    "a key with a typing error": (TICKETS.replace("label =", "lable ="), ["'lable'", 'label = "team"']),
    "a key of another family": (TICKETS + 'second = "x"', ["'second'", "text, label, part"]),
    "a family with a typing error": (TICKETS.replace("labelled-texts", "labeled-texts"), ['family = "labelled-texts"']),
    "a metric of another family": (TICKETS + 'metric = "spearman"', ["'spearman'", "accuracy, macro-f1"]),
    "a metric with a typing error": (TICKETS + 'metric = "acuracy"', ['metric = "accuracy"']),
    "a name that is a figure of ours": (TICKETS.replace('"tickets"', '"privacy"'), ["privacy"]),
    "a name with a space": (TICKETS.replace('"tickets"', '"my tickets"'), ['name = "tickets"']),
    "a language with a name": (TICKETS + 'language = "French"', ["'French'", 'language = "fr"']),
    "a tokenizer that is none": (TICKETS + 'tokenizer = "word"', ['tokenizer = "words"']),
    "a number for a column": (TICKETS.replace('"body"', "3"), ["text", "3"]),
    "a string for yes or no": (TICKETS + 'quotes = "no"', ["quotes", "true or false"]),
    "no rows": (TICKETS + "rows = 0", ["rows", "0"]),
    "a revision of a file": (TICKETS + 'revision = "abc"', ["revision", "Hub"]),
    "a split of one file": (TICKETS + 'split = "test"', ["split", "where ="]),
    "half of an official split": (TICKETS.replace("source =", "hub =") + 'train = "train"', ['test = "test"']),
    "an official split of pairs": (
        'name = "x"\nfamily = "word-pairs"\nhub = "a/b"\ntrain = "train"\ntest = "test"',
        ['split = "test"'],
    ),
    "two terms": ('name = "x"\nfamily = "odd-one-out"\nsource = "x.csv"\nothers = ["a"]', ["3 to 5 terms, not 2"]),
    "six terms": (
        'name = "x"\nfamily = "odd-one-out"\nsource = "x.csv"\nothers = ["a", "b", "c", "d", "e"]',
        ["3 to 5 terms, not 6", "others = ["],
    ),
    "a sample of chosen rows": (
        'name = "x"\nfamily = "neighbours"\nsource = "x.csv"\nsample = 5',
        ["sample is for neighbours of any rows", "leave one of them out"],
    ),
    "a weighted metric without groups": (
        'name = "x"\nfamily = "sentence-pairs"\nsource = "x.csv"\nmetric = "pearson-weighted"',
        ["pearson-weighted needs the group", 'group = "'],
    ),
    "no other terms": ('name = "x"\nfamily = "odd-one-out"\nsource = "x.csv"', ["others = ["]),
    "a package without a file": ('name = "x"\nfamily = "word-pairs"\npackage = "gensim"', ['package = "gensim:']),
    "sources that are no tables": (TICKETS + 'sources = "x"', ["[[sources]]"]),
    "a wrong key in a source": (
        'name = "x"\nfamily = "word-pairs"\n[[sources]]\nsorce = "x.csv"',
        ['source = "x.csv"'],
    ),
    "an unknown format": (TICKETS + 'format = "tsf"', ['format = "tsv"']),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_declaration_is_refused_with_the_line_to_write(what):
    text, named = WRONG[what]
    with pytest.raises(InputError) as caught:
        of(text)
    assert [words for words in ["tickets.toml", *named] if words not in str(caught.value)] == []


@given(
    st.dictionaries(
        st.sampled_from(["name", "family", "source", "hub", "text", "label", "metric", "sources", "split", "other"]),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists),
    )
)
def test_whatever_a_file_declares_it_is_a_task_or_refused(content):
    try:
        task = declared(content, "task.toml")
    except InputError:
        return
    assert task.sources


def test_paths_are_taken_from_the_folder_of_the_declaration(tmp_path):
    file = tmp_path / "tasks" / "tickets.toml"
    file.parent.mkdir()
    file.write_text(TICKETS)
    assert read_task(file).sources[0].location == str(tmp_path / "tasks" / "tickets.csv")
    file.write_text(TICKETS.replace("tickets.csv", "/data/tickets.csv"))
    assert read_task(str(file)).sources[0].location == "/data/tickets.csv"


@pytest.mark.parametrize("content", [b"name = ", b"name = 'caf\xe9'", b"name = 'a'\nname = 'b'"])
def test_a_file_that_is_no_toml_is_refused_by_its_path(tmp_path, content):
    (tmp_path / "task.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"task\.toml"):
        read_task(tmp_path / "task.toml")


def test_a_file_that_is_not_there_is_refused_by_its_path(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.toml"):
        read_task(tmp_path / "nothing.toml")


@pytest.mark.parametrize("content", ["a = ", "a = " + "[" * 100_000, "name = '\xe9'"])
def test_what_is_no_toml_is_refused_by_name(tmp_path, content):
    (tmp_path / "t.toml").write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match=r"t\.toml"):
        read_task(tmp_path / "t.toml")


@pytest.mark.parametrize(
    "places",
    [
        'source = "reviews"\nlayout = "file-per-label"\nfiles = { "../../notes.txt" = "0" }',
        'source = "reviews"\nsplit = "/etc/passwd"',
        'package = "gensim:../secrets.csv"',
    ],
)
def test_a_file_of_a_folder_or_package_lies_inside_it(places):
    with pytest.raises(InputError, match="outside its folder"):
        of(f'name = "x"\nfamily = "labelled-texts"\n{places}')
