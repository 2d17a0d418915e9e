"""Test mode's wallets and the payer's token list: the same every time, and able to pay anything."""

from dataclasses import replace
from decimal import Decimal
from itertools import product

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

pytestmark = pytest.mark.usefixtures("db")
EVM_WALLET = "0x7e57000000000000000000000000000000000a11"
SOLANA_WALLET = "7E57AddressForTestSett1ementsYYYYYYYYYYYYYYY"
ORDINARY = [(Family.EVM, EVM_WALLET), (Family.SOLANA, SOLANA_WALLET)]
SPLIT = [(Family.EVM, EVM_WALLET[:-4] + "5B17"), (Family.SOLANA, SOLANA_WALLET[:-5] + "Sp1it")]
EMPTY = [(Family.EVM, EVM_WALLET[:-4] + "0bad"), (Family.SOLANA, SOLANA_WALLET[:-5] + "broke")]
PAIRS = [("base", "USDC"), ("ethereum", "ETH"), ("bnb", "USDT"), ("solana", "SOL"), ("moonbeam", "GLMR")]
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


def paying(amount: str, chain: str = "base", symbol: str = "USDC") -> PaymentGoal:
    """A test payment of so many dollars into a settlement pair."""
    destination = settlement_asset(Mode.TEST, chain, symbol)
    assert destination is not None
    return goal(target_base_units(destination, Decimal(amount)), destination)


def wallet(family: Family, address: str, wanted: PaymentGoal) -> list[Holding]:
    return look(Mode.TEST, family, address, wanted)


def plan(wanted: PaymentGoal, family: Family, address: str) -> Plan:
    return plan_payment(wanted, wallet(family, address, wanted), ask_providers)


def options(wanted: PaymentGoal, family: Family, address: str) -> list[TokenOption]:
    return token_options(wanted, wallet(family, address, wanted), ask_providers)


def test_an_ordinary_wallet_holds_several_tokens_on_each_chain_of_its_family() -> None:
    for family, address in ORDINARY:
        holdings = wallet(family, address, paying("25"))
        worth = [value_usd(held.asset, held.base_units) for held in holdings]
        chains = [held.asset.chain for held in holdings]
        assert set(chains) == {known.name for known in CHAINS if known.family is family}
        assert min(chains.count(name) for name in chains) >= 3
        assert max(worth) == 1_250_000
        assert 0 < min(worth) < Decimal("0.01")
        assert len({key_of(held.asset) for held in holdings}) == len(holdings)
        assert holdings == wallet(family, address, paying("9"))
        assert holdings != wallet(family, "another" + address[7:], paying("25"))


@pytest.mark.spec("Limits: intent amount; Test mode")
@pytest.mark.slow
def test_one_token_pays_any_amount_into_any_pair_and_small_balances_need_three() -> None:
    kinds = [*((one, 1) for one in ORDINARY), *((one, 3) for one in SPLIT)]
    for amount, pair, (one, many) in product(("0.01", "25", "19999.99", "1000000"), PAIRS, kinds):
        if amount == "0.01" and many == 3:
            continue
        wanted = paying(amount, *pair)
        made = plan(wanted, *one)
        assert (made.refusal, len(made.legs)) == (None, many), (amount, pair, one)
        assert sum(leg.min_output_base_units for leg in made.legs) >= wanted.target_base_units
        assert sum(leg.to_amount_usd for leg in made.legs) >= Decimal(amount)
        assert sum(entry.chosen for entry in made.candidates) == many


def test_the_settlement_token_is_in_the_wallet_and_sent_directly() -> None:
    """Also a token that only test mode knows."""
    for pair, one in (
        (("base", "USDC"), ORDINARY[0]),
        (("solana", "USDC"), ORDINARY[1]),
        (("base", "FOO"), ORDINARY[0]),
    ):
        made = plan(paying("25", *pair), *one)
        assert [(leg.provider, leg.request.target_base_units) for leg in made.legs] == [("direct", 25_000_000)]
        assert made.reason == "Direct transfer of the exact amount: nothing is converted and no provider is paid."
        assert {entry.offer.provider for entry in made.candidates} == {"direct", "atlas", "meridian"}
        assert sum(entry.error is not None for entry in made.candidates) >= 2


def test_an_empty_wallet_can_pay_nothing_and_recommends_nothing_and_no_list_of_tokens_is_needed() -> None:
    for empty in EMPTY:
        made = plan(paying("0.01"), *empty)
        assert (made.legs, made.refusal) == ((), NOT_ENOUGH)
        assert {(line["sufficient"], line["recommended"]) for line in options(paying("25"), *empty)} == {(False, False)}
    Token.objects.all().delete()
    assert [len(plan(paying("1000000"), *one).legs) for one in ORDINARY + SPLIT] == [1, 1, 3, 3]


def test_the_payers_list_shows_the_best_token_first_and_says_what_would_suffice() -> None:
    lines = options(paying("25"), *ORDINARY[0])
    assert lines[0] == {
        **{"token_address": USDC_ON_BASE, "symbol": "USDC", "name": "USD Coin", "chain": "base", "chain_name": "Base"},
        **{"balance": "20000.00", "balance_usd": "20000.00", "sufficient": True, "recommended": True},
        **{"pay_amount": "25.00", "pay_usd": "25.00", "fee_usd": "0.00", "gas_usd": "0.01", "duration_sec": 10},
        "why": {"code": "exact", "facts": {}},
    }
    assert [line["recommended"] for line in lines] == [True] + [False] * (len(lines) - 1)
    assert [line["sufficient"] for line in lines] == sorted((line["sufficient"] for line in lines), reverse=True)
    assert all(line["why"]["code"] for line in lines)
    [dust] = [line for line in lines if (line["chain"], line["symbol"]) == ("polygon", "WPOL")]
    assert (dust["balance"], dust["balance_usd"], dust["sufficient"]) == ("0.008", "0.00", False)
    assert dust["why"] == {"code": "not_enough", "facts": {"needed": dust["pay_amount"], "symbol": "WPOL"}}


def test_the_list_shows_what_the_quote_will_say_but_for_a_scripted_failure() -> None:
    wanted = paying("25")
    holdings = wallet(*ORDINARY[0], wanted)
    [chosen] = [held.asset for held in holdings if (held.asset.chain, held.asset.symbol) == ("arbitrum", "USDC")]
    lines = token_options(wanted, holdings, ask_providers)
    [line] = [one for one in lines if (one["chain"], one["token_address"]) == key_of(chosen)]
    [leg] = plan_payment(wanted, holdings, ask_providers, source=chosen).legs
    assert Decimal(line["pay_amount"] or 0) == Decimal(leg.input_base_units).scaleb(-6)
    assert (line["duration_sec"], line["gas_usd"]) == (leg.duration_sec, "0.06")
    failing = replace(wanted, scenario="fail_route")
    assert options(failing, *ORDINARY[0])[0]["sufficient"] is True
    assert plan(failing, *ORDINARY[0]).legs == ()


def test_where_only_several_balances_suffice_the_first_stands_for_all() -> None:
    for family, address in SPLIT:
        wanted = paying("25")
        lines, holdings = options(wanted, family, address), wallet(family, address, wanted)
        assert [line["sufficient"] for line in lines] == [True] + [False] * (len(lines) - 1)
        assert lines[0]["why"] == {"code": "together", "facts": {"count": "3"}}
        assert Decimal(lines[0]["pay_usd"] or 0) >= 25 > Decimal(lines[0]["pay_amount"] or 0)
        first = next(held.asset for held in holdings if held.asset.address == lines[0]["token_address"])
        assert len(plan_payment(wanted, holdings, ask_providers, source=first).legs) == 3


def test_what_no_provider_quotes_has_no_figures_and_what_lacks_its_network_fee_says_so() -> None:
    [line] = token_options(goal(), [holding(USDT, "100")], lambda question: [])
    assert (line["pay_amount"], line["pay_usd"], line["fee_usd"], line["gas_usd"]) == (None, None, None, None)
    assert (line["duration_sec"], line["sufficient"]) == (None, False)
    assert line["why"] == {"code": "no_route", "facts": {}}
    [line] = token_options(goal(), [holding(USDT, "100")], ask_providers)
    assert line["why"] == {"code": "no_gas_coin", "facts": {"coin": "ETH", "chain": "base"}}
