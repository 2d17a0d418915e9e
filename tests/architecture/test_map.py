"""docs/map.md is true: what it names is there, and its walks are short."""

import re

from tests.architecture.source import ROOT

MAP = (ROOT / "docs" / "map.md").read_text()
MOST_FILES = 8
WALKS = MAP.partition("## Five walks")[2].partition("\n## ")[0]
ROW = re.compile(r"^\| `([^`]+)` \| `(\w+)` \| (.+) \|$", re.M)
PATH = re.compile(r"`((?:[a-z_]+/)+[\w.]*)`")
"""What is written like a path of the repository. Paths of the interface begin with a slash."""
BELOW = ("", "payments", "mcp")
"""Where a path may begin: a paragraph about an app leaves its name out."""


def is_there(path: str) -> bool:
    return any((ROOT / place / path).exists() for place in BELOW)


def defines(path: str, name: str) -> bool:
    text = (ROOT / path).read_text()
    return re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b.* = |{{% block {name} %}}", text, re.M) is not None


def test_every_path_that_the_map_names_is_there() -> None:
    paths = PATH.findall(MAP)
    assert [path for path in paths if not is_there(path)] == []
    assert len(paths) > len(WALKS.split("\n\n**"))
    assert not is_there("payments/views.py")


def test_five_walks_lead_through_eight_files_at_most_and_say_where_to_begin() -> None:
    walks = [ROW.findall(walk) for walk in WALKS.split("\n\n**")[1:]]
    assert [1 < len(walk) <= MOST_FILES for walk in walks] == [True] * 5
    steps = [(path, name) for walk in walks for path, name, _ in walk]
    assert [step for step in steps if not defines(*step)] == []
    assert not defines("payments/services/outcome.py", "concluded")
