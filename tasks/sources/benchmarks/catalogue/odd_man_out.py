"""The odd-man-out puzzles."""

from tasks.sources.benchmarks.declarations import Benchmark, Source

_URL = (
    "https://raw.githubusercontent.com/shuichiotake/NADP/master/"
    "downStream_oddMan/oddMan/Data_OM/9_FromPaper/cat9trmsS.txt"
)

ODD_MAN_OUT = (
    Benchmark(
        "odd-man-out",
        "odd-man-out",
        "accuracy",
        (
            Source("folder", "odd_man_out/cat9trmsS.txt", 1173, layout="puzzles", reader="text"),
            Source("url", _URL, 1173, layout="puzzles", reader="text"),
        ),
        "Apache-2.0 (repository)",
        "Stanovsky and Hopkins 2018, Spot the Odd Man Out, EMNLP",
    ),
)
