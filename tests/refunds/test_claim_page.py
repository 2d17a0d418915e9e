"""The payer's page behind the claim link: it says how the refund stands, and nothing of anybody."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import gettext, override

from chains.registry import Family
from core.errors import ServiceError
from merchants.models import Merchant
from refunds.claim_words import ANSWERS, PROBLEMS, SENTENCES
from refunds.models import Refund
from refunds.simulated_proof import SIMULATED_ADDRESSES, is_simulated_signature, simulated_signature
from tests.merchants.people import text_of
from tests.refunds.claiming import ELSEWHERE, PAYER, waiting_refund
from tests.refunds.stories import NOWHERE

pytestmark = pytest.mark.usefixtures("db")
ROOT = Path(__file__).parents[2]
SIMULATED = ROOT / "checkout" / "static" / "checkout" / "wallets" / "simulated.js"
WALLETS = tuple(SIMULATED.parent.glob("*.js"))
CLAIM_SCRIPT = ROOT / "refunds" / "static" / "refunds" / "claim.js"


def page_of(refund: Refund | str, **headers: str) -> Any:
    return Client(headers=headers).get(f"/claim/{refund if isinstance(refund, str) else refund.pk}")


def test_it_shows_what_comes_and_is_kept_and_framed_by_nobody(merchant: Merchant, settings: Any) -> None:
    refund = waiting_refund(merchant)
    answer = page_of(refund)
    for words in ("25.00 <small>USDC</small>", "USDC on Base", "Your refund waits for an address.", "$25.00"):
        assert words in text_of(answer), words
    assert "refunds/claim.js" in text_of(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert not answer.cookies
    policy = answer.headers["Content-Security-Policy"]
    for rule in ("require-trusted-types-for 'script'", "trusted-types 'none'", "script-src 'self'"):
        assert rule in policy, policy
    assert "unsafe" not in policy
    assert Client().post(f"/claim/{refund.pk}").status_code == 405
    settings.RATE_LIMIT_SCALE = 1
    assert [page_of(refund).status_code for _ in range(61)] == [200] * 60 + [429]


def test_it_names_nobody_and_a_reason_stays_text(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    type(refund.intent).objects.filter(pk=refund.intent_id).update(customer_email="payer@example.org")
    Refund.objects.filter(pk=refund.pk).update(reason="</script><script>alert(1)</script>\u202e")
    for status, destination in (("waiting", ""), ("queued", ELSEWHERE), ("paid", ELSEWHERE)):
        Refund.objects.filter(pk=refund.pk).update(status=status, destination=destination)
        page = text_of(page_of(refund))
        for secret in (merchant.name, "payer@example.org", PAYER.address, ELSEWHERE, refund.intent.settlement_address):
            assert secret not in page, (status, secret)
        assert "<script>alert" not in page
        assert "<bdi>&lt;/script&gt;" in page
    assert f"…{ELSEWHERE[-6:]}" in page
    for text in (NOWHERE, "x", "0" * 500, "%00"):
        answer = page_of(text)
        assert (answer.status_code, answer.headers["X-Robots-Tag"]) == (404, "noindex, nofollow"), text


WAITING = {
    "de": ("Ihre Rückerstattung wartet auf eine Adresse.", "25,00 <small>"),
    "ar": ("استردادك ينتظر عنوانًا.", "25.00 <small>"),
}


@pytest.mark.spec("Hosted checkout: languages")
@pytest.mark.parametrize("code", WAITING)
def test_it_and_its_scripts_speak_the_payers_language(code: str, merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    by_address = Client().get(f"/claim/{refund.pk}", {"locale": code})
    for answer in (by_address, page_of(refund, accept_language=code)):
        page = text_of(answer)
        assert answer.headers["Content-Language"] == code
        assert all(words in page for words in WAITING[code]), page
        assert f'<html lang="{code}"' in page
        assert ('dir="rtl"' in page) is (code == "ar")
        assert page.count("aria-current") == 1
        assert not answer.cookies
    words = island_of(by_address)["words"]
    with override(code):
        assert words["problems"]["not_payer"] == [gettext(part) for part in PROBLEMS["not_payer"]]
        said = gettext(SENTENCES["help"])
    assert words["sentences"]["help"] == (said.replace("{0}", "\u2068{0}\u2069") if code == "ar" else said)
    assert set(words["problems"]) == set(PROBLEMS)


def island_of(answer: Any) -> Any:
    [found] = re.findall(r'<script id="claim" type="application/json">(.*?)</script>', text_of(answer))
    return json.loads(found)


def test_every_refusal_of_a_claim_has_words() -> None:
    """In three parts, for every code that only claims have, and for none that nothing meets."""
    every = {kind.code for kind in _below(ServiceError)}
    claims = {code for code in every if code.startswith("refund_claim_")}
    assert len(claims) == 9
    assert claims <= set(ANSWERS) <= every
    assert set(ANSWERS.values()) <= set(PROBLEMS)
    for parts in PROBLEMS.values():
        assert all(part.endswith(".") and 5 <= len(part) <= 120 for part in parts), parts
    scripts = "".join(path.read_text() for path in (CLAIM_SCRIPT, CLAIM_SCRIPT.with_name("claim_words.js"), *WALLETS))
    assert [code for code in PROBLEMS if code not in ANSWERS.values() and f'"{code}"' not in scripts] == []


def _below(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _below(one)


STATES = {
    "queued": "Your refund is on its way.",
    "processing": "Your refund is being sent.",
    "retry_scheduled": "Your refund could not be sent yet.",
    "paid": "Your refund was paid.",
    "failed": "This refund could not be paid.",
    "cancelled": "This refund was cancelled.",
}


def test_every_status_has_its_words_and_asks_no_wallet(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    for status, words in STATES.items():
        Refund.objects.filter(pk=refund.pk).update(status=status, failure_reason="")
        page = text_of(page_of(refund))
        assert (words in page, 'id="panel"' in page) == (True, False), status
    Refund.objects.filter(pk=refund.pk).update(status="paid")
    assert island_of(page_of(refund))["words"] == {}


def test_both_sides_know_the_same_simulated_wallets_and_the_form_of_their_signatures() -> None:
    accounts = SIMULATED.read_text().partition("const ACCOUNTS")[2].partition("};")[0]
    assert set(re.findall(r'"(\w{30,})"', accounts)) == SIMULATED_ADDRESSES
    for family, address, length in (
        (Family.EVM, "0x7e57000000000000000000000000000000000001", 65),
        (Family.SOLANA, "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9", 64),
    ):
        given = simulated_signature(family, address, "text")
        assert len(given) == length
        assert is_simulated_signature(family, address, "text", given)
        assert not is_simulated_signature(family, address, "other", given)
        assert not is_simulated_signature(family, ELSEWHERE, "text", simulated_signature(family, ELSEWHERE, "text"))
