"""The tables in Django's admin, to look at: they follow the service, and nobody changes them here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from causeway_django.models import Payment, Payout, ReceivedEvent, Refund


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django's own takes none
    """Lists and shows."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody may."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody may."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody may."""
        return False


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    """Payments, found by order number or id."""

    list_display = ("reference", "status", "amount", "amount_received", "mode", "stored_at", "id")
    list_filter = ("status", "mode")
    search_fields = ("=reference", "=id")


@admin.register(Refund)
class RefundAdmin(ReadOnlyAdmin):
    """Refunds, found by their payment."""

    list_display = ("id", "status", "amount", "payment_id", "failure_reason", "mode", "stored_at")
    list_filter = ("status", "mode")
    search_fields = ("=id", "=payment_id")


@admin.register(Payout)
class PayoutAdmin(ReadOnlyAdmin):
    """Payouts."""

    list_display = ("id", "status", "amount", "destination", "failure_reason", "mode", "stored_at")
    list_filter = ("status", "mode")
    search_fields = ("=id", "=payment_id")


@admin.register(ReceivedEvent)
class ReceivedEventAdmin(ReadOnlyAdmin):
    """Events, found by id or resource."""

    list_display = ("id", "type", "resource_id", "sequence", "mode", "received_at")
    list_filter = ("type", "mode")
    search_fields = ("=id", "=resource_id")
