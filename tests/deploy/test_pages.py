"""What an operator looks for is found: alerts and words of the log by an index, and twenty questions by a list."""

import re
from collections.abc import Iterator

import pytest

from scripts.suite.steps import ROOT
from tests.architecture.source import APPS
from tests.deploy.pages import DOCS, LINK, anchor_of, below, leads_nowhere, sections_of
from tests.deploy.test_alerts import rules

PAGES = ("operators.md", "install.md", "absences.md", "capacity.md", "questions.md")
"""Those for whoever runs the service: no link of theirs leads nowhere."""
LOGGED = re.compile(r"\.(?:error|critical|exception)\(\s*\"([a-z]+(?:_[a-z]+)+)\b")
INDEX = "where-to-look"
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
NUMBERED = re.compile(r"^\d+\. (.+?) → (\[.+)$", re.MULTILINE)
MUST_STAND_THERE = re.compile(r"\*\*(.+?)\*\*")


@pytest.mark.parametrize("page", PAGES)
def test_no_link_leads_nowhere(page: str) -> None:
    links = [link for link in LINK.findall((DOCS / page).read_text(encoding="utf-8")) if link]
    assert [link for link in links if leads_nowhere(page, link)] == []
    assert len(links) >= 5  # noqa: PLR2004 - planted: a pattern that finds nothing


def test_planted_links_lead_nowhere() -> None:
    assert [leads_nowhere("operators.md", link) for link in ("#nowhere", "nobody.md", "live.md#nowhere")] == [True] * 3
    assert not leads_nowhere("operators.md", "live.md#localnet")
    assert anchor_of("What holds it up, and what to do") == "what-holds-it-up-and-what-to-do"
    assert anchor_of("`ai_pick`") == "ai_pick"


def test_the_index_names_every_alert() -> None:
    linked = set(LINK.findall(sections_of("operators.md")[INDEX]))
    assert {f"#{rule['alert'].lower()}" for rule in rules()} - linked == set()


def logged() -> set[str]:
    """The words by which lines of level error and critical begin, in the code."""
    files = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    return {word for path in files for word in LOGGED.findall(path.read_text(encoding="utf-8"))}


def explained() -> Iterator[tuple[str, str]]:
    """Each word of the index, and what stands where it leads."""
    for words, where in ROW.findall(sections_of("operators.md")["words-of-the-log"]):
        for link in LINK.findall(where):
            yield from ((word, below("operators.md", link)) for word in re.findall(r"`(\w+)`", words))


def test_every_word_of_the_log_is_in_the_index_and_stands_where_that_leads() -> None:
    known = dict(explained())
    assert logged() ^ known.keys() == set()
    assert [word for word, text in known.items() if word not in text] == []
    assert len(known) >= 20  # noqa: PLR2004 - planted: a pattern that finds nothing


def answers() -> list[tuple[str, list[str]]]:
    """Each question of the list, and where its answer stands."""
    text = (DOCS / "questions.md").read_text(encoding="utf-8")
    return [(question, LINK.findall(where)) for question, where in NUMBERED.findall(text)]


def test_twenty_questions_of_an_operator_are_answered_where_the_list_says() -> None:
    """What is bold in a question is what must stand there: who looks for it by these words finds it."""
    asked = answers()
    assert len(asked) >= 20  # noqa: PLR2004 - as many were asked for
    for question, links in asked:
        there = "\n".join(below("questions.md", link) for link in links).lower()
        words = MUST_STAND_THERE.findall(question)
        assert links, question
        assert words, question
        assert [word for word in words if word.lower() not in there] == [], question
