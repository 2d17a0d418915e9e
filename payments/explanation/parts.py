"""The shape of every outcome's words."""

from typing import NamedTuple


class Parts(NamedTuple):
    """The three parts of every outcome: what happened, where the money is, what to do now."""

    happened: str
    money: str
    next: str
