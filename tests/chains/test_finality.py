"""What a merchant's own wish does to the operator's table: it strengthens it, and never weakens it."""

from decimal import Decimal

import pytest

from chains.finality import Finality, finality_for
from chains.registry import chain


@pytest.mark.parametrize(
    ("amount", "wish", "waited_for"),
    [
        ("25", Finality.INCLUDED, Finality.INCLUDED),
        ("25", Finality.SAFE, Finality.SAFE),
        ("25", Finality.FINALIZED, Finality.FINALIZED),
        ("1000", Finality.INCLUDED, Finality.SAFE),
        ("10000.01", Finality.SAFE, Finality.FINALIZED),
    ],
)
def test_a_wish_only_strengthens(amount: str, wish: Finality, waited_for: Finality) -> None:
    base = chain("base")
    assert base is not None
    assert finality_for(base, Decimal(amount), wish) is waited_for
