"""Credits of before payers were kept: each is read once more from its chain, and what nothing shows is nobody's."""

from datetime import timedelta
from typing import Any

import pytest

from chains.clients.registry import CLIENTS
from chains.errors import ChainUnavailable
from core.clock import now
from core.modes import Mode
from payments.models import Credit
from payments.services.payers import sweep_unknown_payers
from tests.conftest import ApiClient
from tests.payments.world import World, create, pay

UNKNOWN: dict[str, Any] = {"payer": "", "payer_proof": "", "payer_nonce": None}
SIMULATED_PAYER = "0x7e57000000000000000000000000000000000a11"


@pytest.fixture
def credit(world: World, api: ApiClient) -> Credit:
    """A credit as it was before: nobody wrote down who paid."""
    pay(api, create(api), "settle")
    world.run(4)
    Credit.objects.update(**UNKNOWN, payer_due_at=now())
    return Credit.objects.get()


def test_the_simulated_chain_names_the_wallet_at_once(world: World, api: ApiClient) -> None:
    pay(api, create(api), "settle")
    world.run(4)
    made = Credit.objects.get()
    assert (made.payer.lower(), made.payer_proof, made.payer_due_at) == (SIMULATED_PAYER, "sender", None)
    assert sweep_unknown_payers() == 0


def test_it_is_read_again_once(credit: Credit) -> None:
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert (credit.payer.lower(), credit.payer_proof, credit.payer_due_at) == (SIMULATED_PAYER, "sender", None)
    assert sweep_unknown_payers() == 0


@pytest.mark.parametrize("change", [{"tx_hash": "0x" + "77" * 32}, {"leg": None}, {"intent": None, "leg": None}])
def test_what_nothing_shows_is_nobodys(change: dict[str, Any], credit: Credit) -> None:
    Credit.objects.update(**change)
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert (credit.payer, credit.payer_due_at) == ("", None)


def test_a_chain_that_is_silent_is_asked_later(credit: Credit, monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    class Silent:
        def look(self, _leg: object) -> None:
            raise ChainUnavailable("base")

    monkeypatch.setitem(CLIENTS, Mode.TEST, Silent())
    assert (sweep_unknown_payers(), sweep_unknown_payers()) == (1, 0)
    monkeypatch.undo()
    world.clock.shift(timedelta(hours=1))
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert credit.payer.lower() == SIMULATED_PAYER
