"""What a node cannot say of one payment, or says wrongly once, is nobody else's matter.

What counts is what a second payer sees on the same nodes: his payment settles in the sweeps that it takes alone.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from chains.base58 import from_base58
from localnet.lifi import Lifi
from localnet.nodes import fresh_wallet
from payments.models import Leg
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import Proxy, proxied
from tests.live.solana_till import SolanaTill
from tests.live.till import LiveTill

Nodes = Callable[..., None]
BASE58 = "3" * 88
LOOPS = "0x5b600056"
"""Code that never ends."""
CALLS_ITSELF_3000_TIMES = "0x610bb85b5f5f5f5f5f60995af150600190038060035700"
"""Code that makes so many calls to nobody, one after the other."""


def another(till: Till) -> Till:
    """A payer of another intent on the same node."""
    made = Till(api=till.api, node=till.node)
    till.node.fund(made.payer.address)
    till.node.mint(BASE_USDC, made.payer.address, 1_000_000_000)
    return made


def settles_as_usual(other: LiveTill, attempt: dict[str, Any]) -> bool:
    """Whether a payment of somebody else takes no more sweeps than alone."""
    other.report(attempt, other.pay(attempt))
    return bool(other.finish()["status"] == "settled")


def blamed(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was held against a node."""
    return [record.getMessage() for record in caplog.records if "(fault" in record.getMessage()]


def send_hash(till: LiveTill, attempt: dict[str, Any], tx_hash: str) -> Any:
    """Tell the service a hash; its answer, whatever it is."""
    assert till.page is not None
    body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash}
    return till.page.send("POST", "/submitted", body)


def told_before(till: LiveTill, tx_hash: str) -> None:
    """A hash of another form that was taken before the door asked for it."""
    Leg.objects.filter(intent_id=till.intent["id"]).update(tx_hash=tx_hash)


@pytest.mark.parametrize("tx_hash", [BASE58, "0x" + "11" * 31])
def test_a_hash_of_another_form_is_refused_at_the_door_of_an_evm_leg(till: Till, tx_hash: str) -> None:
    attempt = till.issue("25")
    reply = send_hash(till, attempt, tx_hash)
    assert (reply.status, till.leg().tx_hash, till.leg().submitted_at) == (400, "", None)


@pytest.mark.parametrize("tx_hash", ["0x" + "11" * 32, "1" * 90], ids=["evm", "ninety ones"])
def test_a_hash_of_another_form_is_refused_at_the_door_of_a_solana_leg(solana_till: SolanaTill, tx_hash: str) -> None:
    attempt = solana_till.issue("25")
    reply = send_hash(solana_till, attempt, tx_hash)
    assert (reply.status, solana_till.leg().tx_hash, solana_till.leg().submitted_at) == (400, "", None)


def test_a_nonsense_hash_on_an_evm_leg_is_its_own_matter(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    other = another(till)
    attempt = other.issue("25")
    till.issue("25")
    told_before(till, BASE58)
    till.sweep()
    assert (blamed(caplog), settles_as_usual(other, attempt)) == ([], True)


def test_a_nonsense_hash_does_not_hide_the_payment_itself(till: Till) -> None:
    attempt = till.issue("25")
    told_before(till, BASE58)
    till.sweep()
    till.pay(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@contextmanager
def as_agave(till: SolanaTill) -> Iterator[Proxy]:
    """A node that refuses a signature of another length, as Agave's ``verify_signature`` does."""

    def is_wrong(name: str) -> bool:
        try:
            return len(from_base58(name)) != 64
        except ValueError:
            return True

    with proxied(till.node.url) as proxy:
        plain = proxy.answer

        def answer(body: dict[str, Any]) -> tuple[int, bytes] | None:
            if body["method"] == "getSignatureStatuses" and any(map(is_wrong, body["params"][0])):
                error = {"code": -32602, "message": "Invalid param: WrongSize"}
                return 200, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode()
            return plain(body)

        proxy.answer = answer  # type: ignore[method-assign]  # the test's own
        yield proxy


@pytest.mark.parametrize("tx_hash", ["0x" + "11" * 32, "1" * 90], ids=["evm", "ninety ones"])
def test_a_nonsense_signature_on_a_solana_leg_is_its_own_matter(
    solana_till: SolanaTill, nodes: Nodes, caplog: pytest.LogCaptureFixture, tx_hash: str
) -> None:
    other = SolanaTill(api=solana_till.api, node=solana_till.node)
    other.endow()
    with as_agave(solana_till) as agave:
        nodes("solana", agave.url)
        attempt = other.issue("25")
        own = solana_till.issue("25")
        told_before(solana_till, tx_hash)
        solana_till.sweep()
        assert (blamed(caplog), settles_as_usual(other, attempt)) == ([], True)
        solana_till.pay(own)
        assert (solana_till.finish()["status"], solana_till.credited()) == ("settled", [25_000_000])


def test_a_tree_of_calls_that_is_too_long_is_its_own_matter(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    other = another(till)
    attempt, own = other.issue("25"), till.issue("25")
    bomb = fresh_wallet().address
    till.node.rpc("anvil_setCode", bomb, CALLS_ITSELF_3000_TIMES)
    tag = own["transactions"][0]["request"]["data"][-32:]
    tx_hash = till.node.send(till.payer, {"to": bomb, "value": "0x0", "data": "0x" + tag}, gas=5_000_000)
    till.report(own, tx_hash)
    till.sweep()
    assert (blamed(caplog), settles_as_usual(other, attempt)) == ([], True)
    assert till.leg().tx_hash == tx_hash
    till.pay(own)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_a_wallet_contract_that_loops_is_its_own_matter(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    other = another(till)
    attempt = other.issue("25")
    wallet = fresh_wallet()
    till.node.rpc("anvil_setCode", wallet.address, LOOPS)
    till.node.fund(wallet.address)
    till.node.mint(BASE_USDC, wallet.address, 1_000_000_000)
    till.payer = wallet
    own = till.issue("25")
    stranger: LocalAccount = fresh_wallet()
    till.node.fund(stranger.address)
    tx_hash = till.node.send(stranger, {"to": stranger.address, "value": "0x0", "data": "0x"})
    claim = "0x" + "11" * 65
    assert till.page is not None
    till.page.act("submitted", {"attempt_id": own["id"], "leg_sequence": 1, "tx_hash": tx_hash, "claim": claim})
    till.sweep()
    assert (blamed(caplog), settles_as_usual(other, attempt)) == ([], True)


def test_a_swap_to_coin_without_traces_is_its_own_matter(
    live_api: ApiClient, lifi: Lifi, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    buyer = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    with proxied(lifi.nodes["base"].url) as proxy:
        proxy.lacks = frozenset({"debug_traceTransaction"})
        nodes("base", proxy.url)
        buyer.pays(asset("base", "USDC"), asset("base", "ETH"), 100_000_000)
        attempt = buyer.issue("25")
        buyer.report(attempt, buyer.pay(attempt))
        buyer.sweep()
        assert blamed(caplog) == []
        nodes("base", proxy.url, lifi.nodes["base"].url)
        assert buyer.finish()["status"] == "settled"


def test_a_busy_settlement_address_is_its_own_matter(
    till: Till, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    busy = another(till)
    with proxied(till.node.url) as provider:
        plain = provider.answer

        def answer(body: dict[str, Any]) -> tuple[int, bytes] | None:
            if body["method"] == "eth_getLogs" and busy.merchant[2:].lower() in json.dumps(body).lower():
                error = {"code": -32005, "message": "query returned more than 10000 results"}
                return 200, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode()
            return plain(body)

        provider.answer = answer  # type: ignore[method-assign]  # as above
        nodes("base", provider.url)
        attempt, own = till.issue("25"), busy.issue("25")
        busy.sweep()
        assert (blamed(caplog), settles_as_usual(till, attempt)) == ([], True)
        busy.report(own, busy.pay(own))
        assert (busy.finish()["status"], busy.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("has_second", [False, True], ids=["one node", "two nodes"])
def test_a_head_that_was_wrong_once_is_forgotten(till: Till, nodes: Nodes, has_second: bool) -> None:
    with proxied(till.node.url) as glitch:
        nodes("base", *([glitch.url, till.node.url] if has_second else [glitch.url]))
        page, lies = till.open("25"), [1_000_000]
        [wanted] = [token for token in page.connect() if token["token_address"] == till.token]
        page.act("start", {"attempt_id": page.choose(wanted)["id"]})

        def once(method: str, result: Any) -> Any:
            return hex(int(result, 16) + lies.pop()) if method == "eth_blockNumber" and lies else result

        glitch.bend = once
        sweep_due()
        attempt = page.state()["attempt"]
        assert (lies, attempt["status"]) == ([], "awaiting_signature")
        assert settles_as_usual(till, attempt)


@pytest.mark.parametrize("has_second", [False, True], ids=["one node", "two nodes"])
def test_a_start_that_never_was_hides_no_payment(till: Till, nodes: Nodes, has_second: bool) -> None:
    """As it was written down before heads were doubted."""
    with proxied(till.node.url) as second:
        nodes("base", *([till.node.url, second.url] if has_second else [till.node.url]))
        other, attempt = another(till), till.issue("25")
        others = other.issue("25")
        Leg.objects.filter(intent_id=till.intent["id"]).update(start_block=till.node.head() + 1_000_000)
        assert settles_as_usual(till, attempt)
        assert settles_as_usual(other, others)
