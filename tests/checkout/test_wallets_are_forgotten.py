"""Whose wallet paid, and what it held, is nobody's to read once the payment is over: the link stays in mails."""

from typing import Any

import pytest

from payments.models import PayerWallet
from tests.conftest import ApiClient
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.world import World, create, read

MINE, ANOTHERS = "a" * 43, "b" * 43


def seen(intent: dict[str, Any], browser: str) -> dict[str, Any]:
    """The state for somebody who opens the link now."""
    return Payer.of(intent, browser=browser).state()


@pytest.mark.parametrize("browser", [MINE, ""])
def test_a_settled_payment_shows_no_wallet(browser: str, world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=browser)
    attempt = payer.start(world)
    assert (attempt["refund_to"], payer.state()["wallet"]["address"]) == (EVM_WALLET, EVM_WALLET)
    payer.pay(attempt)
    world.run(10)
    assert read(api, intent)["status"] == "settled"
    for who in {browser, "", MINE, ANOTHERS}:
        state = seen(intent, who)
        assert (state["wallet"], (state["attempt"] or {}).get("refund_to", "")) == (None, "")
        assert EVM_WALLET not in str(state)
    assert not PayerWallet.objects.exists()


@pytest.mark.parametrize("end", ["cancelled", "expired"])
def test_one_that_ended_unpaid_keeps_no_wallet(end: str, world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent, browser=MINE).quote(world)
    assert PayerWallet.objects.get().tokens
    if end == "cancelled":
        assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    else:
        world.run(31 * 60)
    assert read(api, intent)["status"] == end
    assert not PayerWallet.objects.exists()
    assert EVM_WALLET not in str(seen(intent, MINE))


def test_others_see_no_wallet_before_either(world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent, browser=MINE).quote(world)
    for who in ("", ANOTHERS):
        state = seen(intent, who)
        assert (state["wallet"], state["attempt"]) == (None, None)
        assert EVM_WALLET not in str(state)


def test_a_repeat_of_the_quote_is_answered_after_the_end(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    token = payer.connect()[0]
    wish = {"chain": token["chain"], "token_address": token["token_address"]}
    payer.act("quote", wish, Idempotency_Key="one")
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    again = payer.send("POST", "/quote", wish, Idempotency_Key="one")
    assert (again.status, again.headers["Idempotent-Replayed"]) == (202, "true")
    assert payer.send("POST", "/quote", wish).body["code"] == "intent_not_payable"
