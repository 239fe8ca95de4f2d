"""The types of the parameters: their choices and limits."""

from typing import Annotated, Literal

from pydantic import Field

MechanismName = Literal[
    "nadp",
    "gaussian",
    "gaussian-classical",
    "laplacian",
    "laplacian-reference",
    "mahalanobis",
    "jaccard",
    "jaccard-reference",
    "groups",
    "groups-by-share",
]
Releasable = Literal["nadp", "gaussian"]
Encodable = Literal["nadp", "gaussian", "laplacian", "mahalanobis"]
BenchmarkName = Literal[
    "men",
    "simlex999",
    "simverb3500",
    "simverb3000-test",
    "wordsim353",
    "rg65",
    "mc30",
    "rw",
    "mturk771",
    "scws",
    "sts-b",
    "sts12",
    "sts13",
    "sts14",
    "sts15",
    "sts16",
    "mr",
    "cr",
    "mpqa",
    "subj",
    "sst2",
    "odd-man-out",
    "neighbours",
    "sts-b-de",
    "sts-b-es",
    "sts-b-fr",
    "sts-b-it",
    "sts-b-nl",
    "sts-b-pl",
    "sts-b-pt",
    "sts-b-ru",
    "sts-b-zh",
    "gur350",
    "zg222",
    "simlex999-de",
    "wordsim353-de",
]
Runner = Literal["threads", "dask"]

AtLeastOne = Annotated[int, Field(ge=1)]
Tau = Annotated[float, Field(ge=0, le=1)]
Epsilon = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Delta = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(gt=0, le=1)]
ShareOrNone = Annotated[float, Field(ge=0, le=1)]
Recall = Annotated[float, Field(gt=0, le=1)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")]
Draws = Annotated[int, Field(ge=0)]
FalseAlarm = Annotated[float, Field(gt=0, lt=1)]
ListLength = Annotated[int, Field(ge=2)]
