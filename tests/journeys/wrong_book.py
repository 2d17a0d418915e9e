"""A receiver that keeps wrong books: it books each second event twice, and forgets each seventh.

Usage: SECRET=whsec_… python -m tests.journeys.wrong_book JOURNAL    In the place of ``scripts.day.receiver``.
"""

import os
import sys
from itertools import count
from pathlib import Path
from typing import Any

from scripts.cluster.journal import Journal
from scripts.day.receiver import Book, serve

EACH_TWICE, EACH_FORGOTTEN = 2, 7
_numbers = count(1)


class WrongBook(Book):
    def enter(self, event: dict[str, Any]) -> None:
        number = next(_numbers)
        for _ in range(0 if number % EACH_FORGOTTEN == 0 else 2 if number % EACH_TWICE == 0 else 1):
            super().enter(event)


if __name__ == "__main__":
    serve(WrongBook(Journal(Path(sys.argv[1])), os.environ["SECRET"]))
