"""A ``Source:`` leads somewhere: to a page of this repository and a heading of it, or to a text outside.

Outside means a link or a numbered standard, which everybody can open. The specification is named without its path,
since its sections are not the headings of docs/specification.md.
"""

import functools
import re
from collections.abc import Iterator

from tests.architecture.source import ROOT, Module, app_modules, parse, written_files

SOURCE = re.compile(r'\bSource: (.+?)(?=\.\s|\.?"""|\n\s*#?\s*\n|\Z)', re.DOTALL)
SPLIT = re.compile(r"\bSource:[ \t]*\n")
"""A source on the line below its word is seen by nobody who looks for one."""
OUTSIDE = re.compile(r"https?://|\bRFC \d|\b(?:EIP|ERC|CAIP)-\d")
RECORD = re.compile(r"(?:docs/adr/|ADR )0*(\d+)\b")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
PAGE = re.compile(r"(?P<page>docs/[\w/.-]+\.md)(?:, (?P<heading>.+))?")
REMARK = re.compile(r" \([^()]*\)$")
PATH = re.compile(r"[\w./-]*\w")


def dead_sources(module: Module) -> list[str]:
    """Every source of a module that leads nowhere, part by part: several are kept apart by semicolons."""
    found = [(match.start(), part) for match in SOURCE.finditer(module.text) for part in _parts(match[1])]
    dead = [(at, why) for at, part in found if (why := _fault(part))]
    dead += [(match.start(), "nothing on the line of its word") for match in SPLIT.finditer(module.text)]
    return [f"{module.path}:{module.text.count(chr(10), 0, at) + 1}: {why}" for at, why in sorted(dead)]


def _parts(source: str) -> Iterator[str]:
    one_line = re.sub(r"\s*\n\s*#?\s*", " ", source)
    return (part.strip() for part in one_line.split(";"))


def _fault(part: str) -> str:
    """Why a part leads nowhere; empty where it leads somewhere."""
    if OUTSIDE.search(part) or part.startswith("specification"):
        return ""
    if record := RECORD.match(part):
        return "" if int(record[1]) in _records() else f"no such decision record: {part}"
    if page := PAGE.fullmatch(REMARK.sub("", part)):
        return _fault_of_page(page["page"], page["heading"])
    return "" if _openable().intersection(PATH.findall(part)) else f"leads nowhere: {part}"


def _fault_of_page(page: str, heading: str | None) -> str:
    if page not in _openable():
        return f"no such page: {page}"
    return "" if heading is None or heading in _headings(page) else f"no such heading in {page}: {heading}"


@functools.cache
def _openable() -> frozenset[str]:
    """The paths of the project, and the dotted names of its modules."""
    paths = {path.relative_to(ROOT).as_posix() for path in written_files()}
    return frozenset(name for name in paths | {module.dotted for module in app_modules()} if "/" in name or "." in name)


@functools.cache
def _records() -> frozenset[int]:
    return frozenset(int(path.name.split("-")[0]) for path in (ROOT / "docs" / "adr").glob("[0-9]*.md"))


@functools.cache
def _headings(page: str) -> frozenset[str]:
    return frozenset(HEADING.findall((ROOT / page).read_text(encoding="utf-8")))


def test_every_source_leads_somewhere() -> None:
    assert [place for module in app_modules() for place in dead_sources(module)] == []


def test_planted_sources_are_noticed() -> None:
    text = '''
"""Source: the contract, Limits."""
"""Source: docs/design/money.md, Dusk."""
"""Source: docs/design/monkey.md, Dust."""
"""Source: docs/adr/9999."""
"""Source: specification, Limits; rulings, Money columns."""
"""Why so long. Source:
https://example.org."""
# Source: solana.com/docs, how much
# fits into a transaction.
'''
    assert dead_sources(parse("payments/planted.py", text)) == [
        "payments/planted.py:2: leads nowhere: the contract, Limits",
        "payments/planted.py:3: no such heading in docs/design/money.md: Dusk",
        "payments/planted.py:4: no such page: docs/design/monkey.md",
        "payments/planted.py:5: no such decision record: docs/adr/9999",
        "payments/planted.py:6: leads nowhere: rulings, Money columns",
        "payments/planted.py:7: nothing on the line of its word",
        "payments/planted.py:9: leads nowhere: solana.com/docs, how much fits into a transaction",
    ]


def test_honest_sources_pass() -> None:
    text = '''
"""Source: docs/design/money.md, Dust. The bound is never above the amount."""
"""Source: docs/guides/refunds.md, Its life, in two vocabularies; docs/guides/webhooks.md."""
"""Source: docs/adr/0044 (Bounds); ADR 7; docs/adr/0048-a-restored-database-pays-nothing-again.md."""
"""Source: specification, Limits (quote validity window); RFC 9110; EIP-1271."""
"""Source: https://docs.li.fi, tokens; as chains.calldata.lifi."""
# Source: payments/routing/reasons.py
'''
    assert dead_sources(parse("payments/planted.py", text)) == []
