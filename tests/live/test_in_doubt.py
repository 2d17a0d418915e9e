"""A payment between chains that does not arrive: nobody pays twice, and only the chains say how it ended."""

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from core.clock import now
from localnet.lifi import Conduct
from localnet.nodes import DevChain, running_all
from payments.models import Leg
from tests.live.buyer import DEEP_ENOUGH, Buyer

LONG_AGO = timedelta(minutes=20)
A_WHILE_AGO = timedelta(minutes=4)
"""Longer than such a payment takes, and not yet alarming by itself."""
PAST_THE_DEADLINE_SECONDS = 7 * 3600


@pytest.fixture
def network() -> Iterator[dict[str, DevChain]]:
    """Nodes of one test alone, since one of them is sent into the future."""
    with running_all(("ethereum", "base", "arbitrum")) as made:
        yield made


@pytest.fixture
def buyer(buyer: Buyer) -> Buyer:
    """Somebody whose 25 dollars left Arbitrum for Base, where nobody fills the order."""
    buyer.shop.relayer.conduct = Conduct.HOLD
    buyer.issue_and_pay()
    assert (buyer.arrive()["status"], buyer.leg().status) == ("executing", "confirming")
    return buyer


def _sent(buyer: Buyer, ago: timedelta) -> None:
    Leg.objects.filter(pk=buyer.leg().pk).update(submitted_at=now() - ago)


def test_one_that_is_overdue_cannot_be_paid_twice(buyer: Buyer) -> None:
    _sent(buyer, LONG_AGO)
    assert buyer.sweep()["status"] == "executing"
    state = buyer.page.state()
    assert (state["in_doubt"], buyer.leg().status) == (True, "in_doubt")
    assert state["message"] == {
        "code": "in_doubt",
        "happened": "We do not know yet how your payment ended.",
        "money": "Your wallet sent it. Where it ended is not known yet.",
        "next": "Do not pay again. We keep looking, and this page will tell you.",
    }
    for path, body in (
        ("wallet", {"family": "evm", "address": buyer.payer.address}),
        ("quote", {"chain": "arbitrum", "token_address": buyer.paid.address}),
    ):
        refused = buyer.page.send("POST", f"/{path}", body)
        assert (refused.status, refused.body["code"]) == (409, "in_doubt")
    buyer.shop.relayer.conduct = Conduct.FILL
    assert buyer.arrive()["status"] == "settled"
    assert (buyer.page.state()["in_doubt"], buyer.credited()) == (False, [buyer.held()])
    assert buyer.told() == ["created", "quoted", "executing", "settled"]


@pytest.mark.spec("Rulings C9.1")
def test_told_to_be_refunded_and_then_filled(buyer: Buyer) -> None:
    """Only a chain can say that money came back."""
    _sent(buyer, A_WHILE_AGO)
    buyer.shop.lie("/status", times=-1, fields={"status": "DONE", "substatus": "REFUNDED"})
    buyer.sweep()
    assert (buyer.leg().status, buyer.credited()) == ("in_doubt", [])
    buyer.shop.relayer.conduct = Conduct.FILL
    assert buyer.arrive()["status"] == "settled"


def test_told_to_be_done_without_an_arrival(buyer: Buyer, caplog: pytest.LogCaptureFixture) -> None:
    _sent(buyer, A_WHILE_AGO)
    buyer.shop.lie("/status", times=-1, fields={"status": "DONE", "substatus": "COMPLETED"})
    with caplog.at_level(logging.ERROR, logger="causeway.payments"):
        assert buyer.sweep()["status"] == "executing"
    assert (buyer.leg().status, buyer.credited()) == ("confirming", [])
    assert [record.message.split(":")[0] for record in caplog.records] == ["payment_claimed_done"]


def test_an_order_that_nobody_can_fill_any_more_may_be_paid_again(buyer: Buyer, nodes: Callable[..., None]) -> None:
    """One node alone cannot give it up, while a second one waits for the deadline; nor is it over before it is so for
    good."""
    with running_all(("base",)) as behind:
        nodes("base", buyer.node.url, behind["base"].url)
        _sent(buyer, LONG_AGO)
        buyer.node.rpc("evm_increaseTime", PAST_THE_DEADLINE_SECONDS)
        buyer.node.mine(DEEP_ENOUGH)
        behind["base"].mine(buyer.node.head() + DEEP_ENOUGH)
        assert buyer.sweep(2)["status"] == "executing"
        nodes("base", buyer.node.url)
        assert buyer.sweep()["status"] == "executing"
        nodes("base", buyer.node.url, behind["base"].url)
        buyer.node.mine(DEEP_ENOUGH)
        assert buyer.sweep(2)["status"] == "executing"
        assert buyer.leg().status in {"confirming", "in_doubt"}
        nodes("base", buyer.node.url)
        assert buyer.sweep(2)["status"] == "requires_payment"
    leg, state = buyer.leg(), buyer.page.state()
    assert (leg.status, leg.error, buyer.credited()) == ("failed", "unfilled", [])
    assert (state["in_doubt"], state["last_error"]["code"] != "") == (False, True)
    assert buyer.page.send("POST", "/wallet", {"family": "evm", "address": buyer.payer.address}).status == 202
