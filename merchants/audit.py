"""The merchant's audit: who changed what on the dashboard or by key. One function writes, nothing changes a line."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from core.caller import current_client_info
from core.modes import Mode
from core.request_id import current_request_id
from merchants.models import Change
from merchants.principal import Principal

LONGEST_VALUE = 500
SERVICE: Final = 0
"""In the place of a merchant's number: the service's own audit, of what operators did. Operators alone read it."""
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


def record_operators_act(  # noqa: PLR0913 - the columns, given once
    actor: str,
    action: str,
    subject: str = "",
    *,
    merchant_ids: Sequence[int] = (),
    mode: str = "",
    before: Shown | None = None,
    after: Shown | None = None,
) -> None:
    """Write what an operator did into the service's audit, and into that of each merchant that it concerns."""
    by = Principal(merchant_id=SERVICE, mode=Mode.TEST, actor=actor)
    concerned = {"merchants": list(merchant_ids)} if merchant_ids else {}
    _write(by, mode, action, subject, before, {**(after or {}), **concerned})
    for merchant_id in merchant_ids:
        _write(replace(by, merchant_id=merchant_id), mode, action, subject, before, after)


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
