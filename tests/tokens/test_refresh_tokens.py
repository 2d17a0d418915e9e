"""The hourly list over real HTTP: what is taken over, what is refused, and that nothing is lost to a bad answer."""

import logging
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.tokens.aggregators import FAULTS, Aggregator
from tokens.models import Token
from tokens.services import listing, refresh_tokens, set_verified
from tokens.tasks import refresh_tokens as task

pytestmark = pytest.mark.django_db
PEPE = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"
FAKE = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
BONK = "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"
WORMHOLE_ETHER = "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs"
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
WBTC = "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599"


def pepe(**changes: Any) -> dict[str, Any]:
    row = {"address": PEPE, "symbol": "PEPE", "name": "Pepe", "decimals": 18, "priceUSD": "0.00000412", "tags": []}
    return {**row, "verificationStatus": "verified", "logoURI": "https://example.com/p.png", **changes}


def bonk(**changes: Any) -> dict[str, Any]:
    row = {"id": BONK, "symbol": "Bonk", "name": "Bonk", "decimals": 5, "isVerified": True, "organicScore": 98.5}
    return {**row, "tokenProgram": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "usdPrice": 2.1e-05, **changes}


def stored(address: str, chain: str = "base") -> tuple[Any, ...]:
    return tuple(
        Token.objects.filter(chain=chain, address=address).values_list("symbol", "decimals", "verified", "source").get()
    )


def everything() -> list[dict[str, Any]]:
    return [dict(row) for row in Token.objects.order_by("pk").values()]


def test_tokens_of_both_sources_are_listed_and_stay(lifi: Aggregator, jupiter: Aggregator, settings: Settings) -> None:
    """Through bad answers, lists without them, and no source at all. Tokens of other chains are not ours."""
    lifi.lists("base", pepe(address=PEPE.lower()), pepe(address=FAKE, verificationStatus="unverified"))
    lifi.lists("solana", {**pepe(address=BONK, symbol="BONK", decimals=5)})
    lifi.tokens["43114"] = [pepe(chainId=43114)]
    jupiter.verified = [bonk()]
    settings.LIFI_API_KEY, settings.JUPITER_API_KEY = "one", "other"
    count = Token.objects.count()
    refresh_tokens()
    assert stored(PEPE) == ("PEPE", 18, True, "lifi")
    assert stored(BONK, "solana") == ("BONK", 5, True, "lifi, jupiter")
    assert Token.objects.count() == count + 3
    assert sorted(lifi.asked) == sorted(
        f"/tokens?chains={number}&chainTypes=EVM%2CSVM" for number in (1, 8453, 42161, 10, 137, 56, 1151111081099710)
    )
    assert jupiter.asked == ["/tokens/v2/tag?query=verified"]
    assert (set(lifi.keys), set(jupiter.keys)) == ({"one"}, {"other"})
    before = everything()
    for fault in ("", *FAULTS):
        lifi.fault = jupiter.fault = fault
        refresh_tokens()
        assert everything() == before, fault
    lifi.fault = jupiter.fault = ""
    lifi.lists("base")
    refresh_tokens()
    assert everything() == before
    settings.LIFI_URL = settings.JUPITER_URL = ""
    asked = len(lifi.asked)
    task()
    assert (everything(), len(lifi.asked)) == (before, asked)


def test_one_source_that_breaks_does_not_stop_the_other(lifi: Aggregator, jupiter: Aggregator) -> None:
    lifi.fault, jupiter.verified = "500", [bonk()]
    refresh_tokens()
    assert stored(BONK, "solana") == ("Bonk", 5, True, "jupiter")


def test_trust_follows_the_sources(lifi: Aggregator, jupiter: Aggregator) -> None:
    """A flag outweighs the other source, and two sources do not make a second dollar."""
    for status in ("verified", "unverified", "flagged", None, True):
        lifi.lists("base", pepe(verificationStatus=status))
        refresh_tokens()
        assert stored(PEPE) == ("PEPE", 18, status == "verified", "lifi")
        Token.objects.filter(address=PEPE).delete()
    lifi.lists("solana", pepe(address=BONK, decimals=5, verificationStatus="flagged"))
    jupiter.verified = [bonk()]
    refresh_tokens()
    assert stored(BONK, "solana")[2] is False
    Token.objects.filter(address=BONK).delete()
    lifi.lists("solana", pepe(address=BONK, symbol="USDC", decimals=5))
    jupiter.verified = [bonk(symbol="USDC")]
    refresh_tokens()
    assert stored(BONK, "solana") == ("USDC", 5, False, "lifi, jupiter")


MALFORMED: dict[str, list[Any]] = {
    "address": [PEPE.replace("a", "A", 1), "0x6982", PEPE + "\x00", "0" * 5000, None, BONK],
    "chainId": [1, "8453", True],
    "symbol": ["", "P" * 33, "PE\u200bPE", "PEPE\u202e", "PE\nPE", "PE\x00PE", ["PEPE"], None],
    "name": ["", "p" * 129, "Pe\x1bpe", {"en": "Pepe"}],
    "decimals": [37, -1, "18", 18.0, True, None, 10**30],
}


def test_a_malformed_row_is_left_out_and_counted(lifi: Aggregator, caplog: pytest.LogCaptureFixture) -> None:
    wrong = [pepe(chainId=8453) | {name: value} for name, values in MALFORMED.items() for value in values]
    lifi.lists("base", pepe(address=FAKE, symbol="GOOD"))
    lifi.tokens["8453"] += [*wrong, "row", None, []]
    before = Token.objects.count()
    with caplog.at_level(logging.INFO, "causeway.tokens"):
        refresh_tokens()
    assert Token.objects.count() == before + 1
    assert stored(FAKE) == ("GOOD", 18, True, "lifi")
    assert f"tokens_refreshed lifi: 1 rows, {len(wrong) + 3} malformed" in caplog.text


def test_a_fake_with_a_famous_symbol_is_never_verified(lifi: Aggregator) -> None:
    """Nor a token that takes one later; its known bearer is."""
    famous = [
        *("USDC", "usdc", "USDC ", "U.S.D.C", "$USDC", "USDС", "ＵＳＤＣ", "USDĊ", "USDC\u3164", "5OL", "S0L", "U5DT"),
        *("USD₮", "ETH", "WETH", "DAI", "DAl", "PYUSD", "SOL", "BTC", "WBTC", "BNB", "ΕΤΗ"),
    ]
    addresses = {symbol: f"0x{number:040d}" for number, symbol in enumerate([*famous, "D4I\u0301USDC"], start=1)}
    lifi.lists("base", pepe(), *(pepe(address=address, symbol=symbol) for symbol, address in addresses.items()))
    lifi.lists("ethereum", pepe(address=WBTC, symbol="WBTC", decimals=8), pepe(address=FAKE, symbol="WBTC", decimals=8))
    refresh_tokens()
    trusted = [symbol for symbol, address in addresses.items() if stored(address)[2]]
    assert trusted == ["D4I\u0301USDC"]
    assert (stored(WBTC, "ethereum")[2], stored(FAKE, "ethereum")[2]) == (True, False)
    lifi.lists("base", pepe(symbol="USDC"))
    refresh_tokens()
    assert stored(PEPE) == ("USDC", 18, False, "lifi")


def test_two_sources_are_enough_where_nobody_else_is_known_and_silence_takes_no_trust_away(
    lifi: Aggregator, jupiter: Aggregator
) -> None:
    ether = {"symbol": "ETH", "name": "Ether (Wormhole)", "decimals": 8}
    lifi.lists("solana", pepe(address=WORMHOLE_ETHER, **ether))
    both = bonk(id=WORMHOLE_ETHER, **ether)
    for fault, verified, is_trusted in (("", [], False), ("", [both], True), ("500", [], True), ("", [], False)):
        jupiter.fault, jupiter.verified = fault, verified
        refresh_tokens()
        assert stored(WORMHOLE_ETHER, "solana")[2] is is_trusted
        assert not fault or stored(WORMHOLE_ETHER, "solana") == ("ETH", 8, True, "lifi, jupiter")


def test_the_committed_list_wins(lifi: Aggregator, caplog: pytest.LogCaptureFixture) -> None:
    before = everything()
    lifi.lists("base", pepe(address=USDC_ON_BASE, symbol="SCAM", decimals=18, verificationStatus="flagged"))
    lifi.lists("bnb", pepe(address="0x" + "e" * 40, symbol="BNB"))
    refresh_tokens()
    assert everything() == before
    told = f"token_contradicted base {USDC_ON_BASE}: lifi gives other decimals than the committed list"
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [told]


def test_a_token_that_changes_its_decimals_keeps_the_old_and_loses_its_trust(
    lifi: Aggregator, caplog: pytest.LogCaptureFixture
) -> None:
    lifi.lists("base", pepe())
    refresh_tokens()
    lifi.lists("base", pepe(decimals=6))
    refresh_tokens()
    assert stored(PEPE) == ("PEPE", 18, False, "lifi")
    assert f"token_contradicted base {PEPE}: lifi gives other decimals than what is stored" in caplog.text
    lifi.lists("base", pepe())
    refresh_tokens()
    assert stored(PEPE)[2] is False


def test_sources_that_contradict_each_other_list_nothing_new(lifi: Aggregator, jupiter: Aggregator) -> None:
    lifi.lists("solana", pepe(address=BONK, decimals=6))
    jupiter.verified = [bonk()]
    refresh_tokens()
    assert not Token.objects.filter(address=BONK).exists()
    jupiter.verified = []
    refresh_tokens()
    jupiter.verified = [bonk()]
    refresh_tokens()
    assert stored(BONK, "solana")[1:3] == (6, False)


def test_a_token_twice_in_one_list_has_one_row(lifi: Aggregator) -> None:
    lifi.lists("base", pepe(), pepe(address=PEPE.lower(), symbol="AGAIN"))
    refresh_tokens()
    assert stored(PEPE) == ("PEPE", 18, True, "lifi")


@pytest.mark.parametrize("word", ["yes", "no"])
@pytest.mark.parametrize("address", [PEPE, USDC_ON_BASE], ids=["from a source", "committed"])
def test_no_source_overrules_an_operator(lifi: Aggregator, word: str, address: str) -> None:
    lifi.lists("base", pepe(verificationStatus="verified"))
    refresh_tokens()
    call_command("set_token_verified", "base", address.lower(), word, stdout=StringIO())
    for status in ("verified", "unverified", "flagged"):
        lifi.lists("base", pepe(verificationStatus=status), pepe(address=USDC_ON_BASE, verificationStatus=status))
        refresh_tokens()
        assert stored(address)[2] is (word == "yes")


def test_what_somebody_changed_by_hand_stays(lifi: Aggregator) -> None:
    for address, verified in ((PEPE, True), (FAKE, False)):
        lifi.lists("base", pepe(address=address, verificationStatus="unverified" if verified else "verified"))
        refresh_tokens()
        Token.objects.filter(address=address).update(verified=verified)
        refresh_tokens()
        assert stored(address)[2] is verified
    usdc = Token.objects.get(chain="base", symbol="USDC")
    set_verified(usdc, verified=False)
    usdc.refresh_from_db()
    assert (usdc.verified, usdc.verified_by_sources) == (False, None)
    with pytest.raises(CommandError, match="is not on the list for base"):
        call_command("set_token_verified", "base", WBTC, "yes")


def test_a_chain_has_a_bounded_number_of_tokens(lifi: Aggregator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_TOKENS_PER_CHAIN", 10)
    monkeypatch.setattr(listing, "MOST_UNVERIFIED_PER_CHAIN", 3)
    rows = [
        pepe(address=f"0x{number:040x}", symbol=f"T{number}", verificationStatus=status)
        for number, status in enumerate(["unverified"] * 20 + ["verified"] * 20, start=1)
    ]
    lifi.lists("base", *rows[:20])
    refresh_tokens()
    listed = Token.objects.filter(chain="base").exclude(source="").order_by("pk")
    assert [token.symbol for token in listed] == ["ETH", "USDC", "USDT", "WETH", "T1", "T2"]
    lifi.lists("base", *rows)
    refresh_tokens()
    assert [token.symbol for token in listed.all()][6:] == ["T21", "T22", "T23", "T24"]
    refresh_tokens()
    assert listed.all().count() == 10


def test_a_long_list_is_stored_in_few_statements(lifi: Aggregator, django_assert_max_num_queries: Any) -> None:
    lifi.lists("base", *(pepe(address=f"0x{number:040x}", symbol=f"T{number}") for number in range(1, 600)))
    with django_assert_max_num_queries(10):
        refresh_tokens()
    assert Token.objects.filter(chain="base").count() == 500
