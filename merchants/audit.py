"""The merchant's audit: who changed what on the dashboard or by key. One function writes, nothing changes a line."""

from collections.abc import Mapping

from core.caller import current_client_info
from core.request_id import current_request_id
from merchants.models import Change
from merchants.principal import Principal

LONGEST_VALUE = 500
Shown = Mapping[str, object]
"""What may be shown of a thing: names, numbers, addresses, never a secret."""


def record_audit(
    principal: Principal, action: str, subject: str = "", *, before: Shown | None = None, after: Shown | None = None
) -> None:
    """Write one line in the caller's transaction, so that no change stands without it. Both modes share the audit.

    ``action`` is a dotted word such as ``key.rolled``, ``subject`` an id or a name.
    """
    _write(principal, principal.mode, action, subject, before, after)


def record_audit_for_both_modes(
    principal: Principal, action: str, subject: str = "", *, before: Shown | None = None, after: Shown | None = None
) -> None:
    """The same for what concerns the whole merchant, whatever the mode: its team, its name."""
    _write(principal, "", action, subject, before, after)


def _write(  # noqa: PLR0913  (the columns, given once)
    principal: Principal, mode: str, action: str, subject: str, before: Shown | None, after: Shown | None
) -> None:
    client = current_client_info()
    Change.objects.create(
        merchant_id=principal.merchant_id,
        mode=mode,
        actor=principal.actor,
        action=action,
        subject=subject[:128],
        before=_short(before),
        after=_short(after),
        address=client.address,
        user_agent=client.user_agent,
        request_id=current_request_id(),
    )


def _short(values: Shown | None) -> dict[str, object]:
    return {name: _cut(value) for name, value in (values or {}).items()}


def _cut(value: object) -> object:
    """Numbers and lists as they are; everything else as text that fits a page."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple):
        return [_cut(one) for one in value][:50]
    return str(value)[:LONGEST_VALUE]
