"""Exchanges on Solana, the whole way: from the door through a local Jupiter and real programs, back to the merchant."""

from dataclasses import dataclass
from typing import Any

import pytest

from chains.instructions.transactions import reference_of
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.jupiter import LocalJupiter
from localnet.solana.money import USDC, USDT
from payments.models import Credit
from tests.live.solana_till import SolanaTill


@dataclass(kw_only=True)
class SwapTill(SolanaTill):
    """A payer who pays with another token than settles."""

    paid_with: str = USDT

    @property
    def pays_with(self) -> tuple[str, str]:
        return self.chain, self.paid_with

    def moved(self, signature: str) -> tuple[int, int]:
        """What the payer spent of USDT by a transaction, and what it got in USDC."""
        wanted = {"commitment": "confirmed", "maxSupportedTransactionVersion": 0}
        found = self.node.rpc("getTransaction", signature, wanted)["meta"]
        before, after = (
            {one["mint"]: int(one["uiTokenAmount"]["amount"]) for one in found[key] if one["owner"] == self.wallet[1]}
            for key in ("preTokenBalances", "postTokenBalances")
        )
        return before.get(USDT, 0) - after.get(USDT, 0), after.get(USDC, 0) - before.get(USDC, 0)


@pytest.fixture
def swap_till(solana_till: SolanaTill, jupiter: LocalJupiter) -> SwapTill:
    """A payer on Solana with 1,000 USDC, 1,000 USDT and one SOL; Jupiter is there."""
    assert jupiter.url
    made = SwapTill(api=solana_till.api, node=solana_till.node)
    made.endow()
    made.node.mint(USDT, made.wallet[1], 1_000_000_000)
    return made


@pytest.mark.parametrize("paid_with", [USDT, SOLANA_NATIVE_ADDRESS], ids=["usdt", "sol"])
def test_the_merchant_gets_exactly_the_amount(swap_till: SwapTill, paid_with: str) -> None:
    till = swap_till
    till.paid_with = paid_with
    attempt = till.issue("25")
    assert till.leg().issued["reference"] == reference_of(str(till.leg().pk))
    signature = till.send(attempt)
    spent, left = till.moved(signature)
    if paid_with == USDT:
        assert (spent, 0 < left < 250_000) == (till.leg().input_base_units, True), "what is left stays with the payer"
    till.report(attempt, signature)
    assert (till.sweep()["status"], till.finish()["status"]) == ("executing", "settled")
    assert (till.held(), till.credited()) == (25_000_000, [25_000_000])
    assert till.passed() == ["created", "requires_payment", "quoted", "awaiting_signature", "executing", "settled"]
    assert till.told() == ["created", "quoted", "executing", "settled"]
    [leg] = till.api.get(f"/payment-intents/{till.intent['id']}/transactions").body["data"]
    assert (leg["kind"], leg["provider"], leg["status"]) == ("swap", "jupiter", "confirmed")
    assert (leg["tx_hash"], leg["to_amount"]) == (signature, "25")


def test_a_liar_never_reaches_the_wallet(swap_till: SwapTill, jupiter: LocalJupiter) -> None:
    """The output is sent to a stranger: the payer is asked again, and nothing is ever handed out."""
    till = swap_till
    attempt = till.quoted("25")
    jupiter.lie = _robbed
    till.accept(attempt)
    assert till.leg().issued == {}
    assert (till.page.state()["attempt"]["transactions"], Credit.objects.count()) == ([], 0)


def _robbed(body: dict[str, Any]) -> dict[str, Any]:
    body["otherInstructions"][0]["accounts"][2]["pubkey"] = USDC
    return body
