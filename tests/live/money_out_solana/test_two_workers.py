"""Two workers at one transfer: whichever stores first is sent, and what the other signed or concluded is dropped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from chains.models import TransferAttempt
from chains.rails.solana import rail, writing
from chains.transfers import advance_transfer
from core.secrets import Sealed
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.races.lineup import abreast, at_once

WORKERS = 4


@dataclass
class SlowSecrets(dict[str, Any]):
    """The operator's secrets on a slow disk: before one is read, something else may happen."""

    key: Sealed
    meanwhile: list[Callable[[], Any]] = field(default_factory=list)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - as dict has it
        """The only secret there is."""
        while self.meanwhile:
            self.meanwhile.pop()()
        return self.key


def test_one_that_signs_late_drops_what_it_signed(treasury: Treasury) -> None:
    """The second worker does everything while the first one waits for its signature."""
    transfer = treasury.order()
    secrets = SlowSecrets(treasury.settings.SIGNER_SECRETS["treasury"])
    treasury.settings.SIGNER_SECRETS = secrets

    def other_worker() -> None:
        treasury.node.advance(3)
        assert advance_transfer(transfer.pk).status == "mined"

    secrets.meanwhile.append(other_worker)
    assert treasury.advance() == "mined"
    assert not secrets.meanwhile
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def test_one_that_is_withdrawn_while_it_is_signed_is_not_sent(treasury: Treasury) -> None:
    treasury.order()
    secrets = SlowSecrets(treasury.settings.SIGNER_SECRETS["treasury"])
    treasury.settings.SIGNER_SECRETS = secrets
    secrets.meanwhile.append(treasury.withdraw)
    assert treasury.advance() == "failed:withdrawn"
    assert (treasury.paid_times(), treasury.signatures()) == (0, [])


def test_a_death_that_was_concluded_before_another_one_signed_anew_ends_nothing(treasury: Treasury) -> None:
    """The first worker's conclusion is about the old signature alone."""
    treasury.order()
    treasury.node.drop_next(FOREVER)
    treasury.advance()
    treasury.pass_expiry()
    attempts = list(treasury.transfer.attempts.all())
    concluded = rail.judged(treasury.transfer, attempts)
    assert concluded.verdict == "dead"
    assert treasury.advance() == "broadcast"
    assert len(treasury.signatures()) == 2
    assert not writing.write_judgement(treasury.transfer, concluded, [one.tx_hash for one in attempts])
    treasury.transfer.refresh_from_db()
    assert treasury.transfer.status == "broadcast"
    treasury.node.drop_next(0)
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_workers_that_begin_together_send_one_transaction(transactional_db: None, treasury: Treasury) -> None:
    for _ in range(3):
        transfer = treasury.order()
        at_once([partial(advance_transfer, transfer.pk)] * WORKERS)
        assert treasury.finish() == "paid"
        assert (len(treasury.landed()), len(treasury.signatures())) == (1, 1)
    assert treasury.received() == 3 * treasury.units


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_workers_that_find_it_dead_together_sign_one_more(transactional_db: None, treasury: Treasury) -> None:
    """All of them have read the one attempt, and that it is sent, before any goes on."""
    transfer = treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry()
    treasury.node.drop_next(0)
    abreast(lambda: advance_transfer(transfer.pk), WORKERS, table="chains_transferattempt", reads=1)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), TransferAttempt.objects.count()) == (1, 2)
