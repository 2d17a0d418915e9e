"""The payer's page behind the claim link: it says how the refund stands, and nothing of anybody."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from chains.registry import Family
from merchants.models import Merchant
from refunds.models import Refund
from refunds.simulated_proof import SIMULATED_ADDRESSES, is_simulated_signature, simulated_signature
from tests.merchants.people import text_of
from tests.refunds.claiming import ELSEWHERE, PAYER, waiting_refund
from tests.refunds.stories import NOWHERE

pytestmark = pytest.mark.usefixtures("db")
SIMULATED = Path(__file__).parents[2] / "checkout" / "static" / "checkout" / "wallets" / "simulated.js"


def page_of(refund: Refund | str, **headers: str) -> Any:
    """The page, as anybody with the link sees it."""
    return Client(headers=headers).get(f"/claim/{refund if isinstance(refund, str) else refund.pk}")


def test_it_shows_what_comes_and_asks_for_the_wallet(merchant: Merchant) -> None:
    page = text_of(page_of(waiting_refund(merchant)))
    for words in ("25.00 <small>USDC</small>", "USDC on Base", "Your refund waits for an address.", "$25.00"):
        assert words in page, words
    assert "refunds/claim.js" in page


def test_it_names_nobody(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    type(refund.intent).objects.filter(pk=refund.intent_id).update(customer_email="payer@example.org")
    for status, destination in (("waiting", ""), ("queued", ELSEWHERE), ("paid", ELSEWHERE)):
        Refund.objects.filter(pk=refund.pk).update(status=status, destination=destination)
        page = text_of(page_of(refund))
        for secret in (merchant.name, "payer@example.org", PAYER.address, ELSEWHERE, refund.intent.settlement_address):
            assert secret not in page, (status, secret)
    assert f"…{ELSEWHERE[-6:]}" in page


STATES = {
    "queued": "Your refund is on its way.",
    "processing": "Your refund is being sent.",
    "retry_scheduled": "Your refund could not be sent yet.",
    "paid": "Your refund was paid.",
    "failed": "This refund could not be paid.",
    "cancelled": "This refund was cancelled.",
}


@pytest.mark.parametrize("status", STATES)
def test_every_status_has_its_words_and_asks_no_wallet(merchant: Merchant, status: str) -> None:
    refund = waiting_refund(merchant)
    Refund.objects.filter(pk=refund.pk).update(status=status, failure_reason="")
    page = text_of(page_of(refund))
    assert STATES[status] in page
    assert 'id="panel"' not in page


def test_its_answer_is_kept_and_framed_by_nobody(merchant: Merchant) -> None:
    answer = page_of(waiting_refund(merchant))
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert not answer.cookies
    policy = answer.headers["Content-Security-Policy"]
    for rule in ("require-trusted-types-for 'script'", "trusted-types 'none'", "script-src 'self'"):
        assert rule in policy, policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("text", [NOWHERE, "x", "0" * 500, "%00"], ids=["unknown", "word", "long", "nul"])
def test_unknown_links_are_a_calm_404(text: str) -> None:
    answer = page_of(text)
    assert answer.status_code == 404
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_looking_is_counted_per_address(merchant: Merchant, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    refund = waiting_refund(merchant)
    answers: list[int] = []
    while 429 not in answers and len(answers) < 200:  # some flow back while a slow machine asks
        answers.append(page_of(refund).status_code)
    assert answers[:60] == [200] * 60
    assert answers[-1] == 429


def test_a_hostile_reason_stays_text(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    Refund.objects.filter(pk=refund.pk).update(reason="</script><script>alert(1)</script>\u202e")
    page = text_of(page_of(refund))
    assert "<script>alert" not in page
    assert "<bdi>&lt;/script&gt;" in page


def test_only_reading_is_allowed(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    assert Client().post(f"/claim/{refund.pk}").status_code == 405


def test_both_sides_know_the_same_simulated_wallets() -> None:
    accounts = SIMULATED.read_text().partition("const ACCOUNTS")[2].partition("};")[0]
    assert set(re.findall(r'"(\w{30,})"', accounts)) == SIMULATED_ADDRESSES


def test_a_play_signature_has_the_form_of_its_family() -> None:
    for family, address, length in (
        (Family.EVM, "0x7e57000000000000000000000000000000000001", 65),
        (Family.SOLANA, "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9", 64),
    ):
        given = simulated_signature(family, address, "text")
        assert len(given) == length
        assert is_simulated_signature(family, address, "text", given)
        assert not is_simulated_signature(family, address, "other", given)
        assert not is_simulated_signature(family, ELSEWHERE, "text", simulated_signature(family, ELSEWHERE, "text"))
