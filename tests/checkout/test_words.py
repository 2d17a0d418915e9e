"""The words of a payer's side: three true parts in every situation, for every refusal, and for all that scripts say."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver

from checkout.messages import Message, message_for
from checkout.words import page
from checkout.words.answers import ANSWERS
from checkout.words.catalogue import words_file, words_path
from checkout.words.failures import payer_sentences
from checkout.words.problems import BEFORE, CERTAIN, FALLBACK, OPENING, PROBLEMS
from config.failures_page import PAGE, families, written
from core import errors, exception_handler
from core.clock import now
from core.errors import ServiceError
from core.money import UsdAmount
from payments.explanation import Rows, Situation, payer_words
from payments.explanation.payer_words import PAYER_WORDS
from payments.models import PaymentIntent
from payments.services import follow
from payments.states import IntentStatus, Problem
from tests.checkout.pages import visit
from tests.conftest import ApiClient
from tests.payments.payer import Payer, context_of
from tests.payments.statuses import intent_in
from tests.payments.world import World, create

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(page.__file__).parents[1] / "static" / "checkout"
SCRIPTS = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js")}
ALL = "\n".join(SCRIPTS.values())
FOLLOW = Path(follow.__file__).read_text(encoding="utf-8")
COMPUTED = {"reset", "allow", "mined", "payStep", "both", "batch", "receipt", "after"}
"""Keys that a script puts together or chooses."""
NOTHING_MOVED = ("No money has moved", "No money reached", "No money moves until")
DOORS = ("checkout.views", "payments.services.attempts", "merchants.idempotency")
OURS = frozenset({"checkout", "payments", "merchants", "core", "chains", "tokens", "webhooks"})
NOT_FOR_PAYERS = {
    *("conflict", "key_limit", "keys_changed", "key_pair_changed", "not_acceptable", "origin_limit"),
    *("signing_secret_changed", "unknown_event_type", "webhook_endpoint_disabled", "webhook_endpoint_exists"),
    *("webhook_endpoint_limit", "webhook_url_not_allowed"),
}
"""Raised in modules that the payer's doors import, for others: the merchant's keys, origins and webhooks, agents; and
``conflict`` is a root of other refusals."""
LONGEST = 120


def message_in(status: str, received: str = "0", **more: object) -> Message:
    """What is said of an intent over 25 dollars that nothing else is known of."""
    money = {"amount": UsdAmount(Decimal(25)), "received_usd": UsdAmount(Decimal(received))}
    intent = PaymentIntent(status=status, expires_due_at=now() + timedelta(minutes=5), **money, **more)
    return message_for(Rows(intent, now(), legs=[], attempt=None, credits=[], last_step=None))


@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
@pytest.mark.spec("Hosted checkout: where the money is")
def test_every_situation_has_three_true_parts() -> None:
    last_errors, received = ["", *Problem.values], ("0", "15", "25", "50")
    for status, last_error, amount, in_doubt in product(IntentStatus.values, last_errors, received, (True, False)):
        message = message_in(status, amount, last_error_code=last_error, in_doubt=in_doubt)
        for part in fields(message):
            text = getattr(message, part.name)
            assert text
            assert part.name == "code" or text.endswith((".", "!"))
        if amount == "15" and not in_doubt:
            assert not message.money.startswith(NOTHING_MOVED), message


def test_a_top_up_says_that_something_is_there(world: World, api: ApiClient) -> None:
    payer = Payer.of(intent_in(world, api, "partially_filled"))
    payer.quote(world)
    message = payer.state()["message"]
    assert message["code"].startswith("quoted")
    assert "merchant" in message["money"]


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
        place = ROOT.joinpath(*module.split("."))
        path = next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)
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


@pytest.mark.slow
@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
def test_every_refusal_that_a_payer_can_meet_is_one_of_the_problems() -> None:
    assert get_resolver().url_patterns
    kinds = [kind for module in (errors, exception_handler) for kind in vars(module).values()]
    found = {kind.code for kind in kinds if isinstance(kind, type) and issubclass(kind, ServiceError)}
    found |= {code for module, tree in behind_the_doors().items() for code in raised(module, tree)}
    assert {"quote_expired", "in_doubt", "rate_limited", "checkout_token_invalid", "transaction_altered"} <= found
    assert sorted(found - set(ANSWERS) - NOT_FOR_PAYERS) == []
    assert sorted(NOT_FOR_PAYERS - found) == []
    assert sorted(set(ANSWERS.values()) - set(PROBLEMS)) == []


def test_no_refusal_is_explained_that_does_not_exist() -> None:
    below, every = [ServiceError], {ServiceError.code}
    while below:
        below = [each for kind in below for each in kind.__subclasses__()]
        every |= {kind.code for kind in below}
    assert sorted(set(ANSWERS) - every - {"price_unavailable"}) == []  # said on an intent, not raised
    said = ALL + FOLLOW
    assert [code for code in PROBLEMS if code not in ANSWERS.values() and f'"{code}"' not in said] == []


def test_every_code_has_three_parts_that_the_committed_page_lists_once() -> None:
    told = [(one.code, part) for family in families() for one in family.told for part in one[1:]]
    assert len(told) > 3 * (len(Situation) * 2 + len(PROBLEMS))
    is_plain = {part: part.isascii() and 5 <= len(part) <= LONGEST and part.endswith(".") for _, part in told}
    assert [code for code, part in told if not is_plain[part]] == []
    assert set(PAYER_WORDS) == set(Situation)
    assert {FALLBACK, *OPENING} <= set(PROBLEMS)
    listed = payer_sentences()
    assert len(listed) == len(set(listed))
    assert {payer_words.NOT_SEEN, payer_words.PART_ARRIVED, *BEFORE["perhaps"]} <= set(listed)
    assert {part for parts in PROBLEMS.values() for part in parts} <= set(listed)
    assert PAGE.read_text(encoding="utf-8") == written(), "docs/failures.md is not current: run `make failures`"


def test_nothing_is_called_unsent_unless_it_is_marked_so() -> None:
    """So that the page can say otherwise once a wallet's answer was unclear."""
    claims = {code for code, parts in PROBLEMS.items() if parts.money.startswith("No payment was sent.")}
    assert claims == CERTAIN
    assert not {"wallet_unclear", "batch_pending", "other_tab", "moved_on", "in_doubt", "tx_not_found"} & CERTAIN
    loose = [text for text in payer_sentences() if "othing was sent" in text or "othing more was sent" in text]
    assert loose == [BEFORE["paid"][0]]


def test_every_outcome_and_problem_that_a_script_can_tell_has_words() -> None:
    for code, (happened, *rest) in (PROBLEMS | page.MOMENTS).items():
        assert re.fullmatch(r"[A-Z].+", happened), code
        assert [part for part in rest if not re.fullmatch(r"[A-Z].+\.", part)] == [], code
    numbers = r"(?:-?\d{3,5}\]?|rate_limited|route_unavailable|price_unavailable|quote_expired|transaction_altered)"
    known = {
        "raised": set(re.findall(r'(?:Problem\(|refuse\(|problemOf\(error, |code: )"([a-z_]+)"', ALL)),
        "mapped": set(re.findall(numbers + r': "([a-z_]+)"', ALL)),
        "dropped": set(re.findall(r'_drop_hint\(leg, "([a-z_]+)"', FOLLOW)),
    }
    least = {"raised": 8, "mapped": 8, "dropped": 1}
    assert [name for name, codes in known.items() if len(codes) <= least[name] or codes - set(PROBLEMS)] == []


def test_every_sentence_that_a_script_says_is_there_and_none_is_left_over() -> None:
    # Why not all scripts: frame.js says things to the merchant's page by a function of the same name.
    speaking = "\n".join(script for script in SCRIPTS.values() if 'words.js"' in script)
    said = set(re.findall(r'\bsay\("(\w+)"', speaking)) | COMPUTED
    assert said == set(page.OPENING) | set(page.LATER)
    names = ("main.js", "view.js", "state.js", "api.js", "poll.js", "wallets/discovery.js")
    first = "\n".join(SCRIPTS[name] for name in names)
    assert set(re.findall(r'\bsay\("(\w+)"', first)) == set(page.OPENING), "what is said first stands in the page"


def test_the_page_brings_its_first_words_and_says_where_the_others_are(api: ApiClient) -> None:
    context = context_of(visit(create(api)["id"]).content)
    assert context["words"]["sentences"] == page.OPENING
    assert context["words"]["problems"] == {"unreachable": list(PROBLEMS["unreachable"])}
    answer = Client().get(context["words_url"])
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    words = json.loads(answer.content)
    assert words["sentences"] == page.LATER
    assert words["problems"] == {code: list(parts) for code, parts in PROBLEMS.items()}
    assert set(words) == {"sentences", "names", "moments", "problems", "answers", "certain", "before"}
    assert words["answers"] == ANSWERS
    assert frozenset(words["certain"]) == CERTAIN
    assert words["before"] == {when: list(parts) for when, parts in BEFORE.items()}

    old = Client().get("/checkout/words/en/0123456789ab.json")
    assert (old.status_code, old.headers["Cache-Control"]) == (200, "no-store")
    assert old.content == words_file("en").content, "an old version answers with the words of now"
    version = words_path("en").rsplit("/", 1)[1]
    for language in ("xx", "EN", "en-gb", "..", "%00"):
        assert Client().get(f"/checkout/words/{language}/{version}").status_code == 404, language
