"""One check: what changed since the last that ended, what was wrong then, and what time alone makes wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from core.clock import ticks
from operations.invariants.changed import SLICE, SMALL, changed_pieces
from operations.invariants.reading import violations_by_now, violations_in
from operations.invariants.scope import WHOLE, Scope
from operations.invariants.suspects import MOST_SUSPECTS, Suspect, pieces_of, suspect
from operations.invariants.watermark import MARGIN

MOST_SENTENCES = 200
MOST_SECONDS = 1500
"""Less than the clock gives a check (``config.schedule``). What is not done by then is begun again by the next."""


@dataclass(kw_only=True)
class Found:
    """What a check found. ``is_cut``: it stopped there and did not read all that changed; ``is_late``: by the clock."""

    sentences: list[str] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    is_cut: bool = False
    is_late: bool = False

    def add(self, sentences: Sequence[str], piece: Scope | None = None) -> None:
        """Add what cannot be true in a piece."""
        news = [sentence for sentence in sentences if sentence not in self.sentences]
        room = MOST_SENTENCES - len(self.sentences)
        self.sentences += news[:room]
        if news and piece is not None and piece.only is not None:
            self.suspects.append(suspect(piece.only))
        self.is_cut = self.is_cut or len(news) > room or len(self.suspects) > MOST_SUSPECTS


def look_since(since: datetime, before: Sequence[Suspect]) -> Found:
    """Look at what changed since then, and at these rows of before. Reads only, a short transaction a piece."""
    began, found = ticks(), Found()
    found.add(violations_by_now())
    for piece in chain(pieces_of(before), _small_pieces(), changed_pieces(since - MARGIN)):
        if found.is_cut:
            break
        if ticks() - began > MOST_SECONDS:
            found.is_late = True
            break
        found.add(violations_in(piece), piece)
    return found


def _small_pieces() -> Iterator[Scope]:
    for model in SMALL:
        last = None
        while keys := list(
            model._default_manager.filter(**({} if last is None else {"pk__gt": last}))
            .order_by("pk")
            .values_list("pk", flat=True)[:SLICE]
        ):
            last = keys[-1]
            yield WHOLE.piece({model: set(keys)}, is_brief=True)
