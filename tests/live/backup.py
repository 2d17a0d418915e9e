"""A database that is put back to an earlier moment, as from its backup."""

from typing import Any

from chains.models import SigningAccount, Transfer, TransferAttempt, TransferProof, TransferTransition


class Backup:
    """What a database holds of transfers, of their accounts and of what was signed, at one moment."""

    def __init__(self, *transfers: Transfer) -> None:
        self.ids = [one.pk for one in transfers]
        self.rows: list[Any] = list(Transfer.objects.filter(pk__in=self.ids).values())
        self.accounts: list[Any] = list(SigningAccount.objects.filter(transfers__in=self.ids).distinct().values())
        self.attempts = set(TransferAttempt.objects.filter(transfer__in=self.ids).values_list("pk", flat=True))

    def restore(self) -> None:
        """Forget all that came later."""
        later = TransferAttempt.objects.filter(transfer__in=self.ids).exclude(pk__in=self.attempts)
        later._raw_delete("default")
        TransferProof.objects.filter(transfer__in=self.ids)._raw_delete("default")
        _put_back(Transfer, self.rows)
        _put_back(SigningAccount, self.accounts)


def forget(*transfers: Transfer) -> None:
    """Let there be no trace of transfers, nor of what their accounts sent: they were ordered after the backup."""
    ids = [one.pk for one in transfers]
    SigningAccount.objects.filter(transfers__in=ids).update(next_nonce=None)
    TransferTransition.objects.filter(subject__in=ids)._raw_delete("default")
    for kept in (TransferAttempt, TransferProof):
        kept._default_manager.filter(transfer__in=ids)._raw_delete("default")
    Transfer.objects.filter(pk__in=ids)._raw_delete("default")


def _put_back(model: Any, rows: list[Any]) -> None:
    for row in rows:
        model.objects.filter(pk=row["id"]).update(**{name: row[name] for name in row if name != "id"})
