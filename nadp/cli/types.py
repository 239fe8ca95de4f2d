"""The types of the parameters: their choices and limits."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from nadp.cli.messages import within
from nadp.mechanisms import MECHANISMS

# The choices come from the mechanisms; a type checker cannot evaluate them.
if TYPE_CHECKING:
    MechanismName = str
    Releasable = str
    Encodable = str
else:
    MechanismName = Literal[*MECHANISMS]
    Releasable = Literal[*(name for name, made in MECHANISMS.items() if made.publishable)]
    Encodable = Literal[*(name for name, made in MECHANISMS.items() if made.encodable)]
AtLeastOne = Annotated[int, Field(ge=1), within("must be at least 1")]
Tau = Annotated[float, Field(ge=0, le=1), within("must lie between 0 and 1")]
Epsilon = Annotated[float, Field(ge=0, allow_inf_nan=False), within("must be 0 or more and finite")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), within("must be above 0 and finite")]
Delta = Annotated[float, Field(gt=0, lt=1), within("must lie strictly between 0 and 1")]
Share = Annotated[float, Field(gt=0, le=1), within("must be above 0 and at most 1")]
ShareOrNone = Annotated[float, Field(ge=0, le=1), within("must lie between 0 and 1")]
Recall = Annotated[float, Field(gt=0, le=1), within("must be above 0 and at most 1")]
Language = Annotated[
    str,
    Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$"),
    within("must be the code of a language, such as fr or pt-BR"),
]
Draws = Annotated[int, Field(ge=0), within("must be 0 or more")]
Seed = Annotated[int, Field(ge=0), within("must be 0 or more")]
FalseAlarm = Annotated[float, Field(gt=0, lt=1), within("must lie strictly between 0 and 1")]
ListLength = Annotated[int, Field(ge=2), within("must be at least 2")]
