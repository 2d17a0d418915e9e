"""Payouts of test mode from their creation to their end, through the workers and under the test clock."""

import json

import pytest

from merchants.principal import Principal
from payouts.models import Payout
from tests.conftest import ApiClient
from tests.payments.world import World, advance
from tests.payouts.stories import asked, passed, run, sent, settled, shown, told, transfers
from webhooks.models import Event

WAYS_TO_ASK = pytest.mark.parametrize("by_metadata", [True, False], ids=["by metadata", "by the pay helper"])


def paid_out(world: World, api: ApiClient, principal: Principal, scenario: str, *, by_metadata: bool = True) -> Payout:
    if by_metadata:
        return asked(principal, settled(world, api, metadata={"simulate": scenario}))
    return asked(principal, settled(world, api, scenario))


@pytest.mark.spec("Rulings D1.4; States: payout; Events: payout.paid and payout.failed")
@pytest.mark.spec("Contract 10.4; Events: payload of payout events (not shown)")
def test_a_payout_is_paid_and_its_events_carry_all_of_it(world: World, api: ApiClient, principal: Principal) -> None:
    metadata = {"order": 17, "nested": {"a": [1, None]}}
    intent = settled(world, api, metadata=metadata)
    payout = asked(principal, intent)
    assert shown(api, payout) == {
        **{"id": str(payout.pk), "payment_intent_id": intent["id"], "destination": intent["settlement_address"]},
        **{"rail": "simulated", "chain": "base", "token": "USDC", "amount": "25.00", "currency": "USD"},
        **{"status": "queued", "attempts": 0, "created_at": "2026-05-04T12:00:04.000Z"},
        **dict.fromkeys(("tx_hash", "failure_reason", "next_attempt_at", "paid_at")),
    }
    run(world, 0)
    flying = shown(api, payout)
    assert (flying["status"], flying["attempts"], len(flying["tx_hash"])) == ("pending_provider", 1, 66)
    run(world, 10)
    done = shown(api, payout)
    assert done["status"] == "paid"
    assert done["paid_at"] is not None
    assert done == flying | {"status": "paid", "paid_at": done["paid_at"]}
    assert passed(payout) == ["queued", "pending", "processing", "pending_provider", "paid"]
    assert told(payout) == ["created", "processing", "paid"]
    assert transfers(payout) == ["paid"]
    [transaction] = sent(payout)
    assert (transaction.recipient, transaction.base_units) == (intent["settlement_address"], 25_000_000)
    assert transaction.tx_hash == done["tx_hash"]
    event = json.loads(Event.objects.get(type="payout.paid").payload)
    assert event["data"] == done | {"metadata": metadata}
    resource = {"type": "payout", "id": str(payout.pk)}
    assert (event["resource"], event["sequence"], event["mode"]) == (resource, 3, "test")
    created = json.loads(Event.objects.get(type="payout.created").payload)
    assert (created["data"]["status"], created["data"]["tx_hash"]) == ("queued", None)


@pytest.mark.spec("Contract 4.5")
@WAYS_TO_ASK
def test_one_that_needs_a_second_try(world: World, api: ApiClient, principal: Principal, by_metadata: bool) -> None:
    payout = paid_out(world, api, principal, "payout_retry", by_metadata=by_metadata)
    run(world, 0)
    waiting = shown(api, payout)
    assert (waiting["status"], waiting["attempts"]) == ("retry_scheduled", 1)
    assert (waiting["failure_reason"], waiting["tx_hash"]) == ("chain_unavailable", None)
    assert waiting["next_attempt_at"] == "2026-05-04T12:00:34.000Z"
    assert sent(payout) == []
    run(world, 29)
    assert shown(api, payout) == waiting
    run(world, 15)
    done = shown(api, payout)
    assert (done["status"], done["attempts"], done["failure_reason"], done["next_attempt_at"]) == (
        *("paid", 2, None, None),
    )
    assert told(payout) == ["created", "processing", "retry_scheduled", "processing", "paid"]
    first = ["queued", "pending", "processing", "retry_scheduled"]
    assert passed(payout) == [*first, "queued", "pending", "processing", "pending_provider", "paid"]
    assert transfers(payout) == ["paid"]
    assert len(sent(payout)) == 1


@pytest.mark.spec("Contract 4.8; Contract 18.2; States: payout; Payouts")
@WAYS_TO_ASK
def test_one_that_succeeds_when_replayed(world: World, api: ApiClient, principal: Principal, by_metadata: bool) -> None:
    payout = paid_out(world, api, principal, "payout_fail", by_metadata=by_metadata)
    run(world, 60)
    failed = shown(api, payout)
    assert (failed["status"], failed["failure_reason"], failed["attempts"]) == ("failed", "chain_rejected", 1)
    assert (failed["tx_hash"], failed["next_attempt_at"], failed["paid_at"]) == (None, None, None)
    assert told(payout) == ["created", "processing", "failed"]
    assert (transfers(payout), sent(payout)) == (["failed"], [])
    reply = api.post(f"/payouts/{payout.pk}/replay")
    assert (reply.status, reply.body) == (200, failed | {"status": "queued", "failure_reason": None})
    payout.refresh_from_db()
    assert (payout.attempts, payout.attempts_before) == (1, 1)
    assert payout.history.latest("id").trigger == "replay"
    run(world, 10)
    done = shown(api, payout)
    assert (done["status"], done["attempts"], done["failure_reason"]) == ("paid", 2, None)
    assert told(payout) == ["created", "processing", "failed", "processing", "paid"]
    assert passed(payout)[-5:] == ["queued", "pending", "processing", "pending_provider", "paid"]
    assert (transfers(payout), len(sent(payout))) == (["failed", "paid"], 1)


@pytest.mark.spec("Contract 4.6")
@WAYS_TO_ASK
def test_one_unknown_for_ten_minutes(world: World, api: ApiClient, principal: Principal, by_metadata: bool) -> None:
    payout = paid_out(world, api, principal, "payout_unknown", by_metadata=by_metadata)
    run(world, 0)
    flying = shown(api, payout)
    assert flying["status"] == "pending_provider"
    advance(api, 590)
    run(world, 5)
    assert shown(api, payout) == flying
    assert api.post(f"/payouts/{payout.pk}/replay").body["code"] == "payout_not_replayable"
    advance(api, 10)
    run(world, 10)
    assert shown(api, payout)["status"] == "paid"
    assert told(payout) == ["created", "processing", "paid"]
    assert len(sent(payout)) == 1


def test_any_asset_of_test_mode_and_what_was_paid_too_much(world: World, api: ApiClient, principal: Principal) -> None:
    overpaid = asked(principal, settled(world, api, "overpay"), "overpaid")
    assert shown(api, overpaid)["amount"] == "27.50"
    payouts = {}
    for chain, token in (("solana", "USDC"), ("base", "ETH"), ("my-chain", "POINTS")):
        intent = settled(world, api, settlement_chain=chain, settlement_token=token)
        payouts[chain, token] = asked(principal, intent, chain)
    run(world, 60)
    assert [transaction.base_units for transaction in sent(overpaid)] == [27_500_000]
    for (chain, token), payout in payouts.items():
        done = shown(api, payout)
        assert (done["status"], done["chain"], done["token"], done["amount"]) == ("paid", chain, token, "25.00")
