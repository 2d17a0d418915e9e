"""Payments on Solana that go wrong: each ends where it belongs, and a second try still works."""

import pytest

from chains.clients.registry import SOLANA
from localnet.solana.money import USDC
from localnet.solana.runtime import DEPTHS, Refused
from localnet.solana.server import signed
from tests.live.solana_till import SolanaTill
from tests.live.test_solana_forged import cut_to

LIFE = 151
"""Slots after which a blockhash is dead."""


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_a_failed_transaction_moves_nothing_and_may_be_repeated(solana_till: SolanaTill, is_reported: bool) -> None:
    till = solana_till
    attempt = till.issue("25")
    failed = till.send(attempt, cut_to(2_000_000_000), preflight=False)
    if is_reported:
        till.report(attempt, failed)
    assert till.sweep()["status"] == "executing"
    till.pass_time()
    assert (till.sweep()["status"], till.credited(), till.leg().error) == ("requires_payment", [], "reverted")
    assert till.api.get(f"/payment-intents/{till.intent['id']}").body["last_error"]["code"] == "execution_failed"
    till.send(till.again())
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_a_payer_who_sends_anew_what_failed_has_paid(solana_till: SolanaTill) -> None:
    """The page knows the failed one alone."""
    till = solana_till
    attempt = till.issue("25")
    till.report(attempt, till.send(attempt, cut_to(2_000_000_000), preflight=False))
    paid = till.send(attempt)
    assert (till.finish()["status"], till.credited(), till.leg().tx_hash) == ("settled", [25_000_000], paid)


def test_depth_alone_is_not_final(solana_till: SolanaTill, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that is slow to call blocks final is waited for, however many follow."""
    monkeypatch.setitem(DEPTHS, "finalized", 90)
    solana_till.issue_and_pay()
    solana_till.node.advance(80)
    assert (solana_till.sweep()["status"], solana_till.leg().confirmations) == ("executing", 31)
    solana_till.node.advance(15)
    assert solana_till.sweep()["status"] == "settled"


def test_a_payment_that_a_fork_removes_does_not_count(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    signature = till.send(attempt)
    till.report(attempt, signature)
    assert (till.sweep()["status"], till.credited()) == ("executing", [25_000_000])
    till.node.roll_back(signature)
    assert (till.held(), till.sweep()["status"], till.credited()) == (0, "executing", [])
    assert (till.send(attempt), till.finish()["status"]) == (signature, "settled")
    assert (till.credited(), till.held()) == ([25_000_000], 25_000_000)


def test_what_a_fork_removed_and_can_land_no_more_is_over(solana_till: SolanaTill) -> None:
    """Not one slot before its blockhash is dead for good: until then it may come back."""
    till = solana_till
    attempt = till.issue("25")
    signature = till.send(attempt)
    till.report(attempt, signature)
    assert till.sweep()["status"] == "executing"
    till.node.roll_back(signature)
    last = till.leg().issued["last_valid_block_height"]
    till.node.advance(last - till.node.rpc("getBlockHeight"))
    assert (till.node.rpc("getBlockHeight"), till.sweep()["status"]) == (last, "executing")
    till.node.advance(1)
    assert (till.sweep()["status"], till.credited(), till.leg().error) == ("requires_payment", [], "replaced")
    with pytest.raises(Refused, match="Blockhash not found"):
        till.send(attempt)
    till.send(till.again())
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "not reported"])
def test_a_transaction_that_is_lost_on_its_way_holds_nothing_up(solana_till: SolanaTill, is_reported: bool) -> None:
    till = solana_till
    attempt = till.issue("25")
    till.node.drop_next()
    signature = till.send(attempt)
    if is_reported:
        till.report(attempt, signature)
    assert (till.sweep()["status"], till.leg().tx_hash) == ("awaiting_signature", signature if is_reported else "")
    till.node.advance(LIFE + 32)
    assert (till.sweep()["status"], till.leg().tx_hash) == ("awaiting_signature", "")
    assert till.leg().error == ("tx_not_found" if is_reported else "")
    till.decline(attempt)
    till.send(till.again())
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)


def test_a_lost_transaction_is_sent_again_and_lands_once(solana_till: SolanaTill) -> None:
    """And one that cannot land any more is not taken, without an error."""
    till = solana_till
    once = signed(till.payer, till.unsigned(till.issue("25")))
    till.node.drop_next()
    assert SOLANA.broadcast("solana", once)
    assert till.sweep()["status"] == "awaiting_signature"
    assert [SOLANA.broadcast("solana", once) for _ in range(3)] == [True, True, True]
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)
    never_sent = till.unsigned(till.issue("25"))
    till.node.advance(LIFE)
    assert SOLANA.broadcast("solana", once)
    assert till.held() == 25_000_000
    refused = [signed(till.payer, never_sent), never_sent, "nonsense", ""]
    assert [SOLANA.broadcast("solana", text) for text in refused] == [False] * 4
    assert SOLANA.broadcast("nowhere", once) is False


def test_what_would_fail_is_not_handed_out(solana_till: SolanaTill) -> None:
    """The payer spent the money between the quote and the button."""
    till = solana_till
    page = till.open("25")
    [usdc] = [token for token in page.connect() if token["token_address"] == USDC]
    attempt = page.choose(usdc)
    till.node.fund(till.wallet[1], 5_000)
    page.act("start", {"attempt_id": attempt["id"]})
    till.sweep()
    state = page.state()
    assert (state["attempt"] or {}).get("transactions", []) == []
    assert state["status"] != "awaiting_signature"
