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
    """A section of a page: its sentences, its code, and all of it in small letters."""

    page: Page
    heading: str
    anchor: str
    text: str
    code: str
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
    """The places that have every word of a question, the best first: merchants' pages, titles, headings, sentences."""
    words = question[:MOST_LETTERS].lower().split()[:MOST_WORDS]
    if not words:
        return []
    hits = [place for place in _places() if all(word in place.lowered for word in words)]
    order = {slug: at for at, slug in enumerate(pages())}
    hits.sort(key=lambda place: (-_worth(place, words), order[place.page.slug]))
    return [_found(place, words) for place in hits[:MOST_FOUND]]


def _worth(place: Place, words: list[str]) -> int:
    title, heading, text = place.page.title.lower(), place.heading.lower(), place.text.lower()
    nearer = len(_readers()) - _readers().index(place.page.group)
    named = sum(4 if word in title else 3 * (word in heading) for word in words)
    return 4 * nearer + named + 2 * all(word in text for word in words)


@cache
def _readers() -> tuple[str, ...]:
    return tuple(group.title for group in groups())


def _found(place: Place, words: list[str]) -> Found:
    """What is shown is a sentence where one has a word, else the code that has it. No word is cut."""
    hits = ((text, _first(text, words)) for text in (place.text, place.code))
    text, spot, end = next(((text, *hit) for text, hit in hits if hit), (place.text or place.code, 0, 0))
    start = text.rfind(" ", 0, max(0, spot - SHOWN_LETTERS // 3)) + 1
    stop = text.find(" ", max(end, start + SHOWN_LETTERS))
    after = text[end:] if stop < 0 else text[end:stop] + " …"
    return Found(place=place, before=("… " if start else "") + text[start:spot], hit=text[spot:end], after=after)


def _first(text: str, words: list[str]) -> tuple[int, int] | None:
    """Where the first of the words begins and ends."""
    spots = [(spot, spot + len(word)) for word in words if (spot := text.lower().find(word)) >= 0]
    return min(spots, default=None)


@cache
def _places() -> tuple[Place, ...]:
    return tuple(place for page in pages().values() for place in _cut(page))


def _cut(page: Page) -> Iterator[Place]:
    """The sections of a page: what stands below each heading, until the next one."""
    heading, anchor, is_code = page.title, "", False
    lines, code = list[str](), list[str]()
    for line in text_of(page).splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif is_code:
            code.append(line)
        elif not re.match(r"#{1,4} ", line):
            lines.append(line)
        else:
            if any(lines) or code:
                yield _place(page, heading, anchor, lines, code)
            heading, lines, code = _MARKS.sub("", line).strip(), [], []
            anchor = "" if line.startswith("# ") else anchor_of(heading)
    yield _place(page, heading, anchor, lines, code)


def _place(page: Page, heading: str, anchor: str, lines: list[str], code: list[str]) -> Place:
    text, samples = (_SPACE.sub(" ", _MARKS.sub("", "\n".join(part))).strip() for part in (lines, code))
    lowered = f"{page.title} {heading} {text} {samples}".lower()
    return Place(page=page, heading=heading, anchor=anchor, text=text, code=samples, lowered=lowered)
