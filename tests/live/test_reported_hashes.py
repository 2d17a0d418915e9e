"""A wrong hash that somebody reported has no right one wait, where nothing but the report leads to the payment."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.clock import now
from localnet.nodes import DevChain
from payments.models import Hint, Leg
from tests.live.evm_till import Till
from tests.live.proxy import lying, proxied

NOWHERE = "0x" + "cd" * 32


def pay_unmarked(till: Till, attempt: dict[str, Any]) -> str:
    """The payer's wallet leaves the mark out: only a report with its claim leads to the payment."""
    return till.node.send(till.payer, unmarked(attempt))


def unmarked(attempt: dict[str, Any]) -> dict[str, Any]:
    request = attempt["transactions"][0]["request"]
    return {**request, "data": request["data"][:138]}


def verdicts() -> list[tuple[str, str, str]]:
    return list(Hint.objects.order_by("pk").values_list("tx_hash", "by", "verdict"))


@pytest.mark.parametrize("order", ["alone", "before", "after"])
def test_a_strangers_wrong_hash_does_not_delay_a_claimed_payment(till: Till, order: str) -> None:
    attempt = till.issue("25")
    paid = pay_unmarked(till, attempt)
    if order == "before":
        till.report(attempt, NOWHERE)
    till.claims(attempt, paid)
    if order == "after":
        till.report(attempt, NOWHERE)
        till.report(attempt, paid)  # without the claim, which stays
    assert (till.sweep()["status"], till.leg().tx_hash, till.leg().payer_claim) == (
        "executing", paid, till.claim(paid)
    )  # fmt: skip
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
    assert (paid, "wallet", "found") in verdicts()


def test_a_claim_waits_for_the_block_of_its_transaction(till: Till) -> None:
    """What carries no mark is another's, unless its wallet says whose it is: also before it stands anywhere."""
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        waiting = till.node.post(till.payer, unmarked(attempt))
        till.claims(attempt, waiting)
        assert (till.sweep()["status"], verdicts()) == ("awaiting_signature", [(waiting, "wallet", "")])
    finally:
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    till.node.mine()
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
    assert verdicts() == [(waiting, "wallet", "found")]


@pytest.mark.parametrize("order", ["first", "second"])
def test_one_node_that_hides_a_claimed_payment_does_not_end_its_claim(
    till: Till, base_node: DevChain, nodes: Callable[..., None], impatient: None, order: str
) -> None:
    with proxied(base_node.url) as liar:
        nodes("base", *([liar.url, till.node.url] if order == "first" else [till.node.url, liar.url]))
        attempt = till.issue("25")
        paid = pay_unmarked(till, attempt)
        till.claims(attempt, paid)
        Hint.objects.update(reported_at=now() - timedelta(minutes=11))
        liar.bend = lying("eth_getTransactionByHash", lambda _: None)
        assert (till.sweep()["status"], verdicts()) == ("executing", [(paid, "wallet", "found")])
        liar.bend = None
        assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])


def test_what_was_reported_meanwhile_is_taken_up(till: Till) -> None:
    """The wallet sends again, without the mark, what the network forgot."""
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        forgotten = till.node.post(till.payer, attempt["transactions"][0]["request"])
        till.report(attempt, forgotten)
        assert till.sweep()["status"] == "executing"
    finally:
        till.node.rpc("anvil_dropAllTransactions")
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    paid = pay_unmarked(till, attempt)
    till.claims(attempt, paid)
    assert (till.leg().status, till.leg().tx_hash) == ("submitted", forgotten)
    Leg.objects.filter(pk=till.leg().pk).update(submitted_at=now() - timedelta(minutes=11))
    till.sweep()
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
    assert verdicts() == [(forgotten, "link", "lost"), (paid, "wallet", "found")]


def test_somebody_elses_claim_does_not_take_the_place_of_the_payers(till: Till) -> None:
    attempt = till.issue("25")
    paid = pay_unmarked(till, attempt)
    till.claims(attempt, paid)
    till.claims(attempt, paid, till.claim(paid, till.stranger()))
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
