"""The words of a payer's side: three true parts in every situation, for every refusal, and for all that scripts say."""

import json
import re
from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
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
from core.clock import now
from core.errors import ServiceError
from core.money import UsdAmount
from payments.explanation import Rows, Situation
from payments.explanation.payer_words import PAYER_WORDS
from payments.models import PaymentIntent
from payments.services.reports import FOREIGN
from payments.states import NOT_FOUND, TAKEN, IntentStatus, Problem
from tests.checkout.pages import visit
from tests.conftest import ApiClient
from tests.payments.payer import Payer, context_of
from tests.payments.statuses import intent_in
from tests.payments.world import World, create

FOLDER = Path(page.__file__).parents[1] / "static" / "checkout"
SCRIPTS = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js")}
ALL = "\n".join(SCRIPTS.values())
COMPUTED = {"reset", "allow", "mined", "payStep", "both", "batch", "receipt", "after"}
"""Keys that a script puts together or chooses."""
NOTHING_MOVED = ("No money has moved", "No money reached", "No money moves until")
ELSEWHERE = frozenset({"mcp", "payouts", "refunds", "theatre", "webhooks", "tests"})
"""Apps that no payer's request comes through."""
NOT_FOR_PAYERS = {
    *(
        "conflict",
        "not_acceptable",
        "account_exists",
        "already_member",
        "invitation_over",
        "last_owner",
        "last_operator",
    ),
    *("key_limit", "key_pair_changed", "keys_changed", "origin_limit", "role_not_allowed", "too_many_invitations"),
    *("may_still_land", "not_for_a_wallet", "sender_is_recipient", "shown_to_another_wallet", "wallet_not_awaited"),
    *("currency_unsupported", "intent_not_acceptable", "intent_not_cancellable", "intent_not_settled"),
    *("metadata_invalid", "return_url_not_allowed", "second_person_required", "settlement_address_invalid"),
    *("settlement_address_not_allowed", "settlement_address_unproven", "settlement_change_over"),
    *("settlement_change_waits", "settlement_pair_unsupported", "settlement_profile_missing"),
    *("settlement_signature_wrong", "settlement_unchanged"),
    *("authorization_already_used", "authorization_not_offered", "authorization_unfit", "authorization_unsigned"),
    *("authorization_untimely", "authorization_unused", "payment_malformed"),
}
"""Refusals of what merchants ask, of their own wallets, and of programs; and ``conflict``, a root of others."""
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


def refusals() -> set[tuple[str, str]]:
    """Every refusal of the service: its app, its code."""
    assert get_resolver().url_patterns, "all apps are imported"
    kinds: list[type[ServiceError]] = [ServiceError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {(kind.__module__.partition(".")[0], kind.code) for kind in kinds}


@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
def test_every_refusal_that_a_payer_can_meet_is_one_of_the_problems() -> None:
    found = {code for app, code in refusals() if app not in ELSEWHERE}
    assert sorted(found - set(ANSWERS)) == sorted(NOT_FOR_PAYERS)
    assert sorted(set(ANSWERS.values()) - set(PROBLEMS)) == []
    assert sorted(set(ANSWERS) - found) == ["price_unavailable"], "which is said on an intent, not raised"
    said = ALL + f'"{NOT_FOUND}" "{TAKEN}" "{FOREIGN}"'
    assert [code for code in PROBLEMS if code not in ANSWERS.values() and f'"{code}"' not in said] == []


def test_every_code_has_three_parts_that_the_committed_page_lists_once() -> None:
    told = [(one.code, part) for family in families() for one in family.rows for part in one[1:]]
    assert len(told) > 3 * (len(Situation) * 2 + len(PROBLEMS))
    is_plain = {part: part.isascii() and 5 <= len(part) <= LONGEST and part.endswith(".") for _, part in told}
    assert [code for code, part in told if not is_plain[part]] == []
    assert set(PAYER_WORDS) == set(Situation)
    assert {FALLBACK, *OPENING} <= set(PROBLEMS)
    assert PAGE.read_text(encoding="utf-8") == written(), "docs/guides/failures.md is not current: run `make failures`"


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
        "dropped": {NOT_FOUND, TAKEN, FOREIGN},
    }
    least = {"raised": 8, "mapped": 8, "dropped": 2}
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
    assert (words["answers"], frozenset(words["certain"])) == (ANSWERS, CERTAIN)
    old = Client().get("/checkout/words/en/0123456789ab.json")
    assert (old.status_code, old.headers["Cache-Control"]) == (200, "no-store")
    assert old.content == words_file("en").content, "an old version answers with the words of now"
    version = words_path("en").rsplit("/", 1)[1]
    for language in ("xx", "EN", "en-gb", "..", "%00"):
        assert Client().get(f"/checkout/words/{language}/{version}").status_code == 404, language
