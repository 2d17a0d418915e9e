"""The guides are read once: short sentences of short words, in lines that an editor shows whole.

The grade is Flesch and Kincaid's (https://en.wikipedia.org/wiki/Flesch-Kincaid_readability_tests): school years.
"""

import re

import pytest

from guides.library import groups
from tests.architecture.source import ROOT

MOST_GRADE, MOST_LETTERS = 10.0, 160
GUIDES = {page.slug: ROOT / "docs" / page.file for page in groups()[0].sections[0].pages}
_NO_PROSE = re.compile(r"^ *```[\s\S]*?^ *```$|^ *\|.*$|^#+ .*$|<[^>]*>", re.MULTILINE)
_CODE, _LINK = re.compile(r"`[^`]*`"), re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BULLET = re.compile(r"^ *(?:[-*]|\d+\.) +(?:\[ \] )?", re.MULTILINE)
_END = re.compile(r"[.!?](?:\s|$)|\n\s*\n")
_WORD, _VOWELS = re.compile(r"[A-Za-z]+(?:'[a-z]+)?"), re.compile(r"[aeiouy]+")


def prose(text: str) -> str:
    """Sentences alone. A name in code counts as one short word, for it is read as one."""
    plain = _LINK.sub(r"\1", _CODE.sub("code", _NO_PROSE.sub("", text)))
    return _BULLET.sub("\n\n", plain).replace("*", "")


def syllables(word: str) -> int:
    found = len(_VOWELS.findall(word.lower().removesuffix("e") if len(word) > 3 else word.lower()))
    return max(1, found)


def grade(text: str) -> float:
    words = _WORD.findall(prose(text))
    sentences = [part for part in _END.split(prose(text)) if _WORD.search(part)]
    heavy = sum(map(syllables, words)) / len(words)
    return 0.39 * len(words) / len(sentences) + 11.8 * heavy - 15.59


def long_lines(text: str) -> list[int]:
    """Lines of prose and of code. A row of a table cannot be broken."""
    lines = enumerate(text.splitlines(), 1)
    return [number for number, line in lines if len(line) > MOST_LETTERS and not line.lstrip().startswith("|")]


@pytest.mark.parametrize("name", sorted(GUIDES))
def test_a_guide_is_read_once(name: str) -> None:
    text = GUIDES[name].read_text(encoding="utf-8")
    assert grade(text) <= MOST_GRADE
    assert long_lines(text) == []


def test_the_grade_tells_plain_from_heavy() -> None:
    assert grade("You send a key. The service answers. You wait until it is paid.") < 3
    heavy = (
        "Notwithstanding considerable organisational complexities, administrators systematically reconcile liabilities"
    )
    assert grade(f"{heavy} and subsequently communicate irregularities to responsible authorities.") > 20
    assert prose(
        "# Heavy\n\n| incomprehensibilities |\n\n```sh\ncurl x\n```\n\nSee [it](a.md) in `incomprehensible`."
    ) == ("\n\n\n\n\n\nSee it in code.")
    assert long_lines("a" * 161 + "\n| " + "b" * 200) == [1]
