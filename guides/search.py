"""Where words stand: every section of every page, cut once, and searched by all words of a question.

Bounds: a question of ``MOST_LETTERS``, of which ``MOST_WORDS`` count; ``MOST_FOUND`` places.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from guides.library import Page, groups, pages, text_of
from guides.markup import anchor_of

MOST_LETTERS, MOST_WORDS, MOST_FOUND = 100, 8, 30
SHOWN_LETTERS = 180
_MARKS = re.compile(r"<!--.*?-->|<[^>]*>|\]\([^)]*\)|[`*\[\]|]|^#+ |^>\s?|^- |-{3,}", re.MULTILINE)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class Place:
    """A section of a page, its words in small letters beside those that are shown."""

    page: Page
    heading: str
    anchor: str
    text: str
    lowered: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """A place that has every word, and what stands around the first."""

    place: Place
    before: str
    hit: str
    after: str

    @property
    def url(self) -> str:
        """Where it stands."""
        return f"{self.place.page.url}#{self.place.anchor}" if self.place.anchor else self.place.page.url


def search(question: str) -> list[Found]:
    """The places that have every word of a question, the best first: merchants' pages, titles, headings."""
    words = question[:MOST_LETTERS].lower().split()[:MOST_WORDS]
    if not words:
        return []
    hits = [place for place in _places() if all(word in place.lowered for word in words)]
    order = {slug: at for at, slug in enumerate(pages())}
    hits.sort(key=lambda place: (-_worth(place, words), order[place.page.slug]))
    return [_found(place, words) for place in hits[:MOST_FOUND]]


def _worth(place: Place, words: list[str]) -> int:
    title, heading = place.page.title.lower(), place.heading.lower()
    nearer = len(_readers()) - _readers().index(place.page.group)
    return 4 * nearer + sum(4 if word in title else 3 * (word in heading) for word in words)


@cache
def _readers() -> tuple[str, ...]:
    return tuple(group.title for group in groups())


def _found(place: Place, words: list[str]) -> Found:
    text = place.text
    spots = [(spot, word) for word in words if (spot := text.lower().find(word)) >= 0]
    if not spots:
        return Found(place=place, before=text[:SHOWN_LETTERS], hit="", after="")
    spot, word = min(spots)
    start = max(0, spot - SHOWN_LETTERS // 3)
    end = spot + len(word)
    return Found(
        place=place,
        before=("… " if start else "") + text[start:spot],
        hit=text[spot:end],
        after=text[end : start + SHOWN_LETTERS],
    )


@cache
def _places() -> tuple[Place, ...]:
    return tuple(place for page in pages().values() for place in _cut(page))


def _cut(page: Page) -> Iterator[Place]:
    """The sections of a page: what stands below each heading, until the next one."""
    heading, anchor, lines, fenced = page.title, "", list[str](), False
    for line in text_of(page).splitlines():
        fenced ^= line.lstrip().startswith("```")
        if fenced or not re.match(r"#{1,4} ", line):
            lines.append("" if line.lstrip().startswith("```") else line)
            continue
        if any(lines):
            yield _place(page, heading, anchor, lines)
        heading, lines = _MARKS.sub("", line).strip(), []
        anchor = "" if line.startswith("# ") else anchor_of(heading)
    yield _place(page, heading, anchor, lines)


def _place(page: Page, heading: str, anchor: str, lines: list[str]) -> Place:
    text = _SPACE.sub(" ", _MARKS.sub("", "\n".join(lines))).strip()
    lowered = f"{page.title} {heading} {text}".lower()
    return Place(page=page, heading=heading, anchor=anchor, text=text, lowered=lowered)
