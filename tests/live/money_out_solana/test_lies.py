"""Nodes that lie, lag, forget or are silent: money waits, and is never sent a second time on one node's word."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from solders.keypair import Keypair

from chains.models import Transfer, TransferAttempt
from localnet.solana.server import DevSolana, serving
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.live.proxy import Lie, Proxy, lying, proxied


def has_heard_of_nothing(method: str, result: Any) -> Any:
    """No signature was ever seen."""
    if method == "getTransaction":
        return None
    return {**result, "value": [None] * len(result["value"])} if method == "getSignatureStatuses" else result


def is_far_ahead(method: str, result: Any) -> Any:
    """Everything that can expire has expired, and nothing landed."""
    ahead = {"getBlockHeight", "getSlot"}
    if method == "getSignatureStatuses":
        result = {**result, "context": {"slot": result["context"]["slot"] + 1000}}
    return result + 1000 if method in ahead else has_heard_of_nothing(method, result)


def says_it_failed(method: str, result: Any) -> Any:
    """What landed did nothing."""
    error = {"InstructionError": [4, {"Custom": 1}]}
    if method == "getSignatureStatuses":
        return {**result, "value": [None if one is None else {**one, "err": error} for one in result["value"]]}
    return {**result, "meta": {**result["meta"], "err": error}} if method == "getTransaction" and result else result


def _less(found: dict[str, Any]) -> dict[str, Any]:
    for entry in found["meta"]["postTokenBalances"]:
        entry["uiTokenAmount"]["amount"] = str(int(entry["uiTokenAmount"]["amount"]) - 1)
    return found


says_it_brought_less = lying("getTransaction", _less)


@pytest.fixture(params=["first", "second"])
def liar(treasury: Treasury, nodes: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[Proxy]:
    """One of two nodes, whichever is asked first."""
    with proxied(treasury.node.url) as made:
        urls = [made.url, treasury.node.url]
        nodes("solana", *(urls if request.param == "first" else reversed(urls)))
        yield made


def test_it_is_not_dead_while_one_node_has_it(treasury: Treasury, liar: Proxy) -> None:
    """The clause of the second node: both must have heard of nothing."""
    treasury.order()
    assert treasury.advance() == "mined"
    treasury.pass_expiry(1)
    liar.bend = has_heard_of_nothing
    for _ in range(3):
        assert treasury.advance() == "mined"
    assert len(treasury.signatures()) == 1
    liar.bend = None
    assert (treasury.advance(), treasury.paid_times(), len(treasury.signatures())) == ("paid", 1, 1)


def test_a_node_that_hides_the_time_and_the_transaction_kills_nothing(treasury: Treasury, liar: Proxy) -> None:
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    liar.bend = is_far_ahead
    assert (treasury.advance(), treasury.signatures()) == ("broadcast", [first])
    liar.bend = None
    treasury.node.advance(3)
    treasury.node.emerge(first, treasury.node.head())
    treasury.node.advance(1)
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [first])


@pytest.mark.parametrize(("usd", "expected"), [("25", "paid"), ("5000", "mined")])
def test_a_silent_second_node_holds_large_amounts_back(
    treasury: Treasury, liar: Proxy, usd: str, expected: str
) -> None:
    treasury.order(usd)
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    liar.fault = "500"
    assert treasury.advance() == expected
    liar.fault = ""
    assert (treasury.advance(), treasury.paid_times()) == ("paid", 1)


@pytest.mark.parametrize("lie", [has_heard_of_nothing, says_it_failed, says_it_brought_less])
def test_nodes_that_contradict_each_other_end_nothing(treasury: Treasury, liar: Proxy, lie: Lie) -> None:
    treasury.order()
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    liar.bend = lie
    assert treasury.advance() == "mined"
    liar.bend = None
    assert (treasury.advance(), treasury.paid_times()) == ("paid", 1)


def test_an_amount_that_differs_is_neither_paid_nor_failed(
    treasury: Treasury, only: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    treasury.order()
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    only.bend = says_it_brought_less
    assert treasury.advance() == "mined"
    assert "transfer_amount_differs" in caplog.text
    only.bend = None
    assert treasury.advance() == "paid"


def test_a_node_that_lags_proves_no_death(treasury: Treasury, nodes: Callable[..., None]) -> None:
    """Its final height is past the last block of what was signed, the slots that it knows are not."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    behind = DevSolana(ledger=treasury.node.ledger, lag=40, lock=treasury.node.lock)
    with serving(behind):
        nodes("solana", treasury.node.url, behind.url)
        treasury.pass_expiry(1)
        assert (treasury.advance(), treasury.signatures()) == ("broadcast", [first])
        treasury.node.hold_next(0)
        behind.lag = 0
        assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 2)


@pytest.mark.parametrize("is_second", [True, False], ids=["one-of-two", "the-only-one"])
def test_a_node_without_the_history_proves_no_death(
    treasury: Treasury, nodes: Callable[..., None], is_second: bool
) -> None:
    """It landed long ago, and the node has forgotten so old a block."""
    treasury.order()
    treasury.advance()
    [first] = treasury.signatures()
    Transfer.objects.update(status="broadcast")
    treasury.node.advance(400)
    forgetful = DevSolana(ledger=treasury.node.ledger, lock=treasury.node.lock, oldest=treasury.node.head() - 20)
    with serving(forgetful):
        nodes("solana", *([treasury.node.url] if is_second else []), forgetful.url)
        assert treasury.advance() in {"broadcast", "mined"}
        assert treasury.signatures() == [first]
    nodes("solana", treasury.node.url)
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [first])


def _dies_as_soon_as_it_is_born(told: dict[str, Any]) -> dict[str, Any]:
    told["value"]["lastValidBlockHeight"] -= 150
    return told


def test_a_node_cannot_shorten_a_life(treasury: Treasury, only: Proxy) -> None:
    """What it says of a blockhash's end is held against the height, so that nothing looks dead too early."""
    treasury.order()
    only.bend = lying("getLatestBlockhash", _dies_as_soon_as_it_is_born)
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    treasury.node.advance(60)
    assert (treasury.advance(), treasury.signatures()) == ("broadcast", [first])
    treasury.node.emerge(first, treasury.node.head())
    treasury.node.advance(1)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_nodes_that_are_far_apart_let_nothing_be_signed(treasury: Treasury, liar: Proxy) -> None:
    """One says that a transaction made now may land for years; then nobody could ever say that it is dead."""
    treasury.order()
    liar.bend = lying("getBlockHeight", lambda height: height + 10**9)
    assert (treasury.advance(), treasury.signatures()) == ("new:chain_unavailable", [])
    liar.bend = None
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def _mint_for_recipient(told: dict[str, Any]) -> dict[str, Any]:
    account, *others = told["value"]
    return {**told, "value": [account, others[1], *others[1:]]} if others else told


says_it_is_a_program = lying("getMultipleAccounts", _mint_for_recipient)
says_it_would_fail = lying(
    "simulateTransaction",
    lambda told: {**told, "value": {**told["value"], "err": {"InstructionError": [4, {"Custom": 17}]}}},
)
REFUSALS = [(says_it_is_a_program, "invalid_destination"), (says_it_would_fail, "chain_rejected")]


@pytest.mark.parametrize(("lie", "failure"), REFUSALS)
@pytest.mark.parametrize("order", ["first", "second", "alone"])
def test_nothing_is_refused_for_good_by_one_of_two_nodes(
    treasury: Treasury, other: Proxy, nodes: Callable[..., None], order: str, lie: Lie, failure: str
) -> None:
    """By the only one it is."""
    if order != "second":
        nodes("solana", other.url, *([treasury.node.url] if order == "first" else []))
    treasury.order()
    other.bend = lie
    said = {"first": "new:chain_unavailable", "second": "mined", "alone": f"failed:{failure}"}
    assert treasury.advance() == said[order]
    if order == "alone":
        assert (treasury.paid_times(), treasury.signatures()) == (0, [])
    else:
        other.bend = None
        assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_hundreds_of_dead_signatures_are_all_looked_for(treasury: Treasury) -> None:
    """A node answers for 256 of them in one question."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    facts = {"transfer": treasury.transfer, "raw": treasury.transfer.attempts.get().raw, "last_valid_height": 1}
    TransferAttempt.objects.bulk_create(
        TransferAttempt(sequence=number, tx_hash=str(Keypair().sign_message(b"")), **facts) for number in range(2, 301)
    )
    treasury.node.advance(2)
    treasury.node.emerge(first, treasury.node.head())
    treasury.node.advance(1)
    assert (treasury.finish(), treasury.paid_times(), treasury.transfer.tx_hash) == ("paid", 1, first)


def test_one_that_rises_from_the_dead_is_followed_and_nothing_is_signed(
    treasury: Treasury, only: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    """Impossible as long as a node tells the truth; with one that lied all is looked for again before signing."""
    treasury.order()
    assert treasury.advance() == "mined"
    [first] = treasury.signatures()
    Transfer.objects.update(status="broadcast")
    treasury.pass_expiry(1)
    only.bend = _once(has_heard_of_nothing, only)
    assert treasury.advance() == "paid"
    assert "transfer_rose_again" in caplog.text
    assert (treasury.paid_times(), treasury.signatures()) == (1, [first])
    assert treasury.path()[-4:] == ["new", "signed", "mined", "paid"]


def _once(lie: Lie, proxy: Proxy) -> Lie:
    """The lie about signatures, told once."""

    def bend(method: str, result: Any) -> Any:
        if method == "getSignatureStatuses":
            proxy.bend = None
        return lie(method, result)

    return bend
