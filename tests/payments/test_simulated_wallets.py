"""Test mode's wallets and the payer's token list: the same every time, and able to pay anything."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from chains.registry import CHAINS, Family
from core.modes import Mode
from payments.routing.assets import key_of, settlement_asset, target_base_units, value_usd
from payments.routing.balances import look
from payments.routing.base import Holding, PaymentGoal, Plan
from payments.routing.options import TokenOption, token_options
from payments.routing.planning import NOT_ENOUGH, plan_payment
from payments.routing.registry import ask_providers
from tests.payments.offers import USDT, goal, holding
from tokens.models import Token

EVM_WALLET = "0x7e57000000000000000000000000000000000a11"
SOLANA_WALLET = "7E57AddressForTestSett1ementsYYYYYYYYYYYYYYY"
SPLIT_WALLETS = [(Family.EVM, EVM_WALLET[:-4] + "5B17"), (Family.SOLANA, SOLANA_WALLET[:-5] + "Sp1it")]
EMPTY_WALLETS = [(Family.EVM, EVM_WALLET[:-4] + "0bad"), (Family.SOLANA, SOLANA_WALLET[:-5] + "broke")]
ORDINARY_WALLETS = [(Family.EVM, EVM_WALLET), (Family.SOLANA, SOLANA_WALLET)]
PAIRS = [("base", "USDC"), ("ethereum", "ETH"), ("bnb", "USDT"), ("solana", "SOL"), ("moonbeam", "GLMR")]


def pay(amount: str, pair: tuple[str, str]) -> PaymentGoal:
    """A test payment of so many dollars into a settlement pair."""
    destination = settlement_asset(Mode.TEST, *pair)
    assert destination is not None
    return goal(target_base_units(destination, Decimal(amount)), destination)


def wallet(family: Family, address: str, wanted: PaymentGoal) -> list[Holding]:
    """What the wallet holds in test mode."""
    return look(Mode.TEST, family, address, wanted)


def plan(wanted: PaymentGoal, family: Family, address: str) -> Plan:
    """The plan of the whole test mode."""
    return plan_payment(wanted, wallet(family, address, wanted), ask_providers)


@pytest.mark.spec("Test mode")
def test_the_two_wallets_together_reach_all_seven_chains(db: None) -> None:
    wanted = pay("25", ("base", "USDC"))
    chains = {
        family: {held.asset.chain for held in wallet(family, address, wanted)} for family, address in ORDINARY_WALLETS
    }
    assert chains[Family.EVM] == {"ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"}
    assert chains[Family.SOLANA] == {"solana"}
    assert chains[Family.EVM] | chains[Family.SOLANA] == {known.name for known in CHAINS}


@pytest.mark.parametrize(("family", "address"), ORDINARY_WALLETS)
def test_an_ordinary_wallet_holds_several_tokens_on_each_chain(db: None, family: Family, address: str) -> None:
    holdings = wallet(family, address, pay("25", ("base", "USDC")))
    worth = [value_usd(held.asset, held.base_units) for held in holdings]
    counts = {held.asset.chain: 0 for held in holdings}
    for held in holdings:
        counts[held.asset.chain] += 1
    assert min(counts.values()) >= 3
    assert max(worth) == 1_250_000
    assert 0 < min(worth) < Decimal("0.01")
    assert len({key_of(held.asset) for held in holdings}) == len(holdings)
    assert holdings == wallet(family, address, pay("9", ("base", "USDC")))
    assert holdings != wallet(family, "another" + address[7:], pay("25", ("base", "USDC")))


@pytest.mark.spec("Limits: intent amount")
@pytest.mark.slow
def test_an_ordinary_wallet_pays_any_amount_into_any_pair_with_one_token(db: None) -> None:
    amounts = ("0.01", "25", "19999.99", "1000000")
    for amount, pair, (family, address) in product(amounts, PAIRS, ORDINARY_WALLETS):
        wanted = pay(amount, pair)
        made = plan(wanted, family, address)
        assert (made.refusal, len(made.legs)) == (None, 1), (amount, pair)
        assert made.legs[0].min_output_base_units >= wanted.target_base_units
        assert made.legs[0].to_amount_usd >= Decimal(amount)


@pytest.mark.parametrize(
    ("pair", "family", "address"),
    [(("base", "USDC"), *ORDINARY_WALLETS[0]), (("solana", "USDC"), *ORDINARY_WALLETS[1])],
)
def test_the_settlement_token_is_in_the_wallet_and_sent_directly(
    db: None, pair: tuple[str, str], family: Family, address: str
) -> None:
    made = plan(pay("25", pair), family, address)
    assert [leg.provider for leg in made.legs] == ["direct"]
    assert made.reason == "Direct transfer of the exact amount: nothing is converted and no provider is paid."
    assert {entry.offer.provider for entry in made.candidates} == {"direct", "atlas", "meridian"}
    assert sum(entry.error is not None for entry in made.candidates) >= 2


def test_a_token_that_only_test_mode_knows_is_in_the_wallet_too(db: None) -> None:
    wanted = pay("25", ("base", "FOO"))
    assert (wanted.destination.address, wanted.destination.decimals, wanted.target_base_units) == ("FOO", 6, 25_000_000)
    assert [leg.provider for leg in plan(wanted, *ORDINARY_WALLETS[0]).legs] == ["direct"]


@pytest.mark.slow
def test_a_wallet_of_small_balances_pays_in_three_transactions(db: None) -> None:
    for amount, pair, (family, address) in product(("1", "25", "99999.99", "1000000"), PAIRS, SPLIT_WALLETS):
        wanted = pay(amount, pair)
        made = plan(wanted, family, address)
        assert len(made.legs) == 3, (amount, pair)
        assert sum(leg.min_output_base_units for leg in made.legs) >= wanted.target_base_units
        assert sum(entry.chosen for entry in made.candidates) == 3


def test_test_mode_needs_no_list_of_tokens(db: None) -> None:
    Token.objects.all().delete()
    wanted = pay("1000000", ("base", "USDC"))
    assert [len(plan(wanted, *one).legs) for one in ORDINARY_WALLETS + SPLIT_WALLETS] == [1, 1, 3, 3]


def test_an_empty_wallet_can_pay_nothing_and_recommends_nothing(db: None) -> None:
    for empty in EMPTY_WALLETS:
        made = plan(pay("0.01", ("base", "USDC")), *empty)
        assert (made.legs, made.refusal) == ((), NOT_ENOUGH)
        lines = options(pay("25", ("base", "USDC")), *empty)
        assert {(line["sufficient"], line["recommended"]) for line in lines} == {(False, False)}


def options(wanted: PaymentGoal, family: Family, address: str) -> list[TokenOption]:
    """The payer's list."""
    return token_options(wanted, wallet(family, address, wanted), ask_providers)


def named(lines: Sequence[TokenOption], chain: str, symbol: str) -> TokenOption:
    """One line of the list."""
    return next(line for line in lines if (line["chain"], line["symbol"]) == (chain, symbol))


def test_the_payers_list_shows_the_best_token_first_and_says_what_would_suffice(db: None) -> None:
    lines = options(pay("25", ("base", "USDC")), *ORDINARY_WALLETS[0])
    token: dict[str, Any] = {
        "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "symbol": "USDC",
        "name": "USD Coin",
    }
    held: dict[str, Any] = {"balance": "20000.00", "balance_usd": "20000.00", "sufficient": True}
    costs: dict[str, Any] = {
        "pay_amount": "25.00",
        "pay_usd": "25.00",
        "fee_usd": "0.00",
        "gas_usd": "0.01",
        "duration_sec": 10,
    }
    best: dict[str, Any] = {
        "chain": "base",
        "chain_name": "Base",
        "recommended": True,
        "why": {"code": "exact", "facts": {}},
    }
    assert lines[0] == {**token, **held, **costs, **best}
    assert [line["recommended"] for line in lines] == [True] + [False] * (len(lines) - 1)
    assert [line["sufficient"] for line in lines] == sorted((line["sufficient"] for line in lines), reverse=True)
    assert all(line["why"]["code"] for line in lines)
    dust = named(lines, "polygon", "WPOL")
    assert (dust["balance"], dust["balance_usd"], dust["sufficient"]) == ("0.008", "0.00", False)
    assert dust["why"] == {"code": "not_enough", "facts": {"needed": dust["pay_amount"], "symbol": "WPOL"}}


def test_the_list_shows_what_the_quote_will_say_but_for_a_scripted_failure(db: None) -> None:
    wanted = pay("25", ("base", "USDC"))
    holdings = wallet(*ORDINARY_WALLETS[0], wanted)
    line = named(token_options(wanted, holdings, ask_providers), "arbitrum", "USDC")
    chosen = next(held.asset for held in holdings if key_of(held.asset) == (line["chain"], line["token_address"]))
    [leg] = plan_payment(wanted, holdings, ask_providers, source=chosen).legs
    assert Decimal(line["pay_amount"] or 0) == Decimal(leg.input_base_units).scaleb(-6)
    assert (line["duration_sec"], line["gas_usd"]) == (leg.duration_sec, "0.06")
    failing = replace(wanted, scenario="fail_route")
    assert options(failing, *ORDINARY_WALLETS[0])[0]["sufficient"] is True
    assert plan(failing, *ORDINARY_WALLETS[0]).legs == ()


@pytest.mark.parametrize(("family", "address"), SPLIT_WALLETS)
def test_where_only_several_balances_suffice_the_first_stands_for_all(db: None, family: Family, address: str) -> None:
    wanted = pay("25", ("base", "USDC"))
    lines = options(wanted, family, address)
    assert [line["sufficient"] for line in lines] == [True] + [False] * (len(lines) - 1)
    assert lines[0]["why"] == {"code": "together", "facts": {"count": "3"}}
    assert Decimal(lines[0]["pay_usd"] or 0) >= 25 > Decimal(lines[0]["pay_amount"] or 0)
    first = next(held for held in wallet(family, address, wanted) if held.asset.address == lines[0]["token_address"])
    again = plan_payment(wanted, wallet(family, address, wanted), ask_providers, source=first.asset)
    assert len(again.legs) == 3


def test_what_no_provider_quotes_has_no_figures_and_what_lacks_its_network_fee_says_so() -> None:
    [line] = token_options(goal(), [holding(USDT, "100")], lambda question: [])
    assert (line["pay_amount"], line["pay_usd"], line["fee_usd"], line["gas_usd"]) == (None, None, None, None)
    assert (line["duration_sec"], line["sufficient"]) == (None, False)
    assert line["why"] == {"code": "no_route", "facts": {}}
    [line] = token_options(goal(), [holding(USDT, "100")], ask_providers)
    assert line["why"] == {"code": "no_gas_coin", "facts": {"coin": "ETH", "chain": "base"}}
