"""What happens when a code or a refresh token comes a second time: everything issued for it ends, and it is put down.

Source: https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/, 4.1.3 and 4.3.1; docs/adr/0021.
"""

from typing import Any, Final

from django.db.models import F
from django.http import HttpRequest

from core.caller import client_address
from core.request_id import current_request_id
from mcp.caller import CallFacts
from mcp.models import AccessToken, AgentConnection, Application, AuditAction, RefreshToken, UsedCode
from mcp.services.audit import Entry, record_entry

CODE_REUSED: Final = "authorization_code_reused"
REFRESH_REUSED: Final = "refresh_token_reused"


def answer_replayed_code(code_digest: str, client: Application, request: Any) -> None:
    """Revoke what a code brought, if this client presented it before.

    Locks: the used code, so that of many replays at once one finds something to end, and puts it down.
    """
    used = UsedCode.objects.select_for_update().filter(digest=code_digest, client_id=client.client_id).first()
    if used is None or not _has_anything(used.token_family):
        return
    RefreshToken.revoke_family(used.token_family)
    _record(_connection(used.connection_id), AuditAction.REFUSAL, CODE_REUSED, request)


def lock_refresh_token(checksum: str) -> RefreshToken | None:
    """The refresh token with this checksum, locked; the living one, else the one revoked last."""
    found: RefreshToken | None = (
        RefreshToken.objects.select_for_update(of=("self",))
        .filter(token_checksum=checksum)
        .order_by(F("revoked").desc(nulls_first=True), "-pk")
        .first()
    )
    return found


def is_first_reuse(presented: RefreshToken | None) -> bool:
    """Whether presenting this ends something. Why asked: a client that retries all day is one line, not thousands."""
    return presented is not None and presented.revoked is not None and _has_anything(presented.token_family)


def record_reuse(presented: RefreshToken, request: Any) -> None:
    """Write that a spent refresh token came again, for which its family was revoked."""
    _record(_connection(presented.connection_id), AuditAction.REFUSAL, REFRESH_REUSED, request)


def record_revocation(checksum: str, request: Any) -> None:
    """Write that a client handed in a token of its own that was still worth something."""
    own = {"token_checksum": checksum, "application": request.client}
    found = (
        AccessToken.objects.filter(**own, connection__isnull=False).values_list("connection_id", flat=True).first()
        or RefreshToken.objects.filter(**own, revoked__isnull=True).values_list("connection_id", flat=True).first()
    )
    if found is not None:
        _record(_connection(found), AuditAction.REVOCATION, "", request)


def facts_of(headers: Any) -> CallFacts:
    """What the audit says about a request of the protocol engine, whose headers are Django's ``META``."""
    plain = HttpRequest()
    plain.META = dict(headers)
    return CallFacts(
        address=client_address(plain)[:64],
        user_agent=str(plain.META.get("HTTP_USER_AGENT", ""))[:200],
        request_id=current_request_id() or "",
    )


def _has_anything(family: Any) -> bool:
    return bool(RefreshToken.objects.filter(token_family=family, revoked__isnull=True).exists())


def _connection(pk: int | None) -> AgentConnection | None:
    return None if pk is None else AgentConnection.objects.select_related("application").filter(pk=pk).first()


def _record(connection: AgentConnection | None, action: AuditAction, code: str, request: Any) -> None:
    outcome = "ok" if action == AuditAction.REVOCATION else "denied"
    actor = "" if connection is None else connection.actor
    record_entry(Entry(action=action, outcome=outcome, code=code, actor=actor), connection, facts_of(request.headers))
