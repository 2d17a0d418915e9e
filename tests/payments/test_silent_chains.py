"""A live wallet is read on its chains side by side: a silent one holds up nobody, and is asked again."""

import threading
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from chains.clients.allowance import asking_for, spend_question
from chains.errors import ChainUnavailable
from chains.registry import CHAINS, EVM_NATIVE_ADDRESS, Family
from core.buckets import Limit
from core.clock import now
from core.money import BaseUnits
from merchants.models import Merchant
from payments.models import PayerWallet, PaymentIntent
from payments.services import budgets
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.factories.queue import due_at
from tests.factories.refunds import paid_intent
from tests.live.conftest import prices
from tests.live.evm_till import BASE_USDC
from tests.machine import PATIENCE_SECONDS
from tests.payments.payer import Payer
from tests.payments.world import World, create
from tokens.models import TokenPrice
from tokens.price_rules import MAX_AGE_SECONDS

MINE, MERCHANT = "a" * 43, "0x52908400098527886E0F7030069857D2E4169EE7"
EVM_CHAINS = [known.name for known in CHAINS if known.family is Family.EVM]

__all__ = ["prices"]


class Wallets:
    """Nodes that all must have been asked before any of them answers; some of them never do."""

    def __init__(self) -> None:
        self.silent: set[str] = set()
        self.asked: list[str] = []
        self.is_over = threading.Event()
        self.together = threading.Barrier(len(EVM_CHAINS))

    def reaches(self, chain: str) -> bool:
        """Every chain has a node."""
        return chain in EVM_CHAINS

    def balances(self, chain: str, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
        """A thousand USDC on Base. Raises: ChainUnavailable."""
        self.asked.append(chain)
        spend_question()
        self.together.wait(PATIENCE_SECONDS)
        if chain in self.silent:
            self.is_over.wait(PATIENCE_SECONDS)
            raise ChainUnavailable(chain)
        return {BASE_USDC: BaseUnits(1_000_000_000)} if chain == "base" else {}


@pytest.fixture
def wallets(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wallets]:
    """The nodes, and a provider that could carry money between them."""
    made = Wallets()
    settings.LIFI_URL = "http://127.0.0.1:9"
    settings.RPC_URLS = {**settings.RPC_URLS, **dict.fromkeys(EVM_CHAINS, ["http://127.0.0.1:9"])}
    monkeypatch.setattr("payments.routing.live_balances.WALLETS", {Family.EVM: made})
    monkeypatch.setattr("payments.services.look.ask_for_estimates", lambda _: [])
    yield made
    made.is_over.set()
    made.together.abort()


def connected(api: ApiClient) -> Payer:
    """A payer of a live payment in USDC on Base, whose wallet was looked into once."""
    place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": MERCHANT}
    payer = Payer.of(create(api, **place), browser=MINE)
    payer.act("wallet", {"family": "evm", "address": payer.address})
    sweep_due()
    return payer


def test_chains_are_asked_side_by_side(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", PATIENCE_SECONDS, raising=False)
    wallet = connected(live_api).state()["wallet"]
    assert (wallet["status"], wallet["unread_chains"]) == ("ready", [])
    assert sorted(wallets.asked) == sorted(EVM_CHAINS)
    assert [(one["chain"], one["balance"]) for one in wallet["tokens"]] == [("base", "1000.00")]


class Purse:
    """Counts what is paid from it, and never is empty."""

    spent = 0

    def spend(self) -> int:
        """Pay for one question."""
        self.spent += 1
        return 0


def test_what_is_asked_beside_is_counted_for_who_it_is_asked(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", PATIENCE_SECONDS)
    purse = Purse()
    with asking_for(purse):
        connected(live_api)
    assert purse.spent == len(EVM_CHAINS)


@pytest.mark.usefixtures("world", "wallets", "prices")
def test_who_asked_enough_waits_as_long_as_its_budget_says_and_no_chain_is_called_silent(
    live_api: ApiClient,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    monkeypatch.setattr(budgets, "MERCHANT_QUESTIONS_A_MINUTE", Limit(count=1, window_seconds=60))
    spender = budgets.IntentPurse()
    spender.pay_for(paid_intent(Merchant.objects.get()))
    assert spender.spend() == 0
    payer = connected(live_api)
    intent = PaymentIntent.objects.get(pk=payer.intent_id)
    assert due_at(intent.pk) == now() + timedelta(seconds=60)
    assert (PayerWallet.objects.get().looks, payer.state()["wallet"]["status"]) == (0, "looking")
    assert f"questions_spent: intent {intent.pk} of merchant {intent.merchant_id}" in caplog.messages
    assert not [line for line in caplog.messages if "waits for" in line]


def test_a_silent_chain_is_told_as_unknown_and_asked_again(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", 1, raising=False)
    wallets.silent = {"polygon"}
    payer = connected(live_api)
    wallet = payer.state()["wallet"]
    assert (wallet["status"], wallet["unread_chains"]) == ("ready", ["polygon"])
    assert [one["chain"] for one in wallet["tokens"]] == ["base"]
    wallets.is_over.set()
    wallets.silent = set()
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", PATIENCE_SECONDS, raising=False)
    sweep_due()
    assert len(wallets.asked) == len(EVM_CHAINS)  # not before its time
    world.wait(15)
    sweep_due()
    assert payer.state()["wallet"]["unread_chains"] == []
    assert len(wallets.asked) == 2 * len(EVM_CHAINS)


def test_one_that_stays_silent_is_given_up(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(chain: str, owner: str, tokens: Iterable[str]) -> dict[str, Any]:
        if chain == "bnb":
            raise ChainUnavailable(chain)
        return {}

    monkeypatch.setattr(wallets, "balances", refuse)
    payer = connected(live_api)
    world.run(300)
    assert (PayerWallet.objects.get().looks, payer.state()["wallet"]["unread_chains"]) == (5, ["bnb"])


def priced_anew() -> None:
    """Every price is of this moment."""
    TokenPrice.objects.update(priced_at=now())


def test_a_wallet_connected_while_nothing_has_a_price_is_looked_into_again(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its emptiness stays after the prices are back, and every quote for it is refused as an unknown token."""
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", PATIENCE_SECONDS)
    world.wait(MAX_AGE_SECONDS + 1)
    payer = connected(live_api)
    state = payer.state()
    assert (state["wallet"]["tokens"], state["last_error"]["code"]) == ([], "price_unavailable")
    assert (state["wallet"]["unread_chains"], wallets.asked) == (["base"], [])
    priced_anew()
    world.run(16)
    wallet = payer.state()["wallet"]
    assert ([one["symbol"] for one in wallet["tokens"]], wallet["unread_chains"]) == (["USDC"], [])
    assert payer.state()["last_error"] is None
    payer.act("quote", {"chain": "base", "token_address": BASE_USDC})


def test_a_wallet_whose_only_tokens_have_no_price_is_looked_into_again(
    world: World, live_api: ApiClient, wallets: Wallets, prices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settlement token has one: what cannot pay may be what nobody could value just then."""
    ether = {EVM_NATIVE_ADDRESS: BaseUnits(10**18)}
    monkeypatch.setattr(wallets, "balances", lambda chain, owner, tokens: ether if chain == "base" else {})
    TokenPrice.objects.filter(token__chain="base", token__symbol="ETH").update(priced_at=now() - timedelta(hours=1))
    payer = connected(live_api)
    assert shown(payer) == ([("ETH", "0.00")], ["base"])
    priced_anew()
    world.run(16)
    assert shown(payer) == ([("ETH", "2500.00")], [])


def shown(payer: Payer) -> tuple[list[tuple[str, str]], list[str]]:
    """Each token with what it is worth, and the chains of which not all is known."""
    wallet = payer.state()["wallet"]
    return [(one["symbol"], one["balance_usd"]) for one in wallet["tokens"]], wallet["unread_chains"]
