"""What operators see of the coins that accounts have for fees: noted where it is read anyway, before each transfer."""

from types import SimpleNamespace
from typing import Any

import pytest

from chains.clients.registry import EVM
from chains.instructions.accounts import AccountState
from chains.models import SigningAccount, Transfer
from chains.rails.accounts import note_coins
from chains.rails.evm.preflight import preflight_of
from chains.rails.solana.facts import read_facts
from core import metrics
from core.metrics import SIGNER_COINS, Series, Totals
from core.money import BaseUnits

ADDRESS = "0x" + "11" * 20
WALLET = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"


@pytest.fixture
def totals(monkeypatch: pytest.MonkeyPatch) -> Totals:
    own = Totals()
    own.keep()
    monkeypatch.setattr(metrics, "totals", own)
    return own


def noted(totals: Totals) -> dict[Series, int]:
    return dict(totals._noted.read)  # noqa: SLF001 - what would be written


def transfer_on(chain: str, address: str) -> Transfer:
    account = SigningAccount(pk=7, address=address)
    return Transfer(
        chain=chain, account=account, sender=address, recipient=address, token_address="0x" + "22" * 20, base_units=1
    )


def test_coins_are_kept_in_millionths_by_chain_and_account(totals: Totals) -> None:
    note_coins(transfer_on("base", ADDRESS), BaseUnits(1_500_000_000_000_000_000))
    note_coins(transfer_on("solana", WALLET), BaseUnits(250_000_000))
    note_coins(transfer_on("nowhere", ADDRESS), BaseUnits(1))
    assert noted(totals) == {
        Series(SIGNER_COINS.name, ("base", "7")): 1_500_000,
        Series(SIGNER_COINS.name, ("solana", "7")): 250_000,
    }


def test_a_preflight_on_an_evm_chain_notes_them(totals: Totals, monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(balance=0, terms=SimpleNamespace(coin_balance=BaseUnits(10**18)))
    pool = SimpleNamespace(has_second=False, ask_one=lambda _: (found, None))
    monkeypatch.setattr(EVM, "pool", lambda _: pool)
    preflight: Any = preflight_of(transfer_on("base", ADDRESS))
    assert preflight is found
    assert noted(totals) == {Series(SIGNER_COINS.name, ("base", "7")): 1_000_000}


@pytest.mark.parametrize(("lamports", "coins"), [(2_000_000_000, 2_000_000), (None, 0)])
def test_what_is_read_for_a_transfer_on_solana_notes_them(
    totals: Totals, monkeypatch: pytest.MonkeyPatch, lamports: int | None, coins: int
) -> None:
    sender = None if lamports is None else AccountState(program="", lamports=lamports, content=b"")
    monkeypatch.setattr(
        "chains.rails.solana.facts.read_accounts", lambda _, names: [sender, *[None] * (len(names) - 1)]
    )
    monkeypatch.setattr("chains.rails.solana.facts.rent", lambda *_: 0)
    node: Any = SimpleNamespace(rpc=SimpleNamespace(number=lambda *_: 0))
    transfer = transfer_on("solana", WALLET)
    transfer.token_address = WALLET
    read_facts(node, transfer)
    assert noted(totals) == {Series(SIGNER_COINS.name, ("solana", "7")): coins}
