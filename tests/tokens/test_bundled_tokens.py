"""The committed list: well formed, agreeing with the chain registry, loaded into every fresh database."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command

from chains.addresses import parse_address
from chains.registry import CHAINS
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price
from tokens.settlement_pairs import SETTLEMENT_PAIRS
from tokens.sources.bundled import bundled_tokens

BY_NAME = {entry.name: entry for entry in CHAINS}


def rows() -> list[dict[str, object]]:
    return [dict(row) for row in Token.objects.values()]


def test_every_address_is_spelt_as_it_is_stored() -> None:
    for token in bundled_tokens():
        assert parse_address(BY_NAME[token.chain], token.address) == token.address


def test_no_token_is_listed_twice() -> None:
    counts = Counter((token.chain, token.address) for token in bundled_tokens())

    assert set(counts.values()) == {1}


def test_every_row_says_where_it_was_read() -> None:
    assert [token.address for token in bundled_tokens() if len(token.source) < 10] == []


def test_native_coins_agree_with_the_chain_registry() -> None:
    listed = {
        token.chain: (token.symbol, token.decimals, token.address) for token in bundled_tokens() if token.is_native
    }

    assert listed == {
        entry.name: (entry.native_symbol, entry.native_decimals, entry.native_address) for entry in CHAINS
    }


@pytest.mark.spec("Contract 7.4")
def test_stablecoins_of_bnb_chain_have_eighteen_decimals() -> None:
    decimals = {(token.chain, token.symbol): token.decimals for token in bundled_tokens() if token.is_usd_stablecoin}

    assert decimals == {
        ("ethereum", "USDC"): 6,
        ("ethereum", "USDT"): 6,
        ("ethereum", "PYUSD"): 6,
        ("ethereum", "DAI"): 18,
        ("base", "USDC"): 6,
        ("arbitrum", "USDC"): 6,
        ("arbitrum", "USDT"): 6,
        ("optimism", "USDC"): 6,
        ("optimism", "USDT"): 6,
        ("polygon", "USDC"): 6,
        ("polygon", "USDC.e"): 6,
        ("polygon", "USDT"): 6,
        ("bnb", "USDC"): 18,
        ("bnb", "USDT"): 18,
        ("solana", "USDC"): 6,
        ("solana", "USDT"): 6,
    }


def test_what_no_issuer_vouches_for_is_no_stablecoin() -> None:
    assert [token.chain for token in bundled_tokens() if token.is_usd_stablecoin and not token.verified] == []


def test_every_settlement_pair_is_a_verified_token_of_that_symbol() -> None:
    verified = {(token.chain, token.symbol, token.address) for token in bundled_tokens() if token.verified}

    assert {(pair.chain, pair.symbol, pair.address) for pair in SETTLEMENT_PAIRS} <= verified


@pytest.mark.django_db
def test_a_fresh_database_holds_the_list() -> None:
    columns = list(asdict(bundled_tokens()[0]))
    stored = list(Token.objects.order_by("id").values(*columns))

    assert stored == [asdict(token) for token in bundled_tokens()]


@pytest.mark.django_db
def test_loading_again_changes_nothing() -> None:
    before = rows()

    assert load_bundled_tokens() == len(before)
    assert rows() == before


@pytest.mark.django_db
def test_loading_repairs_what_the_list_says_and_keeps_the_rest() -> None:
    usdc = Token.objects.get(chain="bnb", symbol="USDC")
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    record_usd_price(usdc, Decimal("0.9998"), moment)
    Token.objects.filter(pk=usdc.pk).update(decimals=6, verified=False)
    foreign = Token.objects.create(
        chain="base", address="0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", symbol="X", decimals=9, source="test"
    )

    load_bundled_tokens()

    usdc.refresh_from_db()
    assert (usdc.decimals, usdc.verified) == (18, False)
    assert list(usdc.prices.values_list("price_usd", "priced_at")) == [(Decimal("0.9998"), moment)]
    assert Token.objects.filter(pk=foreign.pk).exists()


@pytest.mark.django_db
def test_the_command_puts_a_missing_token_back() -> None:
    Token.objects.filter(chain="solana").delete()
    out = StringIO()

    call_command("load_tokens", stdout=out)

    assert out.getvalue() == f"{len(bundled_tokens())} tokens in the committed list are loaded.\n"
    assert Token.objects.filter(chain="solana").count() == 4
