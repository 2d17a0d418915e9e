"""Every read of merchant data goes through here."""

from typing import Any, Self, TypeVar

from django.db import models

from core.lookups import find_one
from merchants.principal import Principal

Row = TypeVar("Row", bound=models.Model)


class MerchantScoped(models.QuerySet[Row]):
    """Rows that carry ``merchant`` and ``mode``."""

    def visible_to(self, principal: Principal) -> Self:
        """The principal's own rows in its own mode: everything else does not exist for it."""
        return self.filter(merchant_id=principal.merchant_id, mode=principal.mode)

    def open_to_public(self, public_id: Any) -> Self:
        """One row by an id that is itself the permission: the checkout page and the refund status view."""
        return self.filter(pk=public_id)


ScopedManager = models.Manager.from_queryset(MerchantScoped)
"""What ``objects`` is on every tenant row. Why not ``as_manager``: the type checker cannot follow it."""


def find_visible(model: type[Row], principal: Principal, public_id: Any) -> Row | None:
    """The principal's own row with this id, as ``visible_to`` would find it, by a lookup that is made to be quick."""
    return find_one(model, id=public_id, merchant_id=principal.merchant_id, mode=principal.mode)
