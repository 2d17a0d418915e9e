"""Names on the simulated chain: addresses that it makes up, and what its behaviours are called."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from chains.base58 import base58
from chains.clients.script import Behaviour, behaviour_named, synthetic_address

pytestmark = pytest.mark.spec("Test mode")


@given(st.binary(max_size=64))
def test_base58_is_the_one_that_solana_uses(raw: bytes) -> None:
    padded = raw.rjust(32, b"\0")[:32]
    assert base58(padded) == str(Pubkey.from_bytes(padded))


def test_synthetic_addresses_are_stable() -> None:
    assert synthetic_address("base", "x") == synthetic_address("base", "x") != synthetic_address("base", "y")
    assert re.fullmatch(r"0x[0-9a-f]{40}", synthetic_address("moonbeam", "x"))


def test_every_behaviour_has_its_name() -> None:
    assert {behaviour_named(name.value) for name in Behaviour} == set(Behaviour)
    assert behaviour_named("refund_fail") is Behaviour.SETTLE
