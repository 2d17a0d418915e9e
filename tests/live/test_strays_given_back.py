"""A stray goes back on the chain it came on: the token itself moves, to the wallet that provably sent it, and once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import Settings

from chains.models import Transfer
from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from refunds.models import Refund
from refunds.services.advance import sweep_due as sweep_refunds
from tests.invariants import violations
from tests.live.buyer import Buyer
from tests.live.proxy import lying, proxied
from tests.live.signers import money_goes, settles_with_signer
from tests.live.test_strays import LEFT_OVER, WETH, _pays, coin_of


@pytest.fixture(autouse=True)
def codes_put_back(swapper: Buyer) -> Iterator[None]:
    """What stands at the tokens' addresses is as before. Why: a branch brings back what was there meanwhile."""
    places = (swapper.paid.address, WETH)
    before = {place: swapper.node.rpc("eth_getCode", place, "latest") for place in places}
    yield
    for place, code in before.items():
        swapper.node.rpc("anvil_setCode", place, code)


@pytest.fixture
def shown(swapper: Buyer, merchant: Merchant, settings: Settings) -> dict[str, Any]:
    """A stray that came to a signing account of the merchant's, as the API shows it when the payment has settled."""
    settles_with_signer(swapper, merchant, settings)
    _pays(swapper, WETH)
    assert swapper.arrive()["status"] == "settled"
    return stray_of(swapper)


def stray_of(swapper: Buyer) -> dict[str, Any]:
    [leg] = swapper.api.get(f"/payment-intents/{swapper.intent['id']}/transactions").body["data"]
    [stray] = leg["strays"]
    found: dict[str, Any] = stray
    return found


def give_back(swapper: Buyer, stray: dict[str, Any]) -> Any:
    return swapper.api.post("/refunds", {"intent_id": swapper.intent["id"], "stray_id": stray["id"]})


def held(swapper: Buyer, owner: str) -> int:
    units: int = swapper.node.balance(WETH, owner)
    return units


@pytest.mark.spec("Rulings C11.2")
def test_the_very_token_goes_back_to_who_sent_it(swapper: Buyer, shown: dict[str, Any]) -> None:
    """A key says so, and no person needs to: it goes to nobody but who sent it, within the account's caps."""
    assert (shown["payer"], held(swapper, swapper.merchant)) == (swapper.payer.address, LEFT_OVER)
    before = swapper.api.get(f"/payment-intents/{swapper.intent['id']}").body
    made = give_back(swapper, shown)
    assert made.status == 201, made.body
    money_goes(swapper)
    refund = swapper.api.get(f"/refunds/{made.body['id']}").body
    assert (refund["status"], refund["token"], refund["token_amount"]) == ("paid", "WETH", "0.003")
    assert (held(swapper, swapper.payer.address), held(swapper, swapper.merchant)) == (LEFT_OVER, 0)
    assert swapper.api.get(f"/payment-intents/{swapper.intent['id']}").body == before
    assert (give_back(swapper, shown).status, Transfer.objects.count()) == (409, 1)
    assert str(Transfer.objects.get().value_usd) == "7.500000"
    assert violations() == []


@pytest.mark.spec("Rulings C11.2")
def test_a_coin_goes_back_to_who_sent_it(swapper: Buyer, merchant: Merchant, settings: Settings) -> None:
    settles_with_signer(swapper, merchant, settings)
    coin_of(swapper)
    stray, before = stray_of(swapper), swapper.node.balance(EVM_NATIVE_ADDRESS, swapper.payer.address)
    made = give_back(swapper, stray)
    assert made.status == 201, made.body
    money_goes(swapper)
    refund = swapper.api.get(f"/refunds/{made.body['id']}").body
    assert (refund["status"], refund["token"], refund["token_amount"]) == ("paid", "ETH", "0.003")
    assert (refund["destination"], refund["amount_usd"]) == (swapper.payer.address, 0)
    assert swapper.node.balance(EVM_NATIVE_ADDRESS, swapper.payer.address) == before + LEFT_OVER
    assert (give_back(swapper, stray).status, str(Transfer.objects.get().value_usd)) == (409, "7.500000")
    assert violations() == []


def test_what_a_reorganisation_takes_is_not_given_back(swapper: Buyer, merchant: Merchant, settings: Settings) -> None:
    """Asked for while the stray counts as deep and is not final, and its block is replaced by one without it."""
    settles_with_signer(swapper, merchant, settings)
    _pays(swapper, WETH)
    swapper.sweep()
    swapper.source.mine(5)
    assert swapper.sweep(2)["status"] == "settled"
    stray = stray_of(swapper)
    made = give_back(swapper, stray).body
    assert came_round(made) == ("queued", "")
    swapper.source.rpc("anvil_reorg", 6, [])
    swapper.sweep(2)
    assert (came_round(made), Transfer.objects.count()) == (("queued", "stray_changed"), 0)
    assert swapper.api.post(f"/refunds/{made['id']}/cancel").status == 200
    refused = give_back(swapper, stray)
    assert (refused.status, refused.body["code"]) == (409, "stray_not_final")


def came_round(made: dict[str, Any]) -> tuple[str, str]:
    """How a refund stands after a worker came round."""
    Refund.objects.filter(pk=made["id"]).update(next_attempt_at=now())
    sweep_refunds()
    refund = Refund.objects.get(pk=made["id"])
    return refund.status, refund.failure_reason


def test_of_two_nodes_that_name_different_senders_none_is_believed(
    swapper: Buyer, nodes: Callable[..., None], impatient: None
) -> None:
    other = fresh_wallet().address.lower()
    with proxied(swapper.node.url) as liar:
        nodes("base", swapper.node.url, liar.url)
        liar.bend = lying("eth_getTransactionByHash", lambda found: {**found, "from": other})
        _pays(swapper, WETH)
        assert swapper.arrive()["status"] == "settled"
        liar.bend = None
        stray = stray_of(swapper)
        assert stray["payer"] is None
        refused = give_back(swapper, stray)
        assert (refused.status, refused.body["code"]) == (409, "stray_payer_unknown")
