"""A live refund by key to an address that nobody knows yet waits for a person: a stolen key empties no account."""

from django.db.models import Q

from chains.addresses import same_address
from chains.transfers import signing_account
from core.modes import Mode
from merchants.admission import Objection
from payments.services.credits import network_of
from refunds.models import Refund, RefundPolicy
from refunds.services.create import TO_PAYER, TO_SENDER
from refunds.shares import share_of
from refunds.states import DESTINATION_UNCONFIRMED

_KEY, _PERSON = "key:", "user:"


def objection_to_destination(refund: Refund) -> Objection | None:
    """What speaks against sending where a key said: only a person's word on this very row ends it.

    Why not where the merchant's own wallet signs: there a person sees the address, and no key can send.
    Locks: the caller holds the refund's lock.
    """
    if refund.mode != Mode.LIVE or not _was_named_by_a_key(refund) or not _is_sent_by_itself(refund):
        return None
    policy = RefundPolicy.objects.filter(merchant_id=refund.merchant_id, mode=refund.mode).first()
    if policy is not None and not policy.confirms_new_destinations:
        return None
    listed = [] if policy is None else policy.destinations
    if any(same_address(one, refund.destination) for one in listed) or _paid(refund) or _was_confirmed(refund):
        return None
    return Objection(reason=DESTINATION_UNCONFIRMED, is_for_good=True)


def _was_named_by_a_key(refund: Refund) -> bool:
    step = refund.history.filter(trigger="address").order_by("-pk").values_list("actor", "reason").first()
    return step is not None and step[0].startswith(_KEY) and step[1] not in (TO_PAYER, TO_SENDER)


def _is_sent_by_itself(refund: Refund) -> bool:
    return signing_account(refund.merchant_id, refund.mode, network_of(refund.mode), refund.chain) is not None


def _paid(refund: Refund) -> bool:
    """Whether the address paid as much of this intent. Why as much: a thief can pay a cent."""
    share = share_of(refund.intent_id, refund.destination, apart_from=refund.pk)
    return share is not None and share.paid_units - share.returned_units >= refund.base_units


def _was_confirmed(refund: Refund) -> bool:
    """Whether a person let money go there before, or named it. Why not what was paid: anybody may be a payer."""
    same = Refund.objects.filter(
        merchant_id=refund.merchant_id, mode=refund.mode, destination=refund.destination
    ).exclude(pk=refund.pk)
    by_person = Q(released_by__startswith=_PERSON) | Q(history__trigger="address", history__actor__startswith=_PERSON)
    return same.filter(by_person).exists()
