"""A database that is older than what a wallet sent: the chain is asked before the wallet is offered the same again."""

from typing import Any

import pytest
from django.db.models import QuerySet

from chains.models import Transfer, TransferAttempt, TransferProof
from chains.rails.merchant_wallet.wishes import offer_transfer
from localnet.addresses import NATIVE
from tests.live.conftest import BASE_USDC
from tests.live.merchant_wallet.desk import UNITS, Desk
from tests.live.merchant_wallet.test_wallet_authorizations import completed, dollars, shown

__all__ = ["dollars"]


def restore(row: dict[str, Any]) -> None:
    """Put the row back as a backup has it."""
    kept: tuple[QuerySet[Any], ...] = (
        TransferAttempt.objects.filter(transfer_id=row["id"]),
        TransferProof.objects.filter(transfer_id=row["id"]),
    )
    for rows in kept:
        rows._raw_delete("default")
    Transfer.objects.filter(pk=row["id"]).update(**{name: value for name, value in row.items() if name != "id"})


def remembered(desk: Desk) -> dict[str, Any]:
    """The row as it is before a wallet was shown it."""
    return dict(Transfer.objects.filter(pk=desk.transfer.pk).values().get())


def connected_again(desk: Desk) -> str:
    """The same wallet connects, and workers come round."""
    offer_transfer(desk.transfer.pk, desk.wallet.address)
    for _ in range(3):
        desk.work()
    return desk.finish()


@pytest.mark.parametrize("token", [BASE_USDC, NATIVE])
def test_what_the_wallet_sent_is_found_and_not_offered_again(desk: Desk, token: str) -> None:
    made = desk.another(token=token)
    row = remembered(made)
    tx_hash = made.send(made.offer())
    made.tell(tx_hash)
    assert (made.finish(), made.held()) == ("paid", UNITS)
    restore(row)
    assert (connected_again(made), made.transfer.tx_hash, made.held()) == ("paid", tx_hash, UNITS)
    assert made.transfer.offer.get("unsigned", {}) == {}


def test_a_used_authorization_is_found(dollars: Desk) -> None:
    row = remembered(dollars)
    tx_hash = dollars.send(completed(dollars, shown(dollars)))
    assert dollars.finish() == "paid"
    restore(row)
    assert (connected_again(dollars), dollars.transfer.tx_hash, dollars.held()) == ("paid", tx_hash, UNITS)


def test_a_wallet_that_sent_nothing_is_offered_it(desk: Desk) -> None:
    row = remembered(desk)
    desk.offer()
    restore(row)
    desk.send(desk.offer())
    assert (desk.finish(), desk.held()) == ("paid", UNITS)
