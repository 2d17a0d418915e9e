"""How long a rate is promised: a later quote freezes anew, and what comes too late counts at its block's price.

In test mode, whose prices never move but where a test moves them. Real ones: tests/live/test_late_prices.py.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from core.money import usd
from payments.models import Credit, Leg, PaymentIntent
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.payer import Payer
from tests.payments.test_credits_from_every_status import send
from tests.payments.world import World, create, read
from tokens.selectors import simulated_usd_price

LOCK, GRACE = 30 * 60, 120
WHOLE = 10_000_000_000_000_000
"""25 dollars of ether at 2,500."""
WALLET = "0x7e57000000000000000000000000000000000002"
EtherAt = Callable[[str], None]


@pytest.fixture(autouse=True)
def _nothing_impossible(db: None) -> Any:
    yield
    assert violations() == []


@pytest.fixture
def ether_at(monkeypatch: pytest.MonkeyPatch) -> EtherAt:
    """Let ether cost so much from now on."""

    def say(price: str) -> None:
        def said(symbol: str) -> Decimal:
            return Decimal(price) if symbol == "ETH" else simulated_usd_price(symbol)

        monkeypatch.setattr("payments.routing.assets.simulated_usd_price", said)

    say("2500")
    return say


def for_a_day(api: ApiClient, **fields: Any) -> dict[str, Any]:
    return create(api, settlement_token="ETH", expires_in_seconds=86_400, **fields)


def asked(quote: dict[str, Any]) -> Decimal:
    return Decimal(quote["merchant_gets_at_least"])


@pytest.mark.spec("Rulings C4.2")
@pytest.mark.parametrize(("seconds", "ether"), [(LOCK, "0.01"), (LOCK + 1, "0.02")])
def test_a_quote_after_the_lock_freezes_anew(
    seconds: int, ether: str, world: World, api: ApiClient, ether_at: EtherAt
) -> None:
    intent = for_a_day(api)
    assert asked(Payer.of(intent).quote(world, "base", "USDC")) == Decimal("0.01")
    ether_at("1250")
    world.wait(seconds)
    later = Payer.of(intent).quote(world, "polygon", "USDC")
    assert asked(later) == Decimal(ether)
    assert PaymentIntent.objects.get().target_base_units == Decimal(ether) * 10**18


@pytest.mark.spec("Rulings C4.2; Rulings A7.2")
@pytest.mark.parametrize(
    ("seconds", "price", "ended"),
    [
        (LOCK + GRACE, "1250", ("settled", "25.00", "0.00")),
        (LOCK + GRACE + 1, "1250", ("partially_filled", "12.50", "12.50")),
        (LOCK + GRACE + 1, "5000", ("settled", "50.00", "0.00")),
        (LOCK + GRACE + 1, "2500", ("settled", "25.00", "0.00")),
    ],
    ids=["in time", "fallen", "risen", "as before"],
)
def test_what_left_too_late_counts_at_the_price_of_its_block(
    seconds: int, price: str, ended: tuple[str, ...], world: World, api: ApiClient, ether_at: EtherAt
) -> None:
    intent = for_a_day(api)
    attempt = Payer.of(intent, address=WALLET).start(world, "base", "ETH")
    pays_after(world, intent, attempt, seconds, lambda: ether_at(price))
    shown, credit = read(api, intent), Credit.objects.get()
    assert (shown["status"], shown["amount_received"], shown["amount_due"]) == ended
    assert (credit.base_units, credit.value_usd) == (WHOLE, usd(ended[1]))
    if ended[0] == "partially_filled":
        assert asked(Payer.of(intent).quote(world, "polygon", "USDC")) == Decimal("0.005")


def pays_after(
    world: World, intent: dict[str, Any], attempt: dict[str, Any], seconds: int, then: Callable[[], object]
) -> None:
    """The wallet sends so late that its block comes these seconds after the quote, whose workers come round then."""
    world.wait(seconds - 1)
    then()
    Payer.of(intent, address=WALLET).sign(attempt, 1)
    world.run(30)


@pytest.mark.spec("Rulings C5.1; Rulings C4.2")
def test_an_issuers_dollar_is_worth_the_same_whenever_it_comes(world: World, api: ApiClient) -> None:
    intent = create(api, expires_in_seconds=86_400)
    attempt = Payer.of(intent, address=WALLET).start(world, "base", "USDC")
    pays_after(world, intent, attempt, 7_200, lambda: None)
    credit = Credit.objects.get()
    assert (read(api, intent)["status"], credit.value_usd) == ("settled", usd("25"))
    assert (credit.counted_base_units, credit.price_usd) == (None, None)


@pytest.mark.spec("Rulings A7.2")
def test_who_was_promised_a_rate_keeps_it_though_a_later_quote_froze_anew(
    world: World, api: ApiClient, ether_at: EtherAt
) -> None:
    """The first payer's ten minutes go on when the intent's thirty are over."""
    intent = for_a_day(api)
    Payer.of(intent).quote(world, "base", "USDC")
    world.wait(LOCK - 10)
    promised = Payer.of(intent, address=WALLET, browser="a" * 32).start(world, "base", "ETH")
    world.wait(60)
    ether_at("1250")
    anew = Payer.of(intent, browser="b" * 32).quote(world, "polygon", "USDC")
    assert (asked(promised), asked(anew)) == (Decimal("0.01"), Decimal("0.02"))
    first = Payer.of(intent, address=WALLET, browser="a" * 32)
    first.sign(promised, 1)
    world.run(30)
    shown, credit = read(api, intent), Credit.objects.get()
    assert (shown["status"], shown["amount_received"], shown["overpaid_usd"]) == ("settled", "25.00", "0.00")
    assert (credit.base_units, credit.counted_base_units) == (WHOLE, 2 * WHOLE)
    assert credit.value_usd == usd("25")


@pytest.mark.spec("Rulings A7.2; Rulings C12.2")
@pytest.mark.parametrize(("share", "ether"), [(100, "0.0198"), (2, "0.005")], ids=["dust", "a half"])
def test_what_came_keeps_the_rate_and_dust_does_not(
    share: int, ether: str, world: World, api: ApiClient, ether_at: EtherAt
) -> None:
    intent = for_a_day(api)
    Payer.of(intent, address=WALLET).start(world, "base", "ETH")
    send(Leg.objects.get(), output_base_units=WHOLE // share)
    world.run(30)
    world.wait(LOCK - 29)
    world.run(1)
    ether_at("1250")
    assert asked(Payer.of(intent).quote(world, "polygon", "USDC")) == Decimal(ether)
    [credit] = Credit.objects.all()
    assert (credit.base_units, credit.value_usd) == (WHOLE // share, Decimal(25) / share)


@pytest.mark.spec("Rulings C11.1; Rulings A7.2")
def test_a_stray_is_worth_nothing_at_a_new_rate_either(world: World, api: ApiClient, ether_at: EtherAt) -> None:
    intent = for_a_day(api)
    Payer.of(intent, address=WALLET).start(world, "base", "ETH")
    send(Leg.objects.get(), destination_token="0x00000000000000000000000000000000000Fa4e0")
    world.run(30)
    ether_at("1250")
    world.wait(LOCK)
    Payer.of(intent).quote(world, "polygon", "USDC")
    assert PaymentIntent.objects.get().target_base_units == 2 * WHOLE
    [credit] = Credit.objects.all()
    assert (credit.purpose, credit.base_units, credit.value_usd) == ("stray", WHOLE, usd("0"))
