"""Mail to everybody who leads a merchant's team, at each step of a change of where its payments settle."""

from enum import Enum

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Q, QuerySet

from chains.registry import chain
from core.clock import wire_time
from merchants.acts import PERMISSIONS, Act
from merchants.models import Merchant, User
from payments.models import SettlementChange


class Occasion(Enum):
    """What happened: the subject's words, and the sentence that says what is true now."""

    REQUESTED = ("was asked for", "Nothing has changed yet. It takes effect at {at} unless somebody withdraws it.")
    CONFIRMED = ("was confirmed and is in effect", "New payments settle by it from now on.")
    WITHDRAWN = ("was withdrawn", "Nothing was changed.")
    EFFECTIVE = ("is in effect", "Its waiting time is over: new payments settle by it from now on.")
    AT_ONCE = ("is in effect", "It replaced nothing, or made things stricter, so it did not have to wait.")


_PARTS = {
    "evm": "Ethereum and other EVM chains",
    "solana": "Solana",
    "default": "Where payments go that name no chain",
    "lock": "Only these addresses",
}
_ADVICE = {
    Occasion.REQUESTED: "If nobody of you asked for this, withdraw it now, and sign the others out:",
    Occasion.WITHDRAWN: "Look at the settings:",
}
_URGENT = "If nobody of you did this, lock your addresses, cancel open payments and roll your keys:"


def leads_of(merchant_id: int) -> QuerySet[User]:
    """Those who may change where a merchant's payments settle."""
    roles = PERMISSIONS[Act.CHANGE_SETTLEMENT].roles
    here = Q(memberships__merchant_id=merchant_id, memberships__role__in=roles)
    return User.objects.filter(here, is_active=True).order_by("pk")


def mail_leads(change: SettlementChange, occasion: Occasion, actor: str) -> None:
    """Tell those who lead the team now, and those who did when it was asked for.

    Why those too: whoever took an account over could remove the others first.
    """
    merchant = Merchant.objects.get(pk=change.merchant_id)
    people = User.objects.filter(Q(pk__in=change.leads) | Q(pk__in=leads_of(merchant.pk)), is_active=True)
    name = " ".join(merchant.name.split())
    subject = f"{name}: a change of where {change.mode} payments settle {occasion.value[0]}"
    text = _text(change, occasion, person_behind(actor))
    for person in people.order_by("pk"):
        send_mail(subject, text, None, [person.email])


def _text(change: SettlementChange, occasion: Occasion, person: str) -> str:
    what_now = occasion.value[1].format(at=wire_time(change.effective_at))
    asked = f"Asked for by {person_behind(change.requested_by)} from {change.requested_from or 'an unknown address'}"
    return "\n".join(
        [
            f"{in_words(change.part)}",
            f"  before: {shown(change.part, change.before)}",
            f"  after:  {shown(change.part, change.after)}",
            "",
            f"{asked}, at {wire_time(change.created_at)}.",
            *([] if person == person_behind(change.requested_by) else [f"This step: {person}."]),
            what_now,
            "Payments that exist already keep the address they were made with.",
            "",
            _ADVICE.get(occasion, _URGENT),
            f"{settings.BASE_URL}/dashboard/{change.mode}/settings/",
            "",
        ]
    )


def in_words(part: str) -> str:
    """What a change is of."""
    names = {
        "evm": "Ethereum and other EVM chains",
        "solana": "Solana",
        "default": "The default",
        "lock": "Only these addresses",
    }
    return names[part]


def shown(part: str, value: dict[str, str]) -> str:
    """A side of a change, as a person reads it."""
    if part == "lock":
        return "on" if value["locked"] else "off"
    if part == "default":
        return in_words(value["family"]) if value["family"] else "none"
    if not value:
        return "none"
    known = chain(value["chain"])
    return f"{value['token']} on {known.display_name if known else value['chain']}, {value['address']}"


def person_behind(actor: str) -> str:
    """An actor as people know it."""
    kind, _, number = actor.partition(":")
    if kind == "user" and number.isdecimal():
        return User.objects.filter(pk=int(number)).values_list("email", flat=True).first() or "a person who is gone"
    return "Causeway" if actor == "worker" else actor
