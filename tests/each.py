"""One check of many things in one test: each begins with the same rows, and all that is wrong is told together."""

import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db import transaction

Thing = TypeVar("Thing")


def faults(check: Callable[[Thing], None], things: Iterable[Thing]) -> dict[str, str]:
    """What each thing's check complained of, by the thing. Whatever a check writes is taken back."""
    found = {}
    for thing in things:
        with transaction.atomic():
            try:
                check(thing)
            except Exception as error:  # a crash over one thing must not hide what is wrong with the others
                at = traceback.extract_tb(error.__traceback__)[-1]
                found[str(thing)] = f"{type(error).__name__}: {error} ({at.name}, line {at.lineno}: {at.line})"
            transaction.set_rollback(True)
    return found
