"""Parameters of an operation as a class, from which its command's options and its flow's form are made."""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from nadp.cli.files import SAMPLE_NAME, local_embedding
from nadp.cli.messages import lacking, told, unknown
from nadp.files.model_places import is_model

P = TypeVar("P", bound="Parameters")
R = TypeVar("R")


class Parameters(BaseModel):
    """The parameters of an operation; the docstring of each attribute is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _names(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown names, and missing names without a default."""
        messages = [unknown(name, cls.model_fields) for name in values if name not in cls.model_fields]
        messages += [lacking(name) for name, f in cls.model_fields.items() if f.is_required() and name not in values]
        if messages:
            raise PydanticCustomError("names", "{said}", {"said": "; ".join(messages)})
        return values

    @field_validator("*", mode="wrap")
    @classmethod
    def _value(cls, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any parameter
        return told(value, handler)

    def check(self) -> None:
        """Refuse invalid parameters before a server starts and anything is computed.

        Raises:
            InputError: if a file is missing, or parameters contradict each other.
        """

    def check_embedding(self, embedding: str) -> None:
        """Refuse a name that is not an embedding.

        Raises:
            InputError: if it is neither "sample" nor a file.
        """
        local_embedding(embedding)

    def may_be_model(self, embedding: str) -> bool:
        """Return whether an embedding may be a static model."""
        return is_model(local_embedding(embedding))

    def is_public(self, embedding: str) -> bool:
        """Return whether an embedding is public."""
        return embedding == SAMPLE_NAME


def takes(declared: type[P]) -> Callable[[Callable[[P], R]], Callable[..., R]]:
    """Turn a function that takes an object of a class into one that takes the class's parameters.

    Their types, defaults and help are those of the class.

    Args:
        declared: the class.
    """

    def decorate(function: Callable[[P], R]) -> Callable[..., R]:
        signature = signature_of(declared)

        @functools.wraps(function)
        def with_parameters(*args: Any, **kwargs: Any) -> R:  # noqa: ANN401 - as declared
            parameters = declared.model_validate(signature.bind(*args, **kwargs).arguments)
            parameters.check()
            return function(parameters)

        del with_parameters.__wrapped__  # inspect must find this signature
        describe(with_parameters, declared, signature)
        return with_parameters

    return decorate


def describe(function: Any, declared: type[Parameters], signature: inspect.Signature) -> None:  # noqa: ANN401 - see below
    """Give a function a signature, and the help of a class.

    Args:
        function: any, since __signature__, which inspect reads, is not part of the type of functions.
        declared: the class.
        signature: the signature that inspect must find.
    """
    function.__signature__ = signature
    function.__doc__ = help_of(declared)


def signature_of(declared: type[Parameters]) -> inspect.Signature:
    """Return the parameters of a class as a function's signature."""
    parameters = []
    for name, field in _fields(declared):
        kind: Any = Annotated[(field.annotation, *field.metadata, WrapValidator(told))]
        default = inspect.Parameter.empty if field.is_required() else field.default
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)
        )
    return inspect.Signature(parameters)


def help_of(declared: type[Parameters]) -> str:
    """Return the docstrings of a class and its attributes as a function's docstring, with one line per paragraph."""
    summary = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(declared) or "")
    lines = [f"    {name}: {' '.join((field.description or '').split())}" for name, field in _fields(declared)]
    return "\n".join([summary, "", "Args:", *lines])


def _fields(declared: type[Parameters]) -> list[tuple[str, FieldInfo]]:
    """Return a class's fields: first required fields, then the class's own, then the fields of each of its bases."""
    order = {name: -n for n, base in enumerate(reversed(declared.mro())) for name in inspect.get_annotations(base)}
    return sorted(declared.model_fields.items(), key=lambda item: (not item[1].is_required(), order[item[0]]))
