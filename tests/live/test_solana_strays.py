"""What else reaches the merchant in a payer's own transaction on Solana: shown and told, and counts for nothing."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson
import pytest
from solders.compute_budget import set_compute_unit_limit
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from chains.instructions.programs import COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM, token_account
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.solana.money import ONE_SOL, USDC, USDT
from payments.models import Credit, stray_id_of
from tests.invariants import violations
from tests.live.solana_till import Change, SolanaTill, instructions_of, opening_account, token_transfer
from tests.live.test_solana_swaps import SwapTill, swap_till
from webhooks.models import Event

__all__ = ["swap_till"]
UNITS, LEFT_OVER = 25_000_000, 3_000_000


def _beside(till: SolanaTill, token: str) -> Change:
    """The payment, and before it some of another token, or of the coin, for the merchant."""
    payer, merchant = till.wallet[1], till.merchant
    if token == SOLANA_NATIVE_ADDRESS:
        to = Pubkey.from_string(merchant)
        sent = TransferParams(from_pubkey=till.payer.pubkey(), to_pubkey=to, lamports=LEFT_OVER)
        brought = [transfer(sent)]
    else:
        till.node.place_token(token)
        till.node.mint(token, payer, 1_000_000_000)
        brought = [opening_account(payer, merchant, token), token_transfer(payer, merchant, token, LEFT_OVER)]

    def change(asked: list[Instruction]) -> list[Instruction]:
        priced = asked[1:-2]
        assert str(asked[0].program_id) == COMPUTE_BUDGET_PROGRAM
        return [set_compute_unit_limit(400_000), *priced, *brought, *asked[-2:]]

    return change


def _pays(till: SolanaTill, token: str) -> tuple[str, dict[str, Any]]:
    attempt = till.issue("25")
    signature = till.send(attempt, _beside(till, token))
    till.report(attempt, signature)
    till.finish()
    return signature, till.sweep()


@pytest.mark.spec("Rulings C11.1")
@pytest.mark.parametrize(
    ("token", "symbol", "amount"),
    [(USDT, "USDT", "3"), (SOLANA_NATIVE_ADDRESS, "SOL", "0.003")],
    ids=["token", "coin"],
)
def test_another_token_in_a_payers_transaction_is_a_stray(
    solana_till: SolanaTill, token: str, symbol: str, amount: str
) -> None:
    till = solana_till
    till.node.fund(till.merchant, ONE_SOL)
    signature, intent = _pays(till, token)
    own, stray = Credit.objects.order_by("purpose", "pk")
    assert (intent["status"], intent["overpaid_usd"], own.base_units) == ("settled", "0.00", UNITS)
    is_coin = token == SOLANA_NATIVE_ADDRESS
    place = till.merchant if is_coin else token_account(till.merchant, token, TOKEN_PROGRAM)
    assert (stray.purpose, stray.mark, stray.tx_hash, stray.token_address) == ("stray", "stray", signature, token)
    assert (stray.kind, stray.position, stray.recipient) == ("account", place, till.merchant)
    assert (stray.base_units, stray.value_usd, str(stray.intent_id)) == (LEFT_OVER, Decimal(0), intent["id"])
    assert (stray.sender, stray.payer, stray.payer_proof) == (till.wallet[1], till.wallet[1], "signature")
    assert (stray.block_number, stray.block_hash) == (own.block_number, own.block_hash)
    assert stray.finalized_at is not None
    assert till.told().count("stray_arrived") == 1
    [told] = Event.objects.filter(type="payment_intent.stray_arrived").values_list("payload", flat=True)
    shown = {"chain": "solana", "token": symbol, "token_address": token, "amount": amount, "tx_hash": signature}
    shown |= {"id": str(stray_id_of(UUID(intent["id"]), stray.pk)), "payer": till.wallet[1]}
    assert orjson.loads(told)["data"]["strays"] == [shown]
    [leg] = till.api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert (leg["strays"], leg["to_amount"]) == ([shown], "25")
    assert violations() == []


@pytest.mark.spec("Rulings C11.1")
def test_what_an_exchange_leaves_to_the_merchant_is_a_stray(swap_till: SwapTill) -> None:
    signature, intent = _pays(swap_till, USDT)
    assert (intent["status"], swap_till.held()) == ("settled", UNITS)
    facts = Credit.objects.order_by("purpose", "pk").values_list("purpose", "tx_hash", "token_address", "base_units")
    assert list(facts) == [("settlement", signature, USDC, UNITS), ("stray", signature, USDT, LEFT_OVER)]
    assert swap_till.told().count("stray_arrived") == 1
    assert violations() == []


def test_a_token_that_nobody_knows_is_no_stray(solana_till: SolanaTill) -> None:
    _, intent = _pays(solana_till, str(Keypair().pubkey()))
    assert (intent["status"], solana_till.credited()) == ("settled", [UNITS])
    assert "stray_arrived" not in solana_till.told()


def test_a_stray_goes_with_the_fork_that_had_it(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    till.report(attempt, signature := till.send(attempt, _beside(till, USDT)))
    till.sweep()
    assert [one.purpose for one in Credit.objects.order_by("purpose", "pk")] == ["settlement", "stray"]
    till.node.roll_back(signature)
    till.sweep()
    till.node.finalize()
    till.sweep(2)
    assert Credit.objects.filter(reversed_at=None).count() == 0
    assert "stray_arrived" not in till.told()


@pytest.mark.spec("Rulings C11.1")
@pytest.mark.parametrize("is_other_first", [False, True], ids=["in order", "the other first"])
def test_with_two_references_nothing_beside_them_is_a_stray(solana_till: SolanaTill, is_other_first: bool) -> None:
    """Two payments to one merchant in one transaction, in two tokens: whose a coin beside them is, nobody can say."""
    one = solana_till
    other = SolanaTill(api=one.api, node=one.node, payer=one.payer, merchant=one.merchant, token=USDT, symbol="USDT")
    one.node.mint(USDT, one.wallet[1], UNITS)
    one.node.fund(one.merchant, ONE_SOL)
    first, second = one.issue("25"), other.issue("25")

    def both(asked: list[Instruction]) -> list[Instruction]:
        opening, _, paid = instructions_of(other.unsigned(second))[-3:]
        return [*_beside(one, SOLANA_NATIVE_ADDRESS)(asked), opening, paid]

    signature = one.send(first, both)
    one.report(first, signature)
    other.report(second, signature)
    one.node.finalize()
    order = (other, one) if is_other_first else (one, other)
    for each in (*order, *order):
        each.sweep(2)
    for each in (one, other):
        assert (each.sweep()["status"], each.credited()) == ("settled", [UNITS])
        assert "stray_arrived" not in each.told()
    assert set(Credit.objects.values_list("purpose", "mark")) == {("settlement", "reference")}
    assert violations() == []
