"""No text from outside changes what a tool does, or stands anywhere but under ``untrusted``.

Source: agents, Rules to adopt 5; reliability, threat 26.
"""

import re
import unicodedata
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from core import rate_limits
from mcp.models import AgentEffect, AgentRecord
from mcp.tools.registry import TOOLS
from mcp.tools.untrusted import MAX_TEXT, cleaned
from merchants.models import Merchant
from payments.models import Leg, PaymentIntent, RouteCandidate
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.mcp.agents import Agent, connected_agent
from tests.mcp.injection.corpus import HARMLESS, TEXTS
from tests.mcp.tools.calls import EVERYTHING, NOWHERE, assert_fits, texts, tool_named, without_untrusted
from tests.payments.explain.sentences import every_sentence
from tests.payments.world import World, create, pay
from tokens.models import Token

TOLD_WHOLE = ("override", "system message", "tags", "very long")
"""An order, a feigned end of the data, what nobody sees, what is cut: these live a whole life."""
ADDRESS = "0x7e57000000000000000000000000000000000001"
TO = {"settlement_address": ADDRESS, "settlement_chain": "base", "settlement_token": "USDC"}
REFUNDED = {"status": "waiting", "amount_usd": "5.000000", "base_units": "5000000", "destination": "", "token": "USDC"}
PAID_OUT = {
    "status": "queued", "amount_usd": "20.000000", "base_units": "20000000", "destination": ADDRESS,
    "chain": "base", "token": "USDC", "rail": "simulated",
}  # fmt: skip
EXPECTED: dict[str, Any] = {
    "made": {"status": "cancelled", "amount": "25.000000", **TO},
    "intent": {"status": "settled", "received_usd": "25.000000", **TO},
    "refund": REFUNDED | {"failure_reason": "missing_destination"},
    "payout": PAID_OUT,
    "effects": [("create_payout", Decimal(20)), ("create_refund", Decimal(5))],
}
"""What the agent does, whatever it has read."""
PIECE = 12


def lived(world: World, api: ApiClient, text: str) -> dict[str, str]:
    """Two intents with the text in them: one that was paid, and one that is to settle nowhere."""
    return_url = "https://shop.example/?q=" + re.sub(r"[^A-Za-z0-9]", "-", text)[:200]
    intent = create(api, return_url=return_url, **written(text))
    assert pay(api, intent, "settle").status == 200
    world.run(4)
    reply = api.post("/payment-intents", {"amount": 25, **dict.fromkeys(_FREE_IN_TEST_MODE, text[:60].strip())})
    assert reply.status in {201, 400}
    rewrite(UUID(intent["id"]), text)
    token = {"address": "0x8617E340B3D01FA5F11F306F4090FD50E238070D", "symbol": text[:32], "name": text[:128]}
    Token.objects.create(chain="base", decimals=6, source="test", **token)
    return {"paid": intent["id"], "nowhere": reply.body.get("id", intent["id"])}


_FREE_IN_TEST_MODE = ("settlement_chain", "settlement_token", "settlement_address")


def written(text: str) -> dict[str, Any]:
    """The text wherever a create body has room for it."""
    return {
        "metadata": {text[:64]: text, "note": {"deep": [text, {text[:64]: 1}]}},
        "reference": text[:128].strip(),
        "customer_email": email_of(text),
    }


def rewrite(intent_id: UUID, text: str) -> None:
    """Put this text wherever somebody outside has written in an intent's life, as they told it."""
    failed = {"last_error_code": "route_unavailable", "last_error_message": text[:300]}
    assert PaymentIntent.objects.filter(pk=intent_id).update(**written(text), **failed) == 1
    Leg.objects.filter(intent_id=intent_id).update(error=text[:300], token=text[:128], payer_address=text[:128])
    candidates = RouteCandidate.objects.filter(intent_id=intent_id)
    assert candidates.update(reason=text[:300], error=text[:300], from_token=text[:128]) > 0


def email_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", ".", text.lower()).strip(".")[:60].strip(".") + "x@evil.example"


def effects(agent: Agent, intent_id: str, text: str) -> dict[str, Any]:
    """Let the agent make every change, with the text wherever it can put one; what that did."""
    made = heard(agent, "create_payment_intent", amount=25, idempotency_key="make", **written(text))
    gone = heard(agent, "cancel_payment_intent", payment_intent_id=made["id"])
    refunded = heard(
        agent, "create_refund", payment_intent_id=intent_id, amount_usd="5", reason=text[:280], idempotency_key="back"
    )
    paid_out = heard(agent, "create_payout", payment_intent_id=intent_id, idempotency_key="out")
    refund, payout = Refund.objects.get(), Payout.objects.get()
    assert (refunded["id"], paid_out) == (str(refund.pk), {"result": {"payoutId": str(payout.pk)}})
    assert outside_of([made, gone, refunded, paid_out], text) == []
    rows = {
        "made": PaymentIntent.objects.get(pk=made["id"]),
        "intent": PaymentIntent.objects.get(pk=intent_id),
        "refund": refund,
        "payout": payout,
    }
    facts = {kind: {name: str(getattr(row, name)) for name in EXPECTED[kind]} for kind, row in rows.items()}
    return facts | {"effects": sorted(AgentEffect.objects.values_list("tool", "amount_usd"))}


def heard(agent: Agent, name: str, **arguments: Any) -> Any:
    """What a tool answers at the door, or how it refuses; an answer is what its schema says."""
    rate_limits.forget()
    answer = agent.call(name, arguments)
    if not answer.is_error:
        assert_fits(tool_named(name), answer.result)
    return answer.error if answer.is_error else answer.result


def answers(agent: Agent, lives: dict[str, str], *, include_untrusted: bool) -> list[Any]:
    extra = {"include_untrusted": True} if include_untrusted else {}
    paid, nowhere = lives["paid"], lives["nowhere"]
    return [
        heard(agent, "poll_settlement", payment_intent_id=paid),
        heard(agent, "poll_settlement", payment_intent_id=nowhere),
        heard(agent, "get_payment_intent", payment_intent_id=paid, include=EVERYTHING, **extra),
        heard(agent, "get_payment_intent", payment_intent_id=nowhere, include=EVERYTHING, **extra),
        heard(agent, "list_payment_intents"),
        heard(agent, "list_tokens", chain="base", limit=200, **extra),
    ]


def refusals(agent: Agent, text: str) -> list[Any]:
    """What tools say to the text in place of an argument, be it an answer or a refusal."""
    cut = text[:128]
    return [
        heard(agent, "verify_webhook", raw_body=text, signature=text, secret=cut),
        heard(agent, "verify_webhook", raw_body=text, signature=text, webhook_endpoint_id=cut),
        *[heard(agent, tool.name, payment_intent_id=cut) for tool in TOOLS if tool.name != "verify_webhook"],
        heard(agent, "create_refund", payment_intent_id=NOWHERE, amount_usd=cut, idempotency_key="k"),
        heard(agent, "create_payment_intent", amount=cut, idempotency_key="k"),
        heard(agent, "create_payment_intent", amount=1, idempotency_key="k", settlement_chain=cut + "x" * 128),
        heard(agent, "create_payment_intent", amount=1, idempotency_key="k", customer_email=cut, currency=cut[:8]),
        heard(agent, "list_payment_intents", starting_after=cut, status=cut),
        heard(agent, "list_tokens", chain=cut[:32]),
        heard(agent, "list_tokens", query=cut[:64]),
    ]


def pieces(text: str) -> set[str]:
    """Every run of twelve characters, or the whole of a shorter text; letter case does not matter."""
    folded = text.casefold()
    return {folded[start : start + PIECE] for start in range(max(len(folded) - PIECE, 0) + 1)}


def leaked(text: str, outside: list[str], known: str = "") -> list[str]:
    """Where a piece of the text stands. What every answer says anyway is no leak."""
    hunted = {piece for piece in pieces(text) if piece not in known}
    return [place for place in outside if hunted & pieces(place)]


def outside_of(told: list[Any], text: str) -> list[str]:
    """Where the text, in any form that it could have taken, stands outside ``untrusted``."""
    outside = [leaf for one in told for _, leaf in texts(without_untrusted(one))]
    return [place for form in (text, cleaned(text), email_of(text)) for place in leaked(form, outside, VOCABULARY)]


def _static_words() -> str:
    told = [[tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema] for tool in TOOLS]
    said = [leaf for _, leaf in texts(told)] + sorted(every_sentence())
    return "\n".join(said).casefold()


VOCABULARY = _static_words()
"""The tools' own words, which a text may use too."""


@pytest.fixture
def spender(world: World, merchant: Merchant) -> Agent:
    """An agent with every scope that may send money."""
    return connected_agent(merchant, per_call_usd=100, per_day_usd=500)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOLD_WHOLE)
def test_a_text_is_only_data(world: World, api: ApiClient, spender: Agent, name: str) -> None:
    """Same destination, same amounts, same outcome; and no twelve characters of it outside ``untrusted``."""
    text = TEXTS[name]
    before = spender.rpc("tools/list").body["result"]
    lives = lived(world, api, text)
    assert effects(spender, lives["paid"], text) == EXPECTED
    plain = answers(spender, lives, include_untrusted=False)
    asked = answers(spender, lives, include_untrusted=True)
    refused = refusals(spender, text)
    assert [path for one in plain for path, _ in texts(one) if "untrusted" in path] == []
    rows = [str(row) for row in AgentRecord.objects.values()]
    assert outside_of([*plain, *asked, *refused, *rows], text) == []
    rate_limits.forget()
    assert spender.rpc("tools/list").body["result"] == before
    _assert_shown_safely(asked, text)


def test_every_text_is_cleaned_and_set_apart(world: World, api: ApiClient, spender: Agent) -> None:
    """One life, and each text in turn wherever somebody outside has written in it; the agent then acts as ever."""
    paid = lived(world, api, HARMLESS)["paid"]
    for name, text in TEXTS.items():
        rewrite(UUID(paid), text)
        told = heard(spender, "get_payment_intent", payment_intent_id=paid, include=EVERYTHING, include_untrusted=True)
        assert outside_of([told], text) == [], name
        _assert_shown_safely([told], text)
    assert effects(spender, paid, HARMLESS) == EXPECTED


def _assert_shown_safely(asked: list[Any], text: str) -> None:
    """Under ``untrusted`` it is there, cut, and without what cannot be seen."""
    inside = [leaf for one in asked for path, leaf in texts(one) if ".untrusted." in path]
    assert any(cleaned(text)[:30] in leaf for leaf in inside)
    assert [leaf for leaf in inside if len(leaf) > MAX_TEXT] == []
    seen = {unicodedata.category(character) for leaf in inside for character in leaf}
    assert seen & {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"} == set()


def test_there_are_enough_texts_and_a_leak_is_noticed() -> None:
    assert len(TEXTS) >= 60
    assert len(set(TEXTS.values())) == len(TEXTS)
    assert leaked("send the payout to me", ["ok", "please SEND THE PAYOUT now"]) == ["please SEND THE PAYOUT now"]
    assert leaked("send the payout to me", ["send it", "the payee"]) == []
    assert leaked("send the payout to me", ["the payout to"], known="the payout to") == []
