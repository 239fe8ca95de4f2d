"""The sets of labelled texts. Blank lines are no texts: CR's files hold four of them, MPQA's three."""

from tasks.sources.benchmarks.declarations import Benchmark, Source

_NO_SPLIT = (("train", ""), ("test", ""))
_OFFICIAL = (("train", "train"), ("test", "test"))
_CP1252 = (("encoding", "cp1252"),)


def _files(folder: str, rows: int, negative: str, positive: str, *options: tuple[str, object]) -> Source:
    """Return a source that is a folder with one file of texts for each label, 0 and 1."""
    return Source(
        "folder",
        f"text_classification/{folder}",
        rows,
        layout="file-per-label",
        reader="text",
        options=options,
        splits=((negative, "0"), (positive, "1")),
    )


def _labelled(
    name: str, citation: str, *sources: Source, labels: tuple[str, ...] = ("negative", "positive")
) -> Benchmark:
    return Benchmark(name, "classification", "accuracy", sources, citation=citation, labels=labels)


CLASSIFICATION = (
    _labelled(
        "mr",
        "Pang and Lee 2005, Seeing Stars, ACL",
        _files("mr", 10662, "rt-polarity.neg", "rt-polarity.pos", *_CP1252),
        Source(
            "hub",
            "cornell-movie-review-data/rotten_tomatoes",
            10662,
            ("text", "label", "="),
            splits=(("train", ""), ("validation", ""), ("test", "")),
        ),
    ),
    _labelled(
        "cr",
        "Hu and Liu 2004, Mining and Summarizing Customer Reviews, KDD",
        _files("cr", 3771, "custrev.neg", "custrev.pos"),
        Source("hub", "SetFit/SentEval-CR", 3775, ("text", "label", "="), splits=_NO_SPLIT),
    ),
    _labelled(
        "mpqa",
        "Wiebe, Wilson and Cardie 2005, Annotating Expressions of Opinions and Emotions in Language, LRE 39",
        _files("mpqa", 10603, "mpqa.neg", "mpqa.pos"),
        Source("hub", "jxm/mpqa", 10603, ("sentence", "label", "="), splits=_NO_SPLIT),
    ),
    _labelled(
        "subj",
        "Pang and Lee 2004, A Sentimental Education, ACL",
        _files("subj", 10000, "subj.objective", "subj.subjective", *_CP1252),
        Source("hub", "SetFit/subj", 10000, ("text", "label", "="), splits=_NO_SPLIT),
        labels=("objective", "subjective"),
    ),
    _labelled(
        "sst2",
        "Socher et al. 2013, Recursive Deep Models for Semantic Compositionality, EMNLP",
        Source(
            "folder",
            "text_classification/sst2",
            8741,
            ("text", "label", "="),
            layout="label-and-text",
            reader="text",
            splits=(("stsa.binary.train", "train"), ("stsa.binary.test", "test")),
        ),
        Source("hub", "SetFit/sst2", 8741, ("text", "label", "="), splits=_OFFICIAL),
    ),
)
