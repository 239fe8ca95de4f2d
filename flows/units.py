"""Units of an experiment: the scores of one evaluation at one epsilon of a curve, in one repeat."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    """Number of units, and of units that could not be evaluated."""

    all: int = 0
    failed: int = 0

    def __add__(self, other: "Units") -> "Units":
        return Units(self.all + other.all, self.failed + other.failed)

    def __str__(self) -> str:
        text = f"{self.all - self.failed:,}/{self.all:,} units evaluated"
        return f"{text}; {self.failed:,} failed" if self.failed else text
