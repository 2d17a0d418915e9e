"""Ordering a refund's transfer: on which rail, and not before what it sends back is the merchant's for good."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.states import TransferStatus
from chains.transfers import RailName, TransferOrder, rail_of, request_transfer, signing_account
from core.clock import now
from core.modes import Mode
from core.money import ZERO_USD
from payments.models import PaymentIntent
from payments.selectors import scenario_named
from payments.services.balance import balance
from payments.services.credits import network_of
from payments.services.refund import may_be_sent_back
from payments.services.transition import locked_intent
from refunds.models import Refund
from refunds.services.create import TO_PAYER
from refunds.services.holds import has_started, held_back
from refunds.services.stray import stray_worth, what_stray_lacks
from refunds.services.transition import apply_trigger, locked_refund
from refunds.shares import share_of
from refunds.states import PAYER_NOT_PROVEN, STRAY_CHANGED, R

PURPOSE = "refund"
CREDITS_POLL = timedelta(seconds=10)
"""How often a refund looks whether what it sends back is final."""
_SCENARIO = "refund_"
_LACKS = (PAYER_NOT_PROVEN, STRAY_CHANGED)
"""Reasons that are over once a transfer is ordered."""
_TRIGGERS = {R.QUEUED: "dispatch", R.RETRY_SCHEDULED: "redispatch"}


@transaction.atomic
def order_transfer(intent_id: UUID, refund_id: UUID) -> Transfer | None:
    """The transfer of a refund that is due, ordered with the refund's own step; None where it must wait.

    Waiting burns no attempt. Locks: the intent, then the refund. Source: docs/adr/0019.
    """
    intent = locked_intent(intent_id)
    refund = locked_refund(refund_id)
    # Whether another worker has planned the next attempt since this one claimed the row.
    planned = refund.retry_at
    comes_later = planned is not None and planned == refund.next_attempt_at and planned > now()
    if R(refund.status) not in _TRIGGERS or comes_later:
        return None
    is_begun = has_started(refund)
    if not is_begun and held_back(refund):
        return None
    lack = None if is_begun else _lack(intent, refund)
    if lack is not None:
        refund.failure_reason, refund.next_attempt_at = lack or refund.failure_reason, now() + CREDITS_POLL
        refund.save(update_fields=["failure_reason", "next_attempt_at"])
        return None
    transfer = request_transfer(_order(intent, refund))
    if awaits_wallet(transfer):
        refund.transfer, refund.rail = transfer, transfer.rail
        refund.failure_reason = "" if refund.failure_reason in _LACKS else refund.failure_reason
        refund.save(update_fields=["transfer", "rail", "failure_reason"])
    else:
        _begin(refund, transfer)
    return transfer


def awaits_wallet(transfer: Transfer) -> bool:
    """Whether the merchant's own wallet was shown nothing yet: until then its refund is not being sent."""
    return transfer.rail == RailName.MERCHANT_WALLET and transfer.status == TransferStatus.NEW


def _begin(refund: Refund, transfer: Transfer) -> None:
    apply_trigger(
        refund,
        _TRIGGERS[R(refund.status)],
        transfer=transfer,
        rail=transfer.rail,
        attempts=refund.attempts + 1,
        failure_reason="",
        retry_at=None,
    )


def _lack(intent: PaymentIntent, refund: Refund) -> str | None:
    """Why it must wait: a reason to show, or an empty one while its chain goes on; None where it may leave."""
    if refund.stray_id is not None:
        return what_stray_lacks(refund)
    # All that arrived must be final, and enough for all that leaves: refunds, and payouts beside them.
    if not (may_be_sent_back(intent) and balance(intent).covers_all):
        return ""
    return None if _is_its_payers(refund) else PAYER_NOT_PROVEN


def _is_its_payers(refund: Refund) -> bool:
    """Whether a wallet that was taken by itself still paid as much, now that all is final.

    Why again: a reorganisation may have taken its payment back, and left another one's. Source: docs/adr/0043.
    """
    if not refund.history.filter(trigger="address", reason=TO_PAYER).exists():
        return True
    share = share_of(refund.intent_id, refund.destination, apart_from=refund.pk)
    return share is not None and share.final_units - share.returned_units >= refund.base_units


def _order(intent: PaymentIntent, refund: Refund) -> TransferOrder:
    """Why no account for a stray that nobody can price: its caps could not be held, so a person's wallet sends it."""
    network = network_of(refund.mode)
    account = None
    worth = refund.amount_usd if refund.stray_id is None else stray_worth(refund)
    if refund.mode == Mode.LIVE and worth is not None:
        account = signing_account(refund.merchant_id, refund.mode, network, refund.chain)
    # Who sends it: nobody really in test mode; else the merchant's signing account, or its own wallet.
    rail = RailName.MERCHANT_WALLET if account is None else rail_of(account)
    return TransferOrder(
        merchant_id=refund.merchant_id,
        mode=refund.mode,
        network=network,
        purpose=PURPOSE,
        purpose_id=refund.pk,
        rail=RailName.SIMULATED if refund.mode == Mode.TEST else rail,
        chain=refund.chain,
        token_address=refund.token_address,
        token_decimals=refund.token_decimals,
        recipient=refund.destination,
        base_units=refund.base_units,
        value_usd=ZERO_USD if worth is None else worth,
        account_id=None if account is None else account.pk,
        sender="" if account is None else account.address,
        behaviour=_behaviour(intent),
    )


def _behaviour(intent: PaymentIntent) -> str:
    """What the simulated chain does with it, by ``metadata.simulate``.

    Source: docs/guides/refunds.md, Trying it in test mode.
    """
    if intent.mode != Mode.TEST:
        return ""
    scenario = scenario_named(intent.metadata.get("simulate"))
    return scenario.removeprefix(_SCENARIO) if scenario.startswith(_SCENARIO) else ""
