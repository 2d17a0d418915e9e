"""The failure catalogue: no code without three parts, no refusal of a payer without words, a current page."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from django.urls import get_resolver

from checkout.words.answers import ANSWERS
from checkout.words.failures import payer_sentences
from checkout.words.problems import BEFORE, CERTAIN, FALLBACK, OPENING, PROBLEMS
from config.failures_page import PAGE, families, written
from core import errors, exception_handler
from core.errors import ServiceError
from payments.explanation import Situation, payer_words
from payments.explanation.payer_words import PAYER_WORDS

ROOT = Path(__file__).resolve().parents[2]
DOORS = ("checkout.views", "payments.services.attempts", "merchants.idempotency")
OURS = frozenset({"checkout", "payments", "merchants", "core", "chains", "tokens", "webhooks"})
NOT_FOR_PAYERS = {
    "conflict": "a root of other refusals",
    "key_limit": "the merchant's keys",
    "keys_changed": "the merchant's keys",
    "key_pair_changed": "the merchant's keys",
    "not_acceptable": "the agents' door alone",
    "origin_limit": "the merchant's own list",
    "signing_secret_changed": "the merchant's webhooks",
    "unknown_event_type": "the merchant's webhooks",
    "webhook_endpoint_disabled": "the merchant's webhooks",
    "webhook_endpoint_exists": "the merchant's webhooks",
    "webhook_endpoint_limit": "the merchant's webhooks",
    "webhook_url_not_allowed": "the merchant's webhooks",
}
"""Raised in modules that the payer's doors import, for other callers of them; and why no payer meets them."""
LONGEST = 120


def source_of(module: str) -> Path | None:
    """The file of a module of ours."""
    place = ROOT.joinpath(*module.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module of ours that a source names, and what it takes of it in case that is a module too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def behind_the_doors() -> dict[str, ast.AST]:
    """Every module that a payer's request can come through, read."""
    views = (f"checkout.views.{path.stem}" for path in (ROOT / "checkout" / "views").glob("*.py"))
    todo, read = [*DOORS, *views], dict[str, ast.AST]()
    while todo:
        module = todo.pop()
        path = source_of(module)
        if path is not None and module not in read:
            read[module] = ast.parse(path.read_text(encoding="utf-8"))
            todo.extend(imported(read[module]))
    return read


def raised(module: str, tree: ast.AST) -> Iterator[str]:
    """The codes of the refusals that a module raises by name."""
    known = vars(import_module(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found = known.get(kind.id) if isinstance(kind, ast.Name) else None
            if isinstance(found, type) and issubclass(found, ServiceError):
                yield found.code


def reachable() -> set[str]:
    """The code of every refusal that a payer's request can be answered with."""
    assert get_resolver().url_patterns
    everywhere = {
        kind.code
        for module in (errors, exception_handler)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, ServiceError)
    }
    return everywhere | {code for module, tree in behind_the_doors().items() for code in raised(module, tree)}


@pytest.mark.slow
@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
def test_every_refusal_that_a_payer_can_meet_is_one_of_the_problems() -> None:
    found = reachable()
    assert {"quote_expired", "in_doubt", "rate_limited", "checkout_token_invalid", "transaction_altered"} <= found
    assert sorted(found - set(ANSWERS) - set(NOT_FOR_PAYERS)) == []
    assert sorted(set(NOT_FOR_PAYERS) - found) == []
    assert sorted(set(ANSWERS.values()) - set(PROBLEMS)) == []


def test_no_refusal_is_explained_that_does_not_exist() -> None:
    kinds, every = [ServiceError], {ServiceError.code}
    while kinds:
        kinds = [below for kind in kinds for below in kind.__subclasses__()]
        every |= {kind.code for kind in kinds}
    assert sorted(set(ANSWERS) - every - {"price_unavailable"}) == []  # said on an intent, not raised


def test_every_code_has_three_parts() -> None:
    told = [(one.code, part) for family in families() for one in family.told for part in one[1:]]
    assert len(told) > 3 * (len(Situation) * 2 + len(PROBLEMS))
    assert [
        code for code, part in told if not (part.isascii() and 5 <= len(part) <= LONGEST and part.endswith("."))
    ] == []
    assert set(PAYER_WORDS) == set(Situation)
    assert {FALLBACK, *OPENING} <= set(PROBLEMS)


def test_nothing_is_called_unsent_unless_it_is_marked_so() -> None:
    """So that the page can say otherwise once a wallet's answer was unclear."""
    claims = {code for code, parts in PROBLEMS.items() if parts.money.startswith("No payment was sent.")}
    assert claims == CERTAIN
    assert not {"wallet_unclear", "batch_pending", "other_tab", "moved_on", "in_doubt", "tx_not_found"} & CERTAIN
    loose = [text for text in payer_sentences() if "othing was sent" in text or "othing more was sent" in text]
    assert loose == [BEFORE["paid"][0]]


def test_the_whole_of_what_payers_read_is_listed_once() -> None:
    listed = payer_sentences()
    assert len(listed) == len(set(listed))
    assert {payer_words.NOT_SEEN, payer_words.PART_ARRIVED, *BEFORE["perhaps"]} <= set(listed)
    assert {part for parts in PROBLEMS.values() for part in parts} <= set(listed)


def test_every_problem_is_raised_somewhere() -> None:
    paths = [*(ROOT / "checkout" / "static").rglob("*.js"), ROOT / "payments" / "services" / "follow.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    assert [code for code in PROBLEMS if code not in ANSWERS.values() and f'"{code}"' not in text] == []


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "docs/failures.md is not current: run `make failures`"
