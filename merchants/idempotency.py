"""Once per request: a repeated ``Idempotency-Key`` gets the first answer, byte for byte. REST's way to ``claims``."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import F, Q
from rest_framework.request import Request
from rest_framework.response import Response

from core.modes import Mode
from merchants.authentication import KnownKey
from merchants.claims import Answer, Claim, Creation, Sent, act_under, checked_key, create_under, fingerprint
from merchants.models import IdempotencyRecord
from merchants.principal import Principal

__all__ = ["Answer", "Creation", "act_once", "create_once", "fingerprint_of", "keep_newest", "sent_key", "shift_due"]

_REPLAYED = {"Idempotent-Replayed": "true"}


def act_once(request: Request, scope: str, effect: Callable[[], Answer]) -> Response:
    """Run an effect once per key, for effects whose outcome depends on the state they meet.

    Raises: IdempotencyKeyInvalid, IdempotencyKeyReused, IdempotencyKeyInProgress, and what the effect raises.
    """
    claim = _read_claim(request, scope)
    if claim is None:
        return _send(effect().sent)
    return _send(_earlier(request, claim) or act_under(claim, effect))


def create_once(request: Request, scope: str, effect: Callable[[], Creation]) -> Response:
    """Store a creation once per key, and its answer with it, at once.

    Raises: as ``act_once``.
    """
    claim = _read_claim(request, scope)
    if claim is None:
        return _send(effect().store().sent)
    return _send(_earlier(request, claim) or create_under(claim, effect))


def _earlier(request: Request, claim: Claim) -> Sent | None:
    """The answer stored before this request came. Raises: IdempotencyKeyReused.

    Why mostly no query: the lookup of the caller's own key has brought it along.
    """
    known = request.auth
    if isinstance(known, KnownKey) and claim.scope == known.principal.idempotency_scope:
        return claim.repeat(known.earlier) if known.earlier else None
    return claim.replay()


def _send(sent: Sent) -> Response:
    return Response(sent.raw, status=sent.http_status, headers=_REPLAYED if sent.is_repeat else None)


def _read_claim(request: Request, scope: str) -> Claim | None:
    key = sent_key(request)
    return None if key is None else Claim(scope=scope, key=key, fingerprint=fingerprint_of(request))


def sent_key(request: Request) -> str | None:
    """The key that the caller sent, if any. Raises: IdempotencyKeyInvalid."""
    key: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY")
    return None if key is None else checked_key(key)


def fingerprint_of(request: Request) -> str:
    """Which wish this request states: its method, its path and its body."""
    return fingerprint(str(request.method), request.path, request.data)


def keep_newest(scope: str, most: int) -> None:
    """Forget the oldest answers of a scope where there are more than so many: their keys are free again."""
    kept = IdempotencyRecord.objects.filter(scope=scope)
    old = list(kept.order_by("-created_at", "-pk").values_list("pk", flat=True)[most:])
    if old:
        kept.filter(pk__in=old).delete()


def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Let so many seconds of a merchant's replay windows pass: its part of the test clock."""
    scope = Principal(merchant_id=merchant_id, mode=Mode(mode), actor="").idempotency_scope
    theirs = IdempotencyRecord.objects.filter(Q(scope=scope) | Q(scope__startswith=f"{scope}:"))
    theirs.update(expires_at=F("expires_at") - timedelta(seconds=seconds))
