"""A refund's base units: its share of what arrived, cut down, and the last one takes what is left."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.money import BaseUnits, UsdAmount, usd_from_micros, usd_to_micros
from payments.services.balance import NOTHING, Balance, Sum

Held = list[tuple[int, int]]


def balance(received_micros: int, received_units: int, held: Held) -> Balance:
    returned = Sum(
        usd=usd_from_micros(sum(micros for micros, _ in held)), units=BaseUnits(sum(units for _, units in held))
    )
    return Balance(
        received=Sum(usd=usd_from_micros(received_micros), units=BaseUnits(received_units)),
        counted=BaseUnits(received_units),
        counted_net=BaseUnits(received_units),
        due=BaseUnits(0),
        seen_usd=usd_from_micros(received_micros),
        is_awaited=False,
        returned=returned,
        replaced=NOTHING,
        paid_out=NOTHING,
    )


@st.composite
def received(draw: st.DrawFn) -> tuple[int, int]:
    decimals = draw(st.sampled_from([0, 6, 18]))
    quantity = draw(st.integers(1, 10**6))
    dust = draw(st.integers(0, 10**decimals - 1))
    micros = draw(st.integers(1, 10**12))
    return micros, quantity * 10**decimals + dust


def ask(micros_received: int, units_received: int, held: Held, share: Decimal) -> tuple[int, int]:
    """A refund of this share of what is left, at least the smallest amount; what it holds then."""
    now = balance(micros_received, units_received, held)
    left = usd_to_micros(now.refundable_usd())
    micros = max(1, min(left, int(left * share)))
    return micros, now.units_for(usd_from_micros(micros))


SHARES = st.lists(st.decimals("0", "1", places=4), max_size=40)


@pytest.mark.spec("Rulings D2.1")
@given(what=received(), shares=SHARES)
def test_parts_never_exceed_and_return_everything(what: tuple[int, int], shares: list[Decimal]) -> None:
    micros, units = what
    held: Held = []
    for share in shares:
        if sum(part for part, _ in held) == micros:
            break
        part = ask(micros, units, held, share)
        if part[1] > 0:  # the service refuses what is worth less than one base unit
            held.append(part)
        assert sum(sent for _, sent in held) <= units
        assert sum(sent for _, sent in held) * micros <= units * sum(asked for asked, _ in held) or (
            sum(asked for asked, _ in held) == micros
        ), "a part got more than its share"
    if sum(part for part, _ in held) < micros:
        last = ask(micros, units, held, Decimal(1))
        assert last[1] > 0
        held.append(last)
    assert sum(part for part, _ in held) == micros
    assert sum(sent for _, sent in held) == units


@pytest.mark.spec("Contract 3.3")
@given(what=received(), shares=SHARES, dice=st.randoms(use_true_random=False))
def test_what_is_released_can_be_asked_for_again(what: tuple[int, int], shares: list[Decimal], dice: object) -> None:
    """Refunds that failed or were cancelled give back both sums, in whatever order."""
    micros, units = what
    held: Held = []
    for share in shares:
        if held and dice.random() < 0.4:  # type: ignore[attr-defined]  # hypothesis calls it an object
            held.pop(dice.randrange(len(held)))  # type: ignore[attr-defined]  # as above
        if sum(part for part, _ in held) < micros:
            held.append(ask(micros, units, held, share))
        assert sum(part for part, _ in held) <= micros
        assert sum(sent for _, sent in held) <= units
    if sum(part for part, _ in held) < micros:
        held.append(ask(micros, units, held, Decimal(1)))
    assert sum(sent for _, sent in held) == units


@pytest.mark.spec("Rulings A7.2")
@pytest.mark.parametrize(
    ("amount", "held", "units"),
    [
        ("10", [], 3_333_333),
        ("0.000001", [], 0),
        ("29.999999", [], 9_999_999),
        ("30", [], 10_000_000),
        ("20", [(10_000_000, 3_333_333)], 6_666_667),
        ("10", [(10_000_000, 3_333_333)], 3_333_333),
        ("10", [(10_000_000, 3_333_333), (10_000_000, 3_333_333)], 3_333_334),
    ],
)
def test_shares_of_ten_tokens_worth_thirty_dollars(amount: str, held: Held, units: int) -> None:
    assert balance(30_000_000, 10_000_000, held).units_for(UsdAmount(Decimal(amount))) == units


def test_a_balance_that_shrank_is_never_negative() -> None:
    """A reorganisation took what had been promised: nothing can be asked for, and nothing is sent."""
    shrunk = balance(15_000_000, 15_000_000, [(10_000_000, 10_000_000), (10_000_000, 10_000_000)])
    assert shrunk.refundable_usd() == Decimal(0)
    assert not shrunk.covers_refunds
    assert balance(15_000_000, 15_000_000, [(15_000_000, 15_000_000)]).covers_refunds
