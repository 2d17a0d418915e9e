"""The pages of `docs`: their headings, by the anchors that GitHub makes of them, and what stands below each."""

import posixpath
import re
from functools import cache

from scripts.suite.steps import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(((?!(?:\.\./)*adr/)(?:[\w./-]+\.md)?(?:#[\w-]+)?)\)")
"""A link to another page, or to a heading of one. Links to elsewhere, to code and to decisions are not looked at."""
_HEADING = re.compile(r"^(#+) (.+)$")


def anchor_of(heading: str) -> str:
    """The anchor of a heading. Source: https://docs.github.com/en/get-started/writing-on-github, section links."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def sections_of(page: str) -> dict[str, str]:
    """What stands below each heading of a page, those of lower rank included; below the empty anchor all of it.

    Raises: FileNotFoundError.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    found, open_ones, fenced = {"": text}, list[tuple[int, str]](), False
    for line in text.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading:
            rank = len(heading[1])
            open_ones = [one for one in open_ones if one[0] < rank]
            open_ones.append((rank, anchor_of(heading[2])))
        for _, anchor in open_ones:
            found[anchor] = found.get(anchor, "") + line
    return found


def leads_nowhere(page: str, link: str) -> bool:
    """Whether a link of a page names a page or a heading that is not there."""
    name, _, anchor = link.partition("#")
    try:
        return anchor not in sections_of(_target(page, name))
    except FileNotFoundError:
        return True


def below(page: str, link: str) -> str:
    """What stands where a link of a page leads. Raises: FileNotFoundError, KeyError."""
    name, _, anchor = link.partition("#")
    return sections_of(_target(page, name))[anchor]


def _target(page: str, name: str) -> str:
    """The page that a link of another one names, below `docs`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) if name else page
