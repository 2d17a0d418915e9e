"""An account for gas sends one call after the other: merchants take turns at it, however many calls one has."""

from datetime import timedelta
from uuid import uuid4

import pytest

from chains.authorized_calls import WAITS_FOR, is_its_turn
from chains.models import AuthorizedCall, GasAccount
from core.clock import now
from merchants.models import Merchant
from merchants.services import NewMerchant

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture
def gas() -> GasAccount:
    return GasAccount.objects.create(network="localnet", chain="base", address="0x1", backend="keystore")


def waits(gas: GasAccount, merchant: Merchant, nonce: int | None = None, **more: object) -> AuthorizedCall:
    """A call that waits, or one that was sent at a nonce and is over."""
    ended = {} if nonce is None else {"nonce": nonce, "ended_at": now(), "outcome": "landed"}
    made: AuthorizedCall = AuthorizedCall.objects.create(
        **{"account": gas, "merchant": merchant, "intent_id": uuid4(), "base_units": 1, "valid_after": 0},
        **{"valid_before": int(now().timestamp()) + 600, "authorization_nonce": uuid4().hex, **ended, **more},
    )
    return made


def test_who_had_the_account_longest_ago_goes_first(
    gas: GasAccount, merchant: Merchant, other_account: NewMerchant
) -> None:
    many = [waits(gas, merchant) for _ in range(5)]
    assert [is_its_turn(call) for call in many] == [True] * 5
    waits(gas, merchant, nonce=1)
    assert [is_its_turn(call) for call in many] == [True] * 5
    one = waits(gas, other_account.merchant)
    assert ([is_its_turn(call) for call in many], is_its_turn(one)) == ([False] * 5, True)
    waits(gas, other_account.merchant, nonce=2)
    assert ([is_its_turn(call) for call in many], is_its_turn(one)) == ([True] * 5, False)


@pytest.mark.parametrize("left", ["long ago", "over", "ended", "elsewhere"])
def test_what_nobody_takes_on_holds_up_nobody(
    gas: GasAccount, merchant: Merchant, other_account: NewMerchant, left: str
) -> None:
    waits(gas, merchant, nonce=1)
    mine, theirs = waits(gas, merchant), waits(gas, other_account.merchant)
    assert not is_its_turn(mine)
    elsewhere = GasAccount.objects.create(network="localnet", chain="polygon", address="0x2", backend="keystore")
    changed: dict[str, dict[str, object]] = {
        "long ago": {"created_at": now() - WAITS_FOR - timedelta(seconds=1)},
        "over": {"valid_before": int(now().timestamp()) - 1},
        "ended": {"ended_at": now()},
        "elsewhere": {"account": elsewhere},
    }
    AuthorizedCall.objects.filter(pk=theirs.pk).update(**changed[left])
    assert is_its_turn(mine)
