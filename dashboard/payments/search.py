"""What the search box finds among payments: an exact id, hash, address, e-mail, reference or value of metadata."""

import re
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import chain
from core.ids import parse_public_id
from dashboard.cards import SearchResult
from dashboard.payments.words import dollars, status_of
from dashboard.visit import Visit
from merchants.acts import Act
from payments.filters import ids_by_value
from payments.models import Credit, Leg, PaymentAttempt, PaymentIntent

MOST = 20
_HEX = re.compile(r"0[xX][0-9a-fA-F]{2,128}")
_BARE_HASH = re.compile(r"[0-9a-fA-F]{64}")
Rows = QuerySet[Any]


def find_payments(visit: Visit, text: str) -> Iterator[SearchResult]:
    """The visitor's payments that this text names, newest first; an id before all else."""
    mine = PaymentIntent.objects.visible_to(visit.principal)
    key = parse_public_id(text, "pi_")
    named = list(mine.filter(pk=key)) if key else []
    for intent in named or _newest(visit, mine, text):
        yield SearchResult(
            kind="Payments",
            title=f"{dollars(intent.amount)} {status_of(intent).word.lower()}",
            detail=" · ".join(_detail(visit, intent)),
            url=visit.url("payment", intent_id=intent.pk),
        )


def _newest(visit: Visit, mine: Rows, text: str) -> list[PaymentIntent]:
    # Each part is cut on its own: a merchant's own address names all of its payments. All of them are one query.
    newest = (part[:MOST] for part in _parts(visit, mine, text))
    first, *others = (mine.filter(pk__in=ids).values_list("pk", flat=True) for ids in newest)
    found = set(first.union(*others))
    if visit.may(Act.SEE_CUSTOMERS):
        found.update(ids_by_value(mine, text, MOST))
    return list(mine.filter(pk__in=found).order_by("-created_at", "-id")[:MOST])


def _parts(visit: Visit, mine: Rows, text: str) -> Iterator[Rows]:
    """The newest ids by each column."""
    spelled = spellings(text)
    yield _ids(mine.filter(reference=text), "pk", "-created_at")
    yield _ids(mine.filter(settlement_address__in=spelled), "pk", "-created_at")
    if visit.may(Act.SEE_CUSTOMERS):
        yield _ids(mine.filter(customer_email__in={text, text.lower()}), "pk", "-created_at")
    legs = Leg.objects.visible_to(visit.principal)
    attempts = PaymentAttempt.objects.visible_to(visit.principal)
    yield _ids(legs.filter(tx_hash__in=spelled), "intent_id", "-created_at")
    yield _ids(legs.filter(destination_tx_hash__in=spelled), "intent_id", "-created_at")
    credited = Credit.objects.visible_to(visit.principal).filter(intent__isnull=False)
    yield _ids(credited.filter(tx_hash__in=spelled), "intent_id", "-observed_at")
    yield _ids(credited.filter(sender__in=spelled), "intent_id", "-observed_at")
    yield _ids(attempts.filter(payer_address__in=spelled), "intent_id", "-created_at")


def _ids(rows: Rows, name: str, newest_first: str) -> Rows:
    return rows.order_by(newest_first, "-pk").values(name)


def spellings(text: str) -> list[str]:
    """The forms in which an address or hash may be stored. Why only hex has several: base58 tells letters apart."""
    if _BARE_HASH.fullmatch(text):
        return [text, f"0x{text.lower()}"]
    if not _HEX.fullmatch(text):
        return [text]
    plain = text.lower()
    return list(dict.fromkeys((text, plain, f"0x{plain[2:].upper()}", *_checksummed(plain))))


def _checksummed(plain: str) -> list[str]:
    """The spelling in which addresses are stored, where this is one."""
    known = chain("ethereum")
    try:
        return [parse_address(known, plain)] if known else []
    except InvalidAddress:
        return []


def _detail(visit: Visit, intent: PaymentIntent) -> Iterator[str]:
    yield f"{intent.created_at:%Y-%m-%d %H:%M} UTC"
    if intent.reference:
        yield intent.reference[:60]
    if intent.customer_email and visit.may(Act.SEE_CUSTOMERS):
        yield intent.customer_email[:60]
    yield str(intent.pk)
