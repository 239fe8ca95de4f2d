"""Benchmarks of this disk: a folder of the user's, or the files that come with gensim."""

import json
from pathlib import Path

import pytest

from nadp.errors import FormatError, InputError
from nadp.utility.word_similarity import WordPairs
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.fetching import fetch_benchmark, items_of, needed_words
from tasks.sources.benchmarks.locating import locate

SIMLEX = "word_similarity/simlex999/SimLex-999.txt"
RG = "word_similarity/rg65/EN-RG-65.txt"
PUZZLES = "odd_man_out/cat9trmsS.txt"
CR = "text_classification/cr/"
SST = "text_classification/sst2/stsa.binary."
PAIRS = "sts/sts12/raw/STS.input.X.txt"
GOLD = "sts/sts12/raw/STS.gs.X.txt"


@pytest.fixture
def folder(tmp_path, home):  # noqa: ARG001 - the rows go there
    """A function that writes files and returns the folder of benchmarks that they make."""
    root = tmp_path / "benchmarks"
    root.mkdir()

    def write(**files):
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(root)

    return write


def rows_of(fetched):
    return json.loads(Path(fetched.files[0].path).read_text(encoding="utf-8"))


def fetched(name, folder):
    return fetch_benchmark.fn(locate(name, folder))


ENGLISH = [name for name, one in BENCHMARKS.items() if one.language == "en"]


@pytest.mark.shared
@pytest.mark.parametrize("name", ENGLISH)
def test_each_benchmark_has_the_rows_that_are_declared(original, name):
    found = original(name)
    assert found.warning == ""
    assert found.rows == BENCHMARKS[name].sources[0].rows == len(rows_of(found))
    assert found.origin == f"file {BENCHMARKS[name].sources[0].location}"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "row", "content"),
    [
        ("men", 0, ["sun", "sunlight", 50]),
        ("simlex999", 0, ["old", "new", 1.58]),
        ("simverb3500", 0, ["take", "remove", 6.81]),
        ("simverb3000-test", 0, ["walk", "trail", 4.81]),
        ("wordsim353", 1, ["tiger", "cat", 7.35]),
        ("rw", 0, ["squishing", "squirt", 5.88]),
        ("scws", 0, ["Brazil", "nut", 1.1]),
        ("sts-b", 0, ["A girl is styling her hair.", "A girl is brushing her hair.", 2.5, ""]),
        ("odd-man-out", 0, [["pelican", "excavator", "crane", "hoist", "upraise"]]),
        ("odd-man-out", 587, [["whirlpool", "data_sets", "do_tests", "timely", "current"]]),
    ],
)  # fmt: skip
def test_a_row_is_as_its_file_has_it(original, name, row, content):
    found = zip(rows_of(original(name))[row], content, strict=True)
    assert [float(value) if isinstance(known, (int, float)) else value for value, known in found] == content


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "encoding", "files"),
    [
        ("mr", "cp1252", ("mr/rt-polarity.neg", "mr/rt-polarity.pos")),
        ("subj", "cp1252", ("subj/subj.objective", "subj/subj.subjective")),
        ("cr", "ascii", ("cr/custrev.neg", "cr/custrev.pos")),
        ("mpqa", "ascii", ("mpqa/mpqa.neg", "mpqa/mpqa.pos")),
    ],
)
def test_texts_are_the_lines_of_a_file_for_each_label(original, shared, name, encoding, files):
    expected = []
    for label, file in zip(BENCHMARKS[name].labels, files, strict=True):
        content = (shared / "benchmarks" / "text_classification" / file).read_bytes()
        expected += [[line.decode(encoding).strip(), label, ""] for line in content.split(b"\n") if line.strip()]
    assert rows_of(original(name)) == expected


@pytest.mark.shared
def test_the_dashes_of_mr_are_not_lost_to_an_encoding(original):
    assert sum("\u2014" in text for text, _, _ in rows_of(original("mr"))) > 5


@pytest.mark.shared
def test_the_parts_of_sst2_are_its_official_ones(original):
    rows = rows_of(original("sst2"))
    assert [part for _, _, part in rows] == ["train"] * 6920 + ["test"] * 1821
    assert [text for text, _, _ in rows if "crème brûlée" in text]
    assert {int(label) for _, label, _ in rows} == {0, 1}


@pytest.mark.shared
@pytest.mark.parametrize("year", [12, 13, 14, 15, 16])
def test_pairs_without_a_rating_are_left_out_and_the_others_stay_with_theirs(original, shared, year):
    expected = []
    for file in sorted((shared / "benchmarks" / "sts" / f"sts{year}" / "raw").glob("*.input.*.txt")):
        pairs, ratings = (
            one.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            for one in (file, file.with_name(file.name.replace("input", "gs")))
        )
        source = file.name.split(".input.")[1][: -len(".txt")]
        for pair, rating in zip(pairs, ratings, strict=True):
            if rating:
                expected.append([*pair.split("\t")[:2], float(rating), source])
    found = [[one, other, float(rating), source] for one, other, rating, source in rows_of(original(f"sts{year}"))]
    assert found == expected


@pytest.mark.parametrize(("name", "file", "first"), [
    ("simlex999", "simlex999.txt", ["old", "new", 1.58]),
    ("wordsim353", "wordsim353.tsv", ["love", "sex", 6.77]),
])  # fmt: skip
def test_the_word_pairs_that_come_with_gensim_need_no_folder(home, name, file, first):  # noqa: ARG001
    found = fetched(name, None)
    assert found.origin == f"package gensim:test/test_data/{file}"
    assert found.warning == ""
    assert [*rows_of(found)[0][:2], float(rows_of(found)[0][2])] == first


def test_the_users_folder_comes_before_what_is_installed(folder):
    found = fetched("simlex999", folder(**{SIMLEX: 'word1\tword2\tPOS\tSimLex999\nnull\tnan\tN\t1.5\nNA\t"\tN\t2\n'}))
    assert found.origin == f"file {SIMLEX}"
    assert found.warning.startswith(f"{SIMLEX} has 2 rows")
    assert "999" in found.warning
    assert rows_of(found) == [["null", "nan", "1.5"], ["NA", '"', "2"]]


def test_a_folder_may_be_given_from_where_one_stands(folder, monkeypatch):
    monkeypatch.chdir(Path(folder(**{RG: "gem\tjewel\t3.94\ncord\tsmile\t0.02\n"})).parent)
    place = locate("rg65", "benchmarks")
    monkeypatch.chdir("/")
    assert fetch_benchmark.fn(place).rows == 2


@pytest.mark.parametrize(
    ("name", "present", "places"),
    [
        ("simlex999", {}, ["package"]),
        ("men", {}, ["hub", "url"]),
        ("sts12", {PAIRS: "a\tb\n"}, ["hub"]),
        ("cr", {CR + "custrev.neg": "bad\n"}, ["hub"]),
        ("odd-man-out", {}, ["url"]),
    ],
)
def test_what_a_folder_lacks_is_looked_for_elsewhere(folder, name, present, places):
    found = locate(name, folder(**present))
    assert [source.place for source in found.benchmark.sources] == places
    tried = next(source for source in BENCHMARKS[name].sources if source.place == "file")
    assert any(tried.location in absent for absent in found.absent) == (name != "simlex999")


def test_an_unknown_benchmark_is_refused_and_the_known_ones_named():
    with pytest.raises(InputError, match=r"one of .*men.*'simlex99'.*did you mean 'simlex999'\?"):
        locate("simlex99", None)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="nowhere' is not a folder"):
        locate("men", str(tmp_path / "nowhere"))


MALFORMED = {
    "a line without a colon": ("odd-man-out", {PUZZLES: "x: a,b,c,d,e\nno colon\n"}, [PUZZLES, "'no colon'"]),
    "an empty term": ("odd-man-out", {PUZZLES: "x: a,b,c,d,e\nx: a,,c,d,e\n"}, ["odd-man-out, row 2"]),
    "no puzzle at all": ("odd-man-out", {PUZZLES: ""}, [PUZZLES]),
    "fewer ratings than pairs": (
        "sts12",
        {PAIRS: "a\tb\nc\td\n", GOLD: "1\n"},
        [PAIRS, "2 pairs", "STS.gs.X.txt", "1 rating"],
    ),
    "one sentence instead of a pair": ("sts12", {PAIRS: "a\tb\nc d\n", GOLD: "1\n2\n"}, [PAIRS + ", line 2"]),
    "a rating of a pair that is no number": (
        "sts12",
        {PAIRS: "a\tb\nc\td\n", GOLD: "1\nfive\n"},
        ["sts12, row 2", "'five'"],
    ),
    "no pairs at all": ("sts12", {PAIRS: "", GOLD: ""}, ["sts/sts12/raw"]),
    "a rating that is no number": ("rg65", {RG: "gem\tjewel\t3.9\ncord\tsmile\tlow\n"}, ["rg65, row 2", "'low'"]),
    "no rating": ("rg65", {RG: "gem\tjewel\t3.9\ncord\tsmile\n"}, ["rg65, row 2"]),
    "two numbers too many": ("rg65", {RG: "gem\tjewel\t3.9\ncord\tsmile\t0.1\t2\t3\n"}, [RG, "2"]),
    "spaces instead of tabs": ("rg65", {RG: "gem jewel 3.9\n"}, ["rg65, row 1"]),
    "an empty word": ("rg65", {RG: "gem\t\t3.9\n"}, ["rg65, row 1"]),
    "a word in another encoding": ("rg65", {RG: b"caf\xe9\tbar\t3.9\n"}, [RG]),
    "no word pairs at all": ("rg65", {RG: ""}, [RG]),
    "a header and nothing else": ("simlex999", {SIMLEX: "word1\tword2\tPOS\tSimLex999\n"}, [SIMLEX]),
    "a column of another name": (
        "simlex999",
        {SIMLEX: "word1\tword2\tscore\na\tb\t1\n"},
        [SIMLEX, "'SimLex999'", "'word1', 'word2', 'score'"],
    ),
    "a text in another encoding": (
        "cr",
        {CR + "custrev.neg": b"bad \x96 very\n", CR + "custrev.pos": "good\n"},
        ["custrev.neg"],
    ),
    "no text of one label": ("cr", {CR + "custrev.neg": "", CR + "custrev.pos": "good\n"}, ["custrev.neg"]),
    "a label that is no number": (
        "sst2",
        {SST + "train": "1 good\nx bad\n", SST + "test": "0 bad\n"},
        ["sst2, row 2", "'x'"],
    ),
    "a label that is no whole number": (
        "sst2",
        {SST + "train": "1 good\n0.5 so so\n", SST + "test": "0 bad\n"},
        ["sst2, row 2", "'0.5'"],
    ),
    "a test part without labels": (
        "sst2",
        {SST + "train": "1 good\n0 bad\n", SST + "test": "-1 bad\n-1 good\n"},
        ["sst2", "-1"],
    ),
    "a blank line": ("sst2", {SST + "train": "1 good\n\n", SST + "test": "0 bad\n"}, ["sst2, row 2"]),
}
"""Benchmark, files, and what must be told of them."""


@pytest.mark.parametrize("what", MALFORMED)
def test_a_file_that_is_not_the_benchmark_is_refused_by_its_name(folder, what):
    name, files, named = MALFORMED[what]
    with pytest.raises(FormatError) as caught:
        fetched(name, folder(**files))
    assert [words for words in named if words not in str(caught.value)] == []


def test_a_benchmark_is_of_the_kind_of_its_family(folder):
    found = fetched("rg65", folder(**{RG: "gem\tJewel\t3.9\ncord\tsmile\t0.1\n"}))
    assert isinstance(items_of(found), WordPairs)
    assert items_of(found).ratings.tolist() == [3.9, 0.1]


def test_the_words_of_benchmarks_are_needed_in_both_cases(folder):
    where = folder(
        **{RG: "gem\tJewel\t3.9\ncord\tsmile\t0.1\n", CR + "custrev.neg": "I don't!\n", CR + "custrev.pos": "ok\n"}
    )
    assert needed_words([fetched(name, where) for name in ("rg65", "cr")]) == {
        "rg65": {"gem", "Jewel", "jewel", "cord", "smile"},
        "cr": {"I", "i", "do", "n't", "!", "ok"},
    }


def test_no_two_benchmarks_share_a_place():
    places = [(source.place, source.location, source.config) for one in BENCHMARKS.values() for source in one.sources]
    assert len(set(places)) == len(places) > 40


MR = "text_classification/mr/rt-polarity"


@pytest.mark.parametrize(("encoding", "warned"), [("cp1252", 0), ("utf-8", 2)])
def test_texts_that_are_utf_8_and_not_cp1252_as_declared_are_read_right_and_warned_of(folder, encoding, warned):
    texts = {"neg": "a café — dull\n" * 3, "pos": "naïve “fun”\n" * 3}
    where = folder(**{f"{MR}.{label}": text.encode(encoding) for label, text in texts.items()})
    found = fetched("mr", where)
    assert [row[0] for row in rows_of(found)] == ["a café — dull"] * 3 + ["naïve “fun”"] * 3
    assert found.warning.count("cp1252") == warned


def test_plain_ascii_is_in_the_declared_encoding(folder):
    where = folder(**{f"{MR}.neg": "dull\n", f"{MR}.pos": "fun\n"})
    assert "cp1252" not in fetched("mr", where).warning
