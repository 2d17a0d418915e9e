"""What a person may fill in on the consent page. What it may lead to is decided in ``consent``."""

from collections.abc import Collection
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.utils.formats import date_format

from core.clock import now
from core.modes import Mode
from core.money import UsdAmount, to_decimal_string, usd
from mcp.models import AgentConnection
from mcp.scopes import MONEY_SCOPES
from mcp.services.connections import Limits, limits_of
from mcp.visible import MAX_NAME_LENGTH, plain_name

MOST_USD: Final = Decimal(1_000_000_000)
FIRST_LIMITS: Final = {
    Mode.TEST: Limits(per_call_usd=usd("1000"), per_day_usd=usd("10000"), approval_above_usd=None),
    Mode.LIVE: Limits(per_call_usd=usd("0"), per_day_usd=usd("0"), approval_above_usd=None),
}
"""Why nothing in live mode: real money leaves only after a person wrote down how much.

Source: docs/guides/agents.md, Limits and approvals."""
LIFETIMES: Final = {"1": "1 day", "7": "7 days", "30": "30 days", "90": "90 days"}
SUGGESTED_LIFETIME: Final = "30"
AS_NOW: Final = "keep"
_CAPS: Final = ("per_call_usd", "per_day_usd", "approval_above_usd")
_NO_AMOUNT: Final = "Write an amount in dollars, like 250 or 99.50."
_AMOUNT_ERRORS: Final = {"invalid": _NO_AMOUNT, "required": _NO_AMOUNT, "min_value": "Write 0 or more."}


def _amount(label: str, *, required: bool) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        required=required,
        min_value=Decimal(0),
        max_value=MOST_USD,
        decimal_places=6,
        max_digits=16,
        error_messages=_AMOUNT_ERRORS,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )


class ConsentForm(forms.Form):
    """Boxes for scopes, limits for money, a lifetime and a name."""

    scopes = forms.MultipleChoiceField(required=False, error_messages={"invalid_choice": "This page has no such box."})
    per_call_usd = _amount("At most per refund or payout", required=True)
    per_day_usd = _amount("At most in 24 hours", required=True)
    approval_above_usd = _amount("Ask a person above", required=False)
    lifetime = forms.ChoiceField(label="Ends after")
    name = forms.CharField(label="Name of the connection", max_length=MAX_NAME_LENGTH, required=False)

    def __init__(
        self, sent: Any = None, *, offered: Collection[str], fixed: Collection[str], mode: Mode, **about: Any
    ) -> None:
        """``offered``: every scope with a box. ``fixed``: those of them that cannot be unticked."""
        self.connection: AgentConnection | None = about["connection"]
        self.fixed = frozenset(fixed)
        self.first_limits = FIRST_LIMITS[mode] if self.connection is None else limits_of(self.connection)
        self.first_name = about["client_name"] if self.connection is None else self.connection.name
        ends = self.connection.expires_at if self.connection is not None else None
        above = self.first_limits.approval_above_usd
        initial = {
            "per_call_usd": to_decimal_string(self.first_limits.per_call_usd),
            "per_day_usd": to_decimal_string(self.first_limits.per_day_usd),
            "approval_above_usd": "" if above is None else to_decimal_string(above),
            "lifetime": SUGGESTED_LIFETIME if ends is None else AS_NOW,
            "name": self.first_name,
        }
        super().__init__(sent, initial=initial, auto_id="consent_%s")
        self.fields["scopes"].choices = [(scope, scope) for scope in offered]  # type: ignore[attr-defined]  # of a choice field
        kept = [] if ends is None else [(AS_NOW, f"As now: on {date_format(ends, 'j F Y')}")]
        self.fields["lifetime"].choices = [*kept, *LIFETIMES.items()]  # type: ignore[attr-defined]  # of a choice field

    def clean_name(self) -> str:
        """The name without anything that could make it look like another."""
        return plain_name(self.cleaned_data["name"]) or self.first_name

    def clean(self) -> dict[str, Any]:
        """Nothing ticked is no consent; limits count only where something that moves money is ticked."""
        ticked = self.ticked
        if not ticked and "scopes" not in self.errors:
            self.add_error("scopes", "Tick at least one permission, or cancel.")
        if not ticked & MONEY_SCOPES:
            for name in _CAPS:
                self.errors.pop(name, None)
        return self.cleaned_data

    @property
    def ticked(self) -> frozenset[str]:
        """The boxes that are ticked, with those that cannot be unticked."""
        return frozenset(self.cleaned_data.get("scopes", [])) | self.fixed

    def limits(self) -> Limits:
        """What may leave."""
        if not self.ticked & MONEY_SCOPES:
            return self.first_limits
        above = self.cleaned_data["approval_above_usd"]
        return Limits(
            per_call_usd=UsdAmount(self.cleaned_data["per_call_usd"]),
            per_day_usd=UsdAmount(self.cleaned_data["per_day_usd"]),
            approval_above_usd=None if above is None else UsdAmount(above),
        )

    def expires_at(self) -> datetime:
        """When the connection ends."""
        chosen = self.cleaned_data["lifetime"]
        if chosen == AS_NOW and self.connection is not None and self.connection.expires_at is not None:
            return self.connection.expires_at
        return now() + timedelta(days=int(chosen))
