"""Making, replacing, changing and ending keys. Every change leaves a line in the audit, in the same transaction."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from core.clock import now, wire_time
from core.modes import Mode
from core.secrets import lookup_digest, random_token
from merchants.audit import record_audit
from merchants.errors import KeyLimit, KeyPairChanged, KeysChanged
from merchants.key_terms import KeyTerms, checked_terms
from merchants.models import ApiKey, KeyKind, Merchant
from merchants.principal import Principal

MOST_RESTRICTED_KEYS = 100
"""Source: docs/guides/dashboard.md, Keys and origins."""
PAIR = (KeyKind.SECRET, KeyKind.PUBLISHABLE)


@dataclass(frozen=True, kw_only=True)
class KeyPair:
    """A secret and a publishable key in clear: the only moment the secret can be read."""

    mode: Mode
    secret_key: str
    publishable_key: str


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A key just made, in clear: the only moment it can be read."""

    key: ApiKey
    secret: str


@dataclass(frozen=True, kw_only=True)
class Panic:
    """What became of a merchant's keys when one had leaked: how many ended, and the fresh pair."""

    ended: int
    pair: KeyPair


@transaction.atomic
def issue_key_pair(merchant: Merchant, mode: Mode) -> KeyPair:
    """A new secret and publishable key, of a merchant that is being made."""
    secret, publishable = (_issue(merchant.pk, mode, kind, KeyTerms(), rolled_from=None) for kind in PAIR)
    return KeyPair(mode=mode, secret_key=secret.secret, publishable_key=publishable.secret)


@transaction.atomic
def roll_key_pair(principal: Principal, grace: timedelta, *, shown_key_id: int) -> KeyPair:
    """Replace the current pair; the old keys stop working after the grace, at once when it is zero.

    ``shown_key_id`` is the secret key that the person saw as current, 0 where there was none.
    The new keys have the old ones' names, addresses and chosen ends: rolling never makes a key mightier.
    Raises: KeyPairChanged when it is no longer the current one, so that a form sent twice rolls once.
    Locks: the merchant.
    """
    merchant = _locked(principal)
    old = list(current_keys(merchant, principal.mode))
    newest = {KeyKind(key.kind): key for key in old}
    if shown_key_id != (newest[KeyKind.SECRET].pk if KeyKind.SECRET in newest else 0):
        raise KeyPairChanged
    terms = {kind: _terms_of(newest.get(kind)) for kind in PAIR}
    _replace(old, grace)
    secret, publishable = (
        _issue(merchant.pk, principal.mode, kind, terms[kind], rolled_from=newest.get(kind)) for kind in PAIR
    )
    _record_roll(principal, old, [secret, publishable], grace)
    return KeyPair(mode=principal.mode, secret_key=secret.secret, publishable_key=publishable.secret)


@transaction.atomic
def create_restricted_key(principal: Principal, terms: KeyTerms, *, shown_key_id: int) -> NewKey:
    """Make a key that may do what its scopes say.

    ``shown_key_id``: the newest key that the person knew of, so that a form sent twice makes one key.
    Raises: InvalidRequest for terms that cannot be, KeysChanged, KeyLimit. Locks: the merchant.
    """
    agreed = checked_terms(KeyKind.RESTRICTED, terms)
    merchant = _locked(principal)
    if shown_key_id != newest_key_id(principal):
        raise KeysChanged
    if working_keys(principal).filter(kind=KeyKind.RESTRICTED).count() >= MOST_RESTRICTED_KEYS:
        raise KeyLimit(details={"limit": MOST_RESTRICTED_KEYS})
    made = _issue(merchant.pk, principal.mode, KeyKind.RESTRICTED, agreed, rolled_from=None)
    record_audit(principal, "key.created", str(made.key), after=_shown_terms(made.key))
    return made


@transaction.atomic
def roll_restricted_key(principal: Principal, key: ApiKey, grace: timedelta) -> NewKey:
    """Replace a restricted key by one of the same terms; the old one stops working after the grace.

    Raises: KeysChanged when it was replaced or ended already. Locks: the merchant.
    """
    merchant = _locked(principal)
    old = _still_current(principal, key, KeyKind.RESTRICTED)
    terms = _terms_of(old)
    _replace([old], grace)
    made = _issue(merchant.pk, principal.mode, KeyKind.RESTRICTED, terms, rolled_from=old)
    _record_roll(principal, [old], [made], grace)
    return made


@transaction.atomic
def change_key(principal: Principal, key: ApiKey, terms: KeyTerms) -> ApiKey:
    """Change a key's name, scopes, end and addresses, as far as its kind has them.

    Raises: InvalidRequest for terms that cannot be; KeysChanged when it was replaced or ended. Locks: the merchant.
    """
    agreed = checked_terms(KeyKind(key.kind), terms)
    _locked(principal)
    current = _still_current(principal, key)
    before = _shown_terms(current)
    current.name, current.scopes, current.expires_at = agreed.name, list(agreed.scopes), agreed.expires_at
    current.allowed_addresses = list(agreed.allowed_addresses)
    current.save(update_fields=["name", "scopes", "expires_at", "allowed_addresses"])
    if before != _shown_terms(current):
        record_audit(principal, "key.changed", str(current), before=before, after=_shown_terms(current))
    return current


@transaction.atomic
def revoke_key(principal: Principal, key: ApiKey) -> None:
    """Stop a key at once; again changes nothing."""
    stopped = ApiKey.objects.visible_to(principal).filter(pk=key.pk, revoked_at=None).update(revoked_at=now())
    if stopped:
        record_audit(principal, "key.revoked", str(key), before={"name": key.name})


@transaction.atomic
def revoke_every_key(principal: Principal, *, shown_key_id: int) -> Panic:
    """Stop every key of the mode at once because one has leaked, and make a fresh pair.

    ``shown_key_id``: the newest key that the person knew of, so that a form sent twice does not end the fresh pair.
    Raises: KeysChanged. Locks: the merchant.
    """
    merchant = _locked(principal)
    if shown_key_id != newest_key_id(principal):
        raise KeysChanged
    ended = [str(key) for key in working_keys(principal).order_by("pk")]
    ApiKey.objects.visible_to(principal).filter(revoked_at=None).update(revoked_at=now())
    pair = issue_key_pair(merchant, principal.mode)
    tails = [f"{one[:3]}{pair.mode}_…{one[-4:]}" for one in (pair.secret_key, pair.publishable_key)]
    record_audit(principal, "keys.panic", before={"keys": ended}, after={"keys": tails})
    return Panic(ended=len(ended), pair=pair)


def current_keys(merchant: Merchant, mode: Mode) -> QuerySet[ApiKey]:
    """The secret and publishable keys in use that nothing has replaced, oldest first."""
    rows = ApiKey.objects.filter(merchant=merchant, mode=mode, kind__in=PAIR, replaced_at=None)
    return rows.filter(_is_taken(now())).order_by("pk")


def working_keys(principal: Principal) -> QuerySet[ApiKey]:
    """Every key that is taken now, its grace included."""
    rows: QuerySet[ApiKey] = ApiKey.objects.visible_to(principal)
    return rows.filter(_is_taken(now()))


def newest_key_id(principal: Principal) -> int:
    """What a form names, so that it counts once; 0 where there never was a key."""
    found: int | None = ApiKey.objects.visible_to(principal).aggregate(newest=Max("pk"))["newest"]
    return found or 0


def _is_taken(moment: datetime) -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=moment))


def _locked(principal: Principal) -> Merchant:
    return Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)


def _still_current(principal: Principal, key: ApiKey, *kinds: KeyKind) -> ApiKey:
    """The key as it is now. Raises: KeysChanged."""
    found: ApiKey | None = working_keys(principal).filter(pk=key.pk, replaced_at=None).first()
    if found is None or (kinds and found.kind not in kinds):
        raise KeysChanged
    return found


def _replace(keys: list[ApiKey], grace: timedelta) -> None:
    moment = now()
    for key in keys:
        key.replaced_at = moment
        key.expires_at = min(key.expires_at or moment + grace, moment + grace)
    ApiKey.objects.bulk_update(keys, ["replaced_at", "expires_at"])


def _terms_of(key: ApiKey | None) -> KeyTerms:
    if key is None:
        return KeyTerms()
    return KeyTerms(
        name=key.name,
        scopes=tuple(key.scopes),
        expires_at=key.expires_at,
        allowed_addresses=tuple(key.allowed_addresses),
    )


def _issue(merchant_id: int, mode: Mode, kind: KeyKind, terms: KeyTerms, *, rolled_from: ApiKey | None) -> NewKey:
    secret = random_token(f"{kind}_{mode}_")
    key = ApiKey.objects.create(
        merchant_id=merchant_id,
        mode=mode,
        kind=kind,
        digest=lookup_digest(secret),
        last_four=secret[-4:],
        publishable_value=secret if kind == KeyKind.PUBLISHABLE else "",
        name=terms.name,
        scopes=list(terms.scopes),
        expires_at=terms.expires_at,
        allowed_addresses=list(terms.allowed_addresses),
        rolled_from=rolled_from,
    )
    return NewKey(key=key, secret=secret)


def _record_roll(principal: Principal, old: list[ApiKey], made: list[NewKey], grace: timedelta) -> None:
    ends = {"works_until": wire_time(now() + grace)} if old else {}
    record_audit(
        principal,
        "key.rolled",
        str(made[0].key),
        before={"keys": [str(key) for key in old], **ends},
        after={"keys": [str(one.key) for one in made]},
    )


def _shown_terms(key: ApiKey) -> dict[str, object]:
    return {
        "name": key.name,
        "scopes": list(key.scopes),
        "expires_at": wire_time(key.expires_at) if key.expires_at else None,
        "allowed_addresses": list(key.allowed_addresses),
    }
