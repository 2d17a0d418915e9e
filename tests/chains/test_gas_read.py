"""What gas accounts hold, read each minute: what operators see of it, and when programs are asked for nothing."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from chains.authorized_calls import READING_STANDS, why_not_offered
from chains.clients.evm_preflight import Market, Purse
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.gas_accounts import USUAL_GAS, coins_of, read_gas_accounts
from chains.models import GasAccount
from chains.registry import chain
from core.clock import now
from core.money import BaseUnits
from core.pauses import pause
from operations.exporter import _gas
from operations.readiness import checks_of_readiness

pytestmark = pytest.mark.django_db
GWEI = 10**9
CALL = USUAL_GAS * 5 // 4 * 3 * GWEI
"""What one call costs where the base fee is one gwei, and a tip is one: enough though the base fee doubles."""


class Pool:
    """The nodes of a chain, which say one thing, or nothing."""

    def __init__(self, coins: int | None, base_fee: int = GWEI) -> None:
        self.coins, self.base_fee = coins, base_fee

    def ask(self, _: Any) -> Purse:
        if self.coins is None:
            raise ChainUnavailable("base")
        market = Market(base_fee=BaseUnits(self.base_fee), usual_tip=BaseUnits(GWEI))
        return Purse(coin_balance=BaseUnits(self.coins), market=market)


@pytest.fixture
def gas(settings: Settings) -> GasAccount:
    settings.RPC_URLS = {"base": ["http://node.example"], "ethereum": ["http://node.example"]}
    made: GasAccount = GasAccount.objects.create(
        network=settings.NETWORK_PROFILE, chain="base", address="0xA", backend="keystore"
    )
    return made


def read(monkeypatch: pytest.MonkeyPatch, gas: GasAccount, coins: int | None, **more: int) -> GasAccount:
    monkeypatch.setattr(EVM, "pool", lambda _: Pool(coins, **more))
    read_gas_accounts()
    gas.refresh_from_db()
    return gas


def figures() -> dict[str, float]:
    return {metric.name: sample.value for metric in _gas() for sample in metric.samples}


def test_it_is_read_with_what_a_call_could_cost(monkeypatch: pytest.MonkeyPatch, gas: GasAccount) -> None:
    assert (gas.calls_left, why_not_offered("base"), set(figures())) == (None, "", {"causeway_gas_account_age_seconds"})
    seen = read(monkeypatch, gas, 60 * CALL - 1)
    assert (seen.call_cost, seen.calls_left, coins_of(seen)) == (CALL, 59, Decimal(60 * CALL - 1) / 10**18)
    found = figures()
    assert found["causeway_gas_account_calls_left"] == 59
    assert found["causeway_gas_account_coins"] == pytest.approx(0.0225, rel=1e-9)
    assert (found["causeway_gas_account_age_seconds"] < 60, why_not_offered("base")) == (True, "")


def test_above_the_cap_of_fees_a_call_costs_the_cap(monkeypatch: pytest.MonkeyPatch, gas: GasAccount) -> None:
    known = chain("base")
    assert known is not None
    seen = read(monkeypatch, gas, 10**18, base_fee=known.fee_cap)
    assert seen.call_cost == USUAL_GAS * 5 // 4 * known.fee_cap


def test_an_empty_account_is_offered_to_nobody_as_long_as_that_was_read_lately(
    monkeypatch: pytest.MonkeyPatch, gas: GasAccount
) -> None:
    read(monkeypatch, gas, CALL - 1)
    assert why_not_offered("base") == "gas"
    GasAccount.objects.update(read_at=now() - READING_STANDS - timedelta(seconds=1))
    assert why_not_offered("base") == ""
    read(monkeypatch, gas, CALL)
    assert why_not_offered("base") == ""


def test_a_silent_chain_changes_nothing_and_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, gas: GasAccount, settings: Settings
) -> None:
    read(monkeypatch, gas, 7 * CALL)
    more = {"network": settings.NETWORK_PROFILE, "backend": "keystore"}
    other = GasAccount.objects.create(chain="ethereum", address="0xB", **more)
    unread = GasAccount.objects.create(chain="polygon", address="0xC", **more)
    long_ago = now() - timedelta(hours=1)
    GasAccount.objects.filter(pk=gas.pk).update(read_at=long_ago)
    monkeypatch.setattr(EVM, "pool", lambda name: Pool(None if name == "base" else 10**18))
    read_gas_accounts()
    for account in (gas, other, unread):
        account.refresh_from_db()
    assert (gas.calls_left, gas.read_at, other.coin_balance) == (7, long_ago, 10**18)
    assert (unread.read_at, unread.calls_left) == (None, None)
    ages = {sample.labels["chain"]: sample.value for metric in _gas() for sample in metric.samples}
    assert (ages["base"] >= 3600, ages["ethereum"] < 60) == (True, True)


def test_readiness_names_it_and_stays_ok(monkeypatch: pytest.MonkeyPatch, gas: GasAccount) -> None:
    def said() -> tuple[str, str]:
        check = checks_of_readiness()["gas.base"]
        return check["status"], check.get("detail", "")

    assert said() == ("ok", "Nobody has read yet what it holds.")
    read(monkeypatch, gas, 50 * CALL)
    assert said() == ("ok", "")
    read(monkeypatch, gas, 50 * CALL - 1)
    assert said() == ("ok", "It holds coin for few calls, or none. Operators read how many.")
    pause(gas.pause_kind, reason="the key may have leaked", by="operator")
    assert said()[1].startswith("Paused by an operator since ")
