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
