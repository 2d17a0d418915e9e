"""How much goes in: the target surely comes out, with few questions, in whole numbers rounded up."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from payments.routing.jupiter.solving import LARGEST_AMOUNT, MOST_CALLS, enough_for


@dataclass(frozen=True)
class Answer:
    """What a market gives at least for an input."""

    input_base_units: int
    least_output: int


class Market:
    """Gives a fixed rate, less for larger trades: half of it at ``depth``."""

    def __init__(self, rate: Fraction, depth: int = 10**18) -> None:
        self.rate, self.depth, self.calls = rate, depth, 0

    def __call__(self, amount: int) -> Answer:
        self.calls += 1
        return Answer(amount, int(amount * self.rate * self.depth / (self.depth + amount)))


@given(
    st.integers(1, 10**15),
    st.fractions(Fraction(1, 10**6), Fraction(10**6)),
    st.fractions(Fraction(90, 100), Fraction(110, 100)),
)
def test_whatever_is_found_yields_the_target(target: int, rate: Fraction, guess: Fraction) -> None:
    market = Market(rate)
    first = max(int(target / rate * guess), 1)
    found = enough_for(target, first, market)
    assert market.calls <= MOST_CALLS
    if found is not None:
        assert found.least_output >= target


def test_a_steady_market_takes_little_more_than_needed() -> None:
    """And a good first guess needs one question."""
    for percent in (90, 99, 100, 101, 110):
        target, market = 25_000_000, Market(Fraction(3, 400))
        found = enough_for(target, target * 400 // 3 * percent // 100, market)
        assert found is not None
        assert target <= found.least_output <= target + target // 1_000 + 1, percent
        assert market.calls <= MOST_CALLS
    market = Market(Fraction(1))
    assert (enough_for(1_000_000, 1_000_500, market), market.calls) == (Answer(1_000_500, 1_000_499), 1)
    answers = iter([Answer(1_100, 1_010), Answer(1_090, 999), Answer(1_092, 999)])
    dearer = "the first guess serves where the second falls short by a hair"
    assert enough_for(1_000, 1_100, lambda _amount: next(answers)) == Answer(1_100, 1_010), dearer


def test_a_market_without_depth_ends_the_search() -> None:
    """So do nothing for something, and an amount beyond what the chain can say."""
    market = Market(Fraction(1), depth=1_000)
    assert (enough_for(10_000, 10_000, market), market.calls) == (None, MOST_CALLS)
    for target, least in ((1_000, 0), (1_000, -1), (LARGEST_AMOUNT, 1)):
        asked: list[int] = []

        def ask(amount: int, asked: list[int] = asked, least: int = least) -> Answer:
            asked.append(amount)
            return Answer(amount, least)

        assert enough_for(target, target, ask) is None
        assert asked == [target]
