"""A payment by authorization: the payer's wallet only signs (EIP-3009), and the service sends what it signed.

Taken at the door, which asks nobody: the terms are held against the intent, and the row stands before anything is sent.
From there on it is an attempt like any other. Source: docs/adr/0114-who-sends-what-an-x402-client-signed.md.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from chains.authorized_calls import why_not_offered
from chains.calldata.eip3009 import DOMAIN_NAME, PLAY_DOMAIN_NAME, TOKENS, Authorization
from chains.registry import Family, chain
from chains.signatures import signer_of_digest
from core.clock import now
from core.modes import Mode
from core.money import ZERO_USD, BaseUnits
from core.transitions import move
from payments.errors import (
    AuthorizationAlreadyUsed,
    AuthorizationNotOffered,
    AuthorizationUnfit,
    AuthorizationUnsigned,
    AuthorizationUntimely,
)
from payments.models import PayerAuthorization, PayerWallet, PaymentAttempt, PaymentIntent
from payments.routing.base import Asset, Candidate, Plan, RouteRequest
from payments.routing.offers import exact_transfer
from payments.routing.reasons import WhyCode, why
from payments.scenarios import scenario_named
from payments.services.attempts import new_attempt, refuse_unpayable
from payments.services.credits import network_of
from payments.services.ownership import browser_of_wallet
from payments.services.quote import accept_plan
from payments.services.rate import freeze
from payments.services.schedule import look_soon
from payments.services.side_by_side import own_open_attempt, withdraw
from payments.services.target import destination_of, goal_of
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import ATTEMPT_MACHINE, FLYING_LEG, IntentStatus, LegStatus

OFFERED_FOR: Final = timedelta(minutes=10)
"""How long what is asked for may be signed for."""
LEAST_LEFT: Final = timedelta(seconds=20)
"""So long it must still be good when it is taken. Why: a worker has yet to send it, and a block to come."""
DIRECT, BY_AUTHORIZATION = "direct", "authorization"
_REASON: Final = "Direct transfer by the payer's signed authorization: the service sends it, and pays the network fee."


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Exactly what pays an intent by authorization. ``seconds``: for how long from now it may be signed for."""

    chain_id: int
    chain: str
    token_address: str
    recipient: str
    base_units: BaseUnits
    domain_name: str
    seconds: int


class Standing(StrEnum):
    """How an authorization stands."""

    PENDING = "pending"
    SETTLED = "settled"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What became of an authorization; ``reason`` where nothing did."""

    standing: Standing
    tx_hash: str = ""
    reason: str = ""


@transaction.atomic
def ask_for_authorization(intent_id: UUID) -> Asked:
    """What would pay an intent, at a rate that is kept from now on. An intent that nobody saw yet awaits its payment.

    Raises: IntentNotPayable, PaymentInDoubt, MerchantSuspended, AuthorizationNotOffered. Locks: the intent.
    """
    intent = locked_intent(intent_id)
    refuse_unpayable(intent, browser_of_wallet(""))
    asked = _asked(intent)
    if intent.status == IntentStatus.CREATED:
        apply_trigger(intent, "await_payment", actor=PAYER)
    return asked


def take_authorization(intent_id: UUID, given: Authorization, signature: str) -> PayerAuthorization:
    """Take what a wallet signed, if it is exactly what is asked for; a worker sends it.

    The same authorization again is the same row, whatever became of it. Raises: as ``ask_for_authorization``;
    AuthorizationUnfit, AuthorizationUntimely, AuthorizationUnsigned, AuthorizationAlreadyUsed, TooManyAttempts.
    Why the key is found before the lock: it takes a few milliseconds, and SQLite has one lock for all.
    """
    signer = signer_of_digest(given.digest(), bytes.fromhex(signature.removeprefix("0x")))
    try:
        return _take(intent_id, given, signature, signer)
    except IntegrityError:
        raise AuthorizationAlreadyUsed from None


def course_of(taken: PayerAuthorization) -> Course:
    """How an authorization stands now, by its leg: the chain's word, as for every other payment."""
    leg = taken.attempt.legs.order_by("sequence").first()
    if leg is not None and leg.status == LegStatus.CONFIRMED:
        return Course(standing=Standing.SETTLED, tx_hash=leg.tx_hash or leg.destination_tx_hash)
    is_over = taken.attempt.status in ATTEMPT_MACHINE.terminal
    if taken.refused or (is_over and (leg is None or leg.status not in FLYING_LEG)):
        reason = taken.refused or (leg.error if leg is not None else "") or taken.attempt.status
        return Course(standing=Standing.FAILED, reason=reason)
    return Course(standing=Standing.PENDING)


def is_taken(mode: str, given: Authorization) -> bool:
    """Whether the same authorization was taken before, for whichever payment."""
    known = PayerAuthorization.objects.filter(
        network=network_of(mode), token_address=given.token, payer_address=given.holder, nonce=given.nonce
    )
    return known.exists()


@transaction.atomic
def _take(intent_id: UUID, given: Authorization, signature: str, signer: str) -> PayerAuthorization:
    intent = locked_intent(intent_id)
    known = _known(intent, given)
    if known is not None:
        return known
    browser = browser_of_wallet(given.holder)
    refuse_unpayable(intent, browser)
    asked = _asked(intent)
    _refuse_unfit(asked, given)
    if signer != given.holder:
        raise AuthorizationUnsigned
    attempt = _attempt(intent, browser, given)
    taken: PayerAuthorization = PayerAuthorization.objects.create(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        attempt=attempt,
        network=network_of(intent.mode),
        chain=asked.chain,
        token_address=given.token,
        payer_address=given.holder,
        recipient=given.recipient,
        nonce=given.nonce,
        base_units=given.base_units,
        valid_after=given.valid_after,
        valid_before=given.valid_before,
        signature=signature,
    )
    look_soon(intent)
    return taken


def _known(intent: PaymentIntent, given: Authorization) -> PayerAuthorization | None:
    """The row of the same authorization, if it was given for this intent. Raises: AuthorizationAlreadyUsed."""
    rows = PayerAuthorization.objects.select_related("attempt").filter(
        network=network_of(intent.mode),
        chain=intent.settlement_chain,
        token_address=given.token,
        payer_address=given.holder,
        nonce=given.nonce,
    )
    known: PayerAuthorization | None = rows.first()
    if known is None:
        return None
    terms = (given.recipient, given.base_units, given.valid_after, given.valid_before)
    if known.attempt.intent_id != intent.pk or terms != (
        *(known.recipient, known.base_units),
        *(known.valid_after, known.valid_before),
    ):
        raise AuthorizationAlreadyUsed
    return known


def _asked(intent: PaymentIntent) -> Asked:
    """Raises: AuthorizationNotOffered. Locks: the caller holds the intent's lock; its rate is frozen."""
    known, token = chain(intent.settlement_chain), intent.settlement_token_address
    if known is None or known.chain_id is None or (known.name, token) not in TOKENS:
        raise AuthorizationNotOffered("token")
    if intent.mode == Mode.LIVE and (reason := why_not_offered(known.name)):
        raise AuthorizationNotOffered(reason)
    destination = destination_of(intent)
    if destination is None or destination.usd_price <= 0:
        raise AuthorizationNotOffered("price")
    freeze(intent, destination)
    return Asked(
        chain_id=known.chain_id,
        chain=known.name,
        token_address=token,
        recipient=intent.settlement_address,
        base_units=goal_of(intent, destination, "", "").target_base_units,
        domain_name=domain_of(intent),
        seconds=int(min(OFFERED_FOR, max(intent.expires_due_at - now(), LEAST_LEFT)).total_seconds()),
    )


def domain_of(intent: PaymentIntent) -> str:
    """Under which name the token's domain is signed: in test mode one that no token has."""
    return PLAY_DOMAIN_NAME if intent.mode == Mode.TEST else DOMAIN_NAME


def _refuse_unfit(asked: Asked, given: Authorization) -> None:
    """Raises: AuthorizationUnfit, AuthorizationUntimely."""
    pairs = (
        ("network", asked.chain_id, given.chain_id),
        ("asset", asked.token_address, given.token),
        ("payTo", asked.recipient, given.recipient),
        ("amount", asked.base_units, given.base_units),
    )
    for field, wanted, found in pairs:
        if wanted != found:
            raise AuthorizationUnfit(field)
    if given.holder == asked.recipient:
        raise AuthorizationUnfit("from")
    moment = int(now().timestamp())
    if given.valid_after > moment or given.valid_before < moment + LEAST_LEFT.total_seconds():
        raise AuthorizationUntimely


def _attempt(intent: PaymentIntent, browser: str, given: Authorization) -> PaymentAttempt:
    """The attempt of the wallet, quoted, accepted and signed in one; it waits for a worker. Locks: as ``_asked``."""
    withdraw(intent, own_open_attempt(intent, browser), "the wallet signed another authorization")
    scenario = scenario_named(intent.metadata.get("simulate")) if intent.mode == Mode.TEST else ""
    destination = destination_of(intent)
    if destination is None:
        raise AuthorizationNotOffered("token")
    wallet = PayerWallet(family=Family.EVM, address=given.holder, browser=browser)
    attempt = new_attempt(intent, wallet, chain=destination.chain, token_address=destination.address, scenario=scenario)
    accept_plan(intent, attempt, _plan(intent, destination, given))
    move(ATTEMPT_MACHINE, attempt, "prepare")
    return attempt


def _plan(intent: PaymentIntent, destination: Asset, given: Authorization) -> Plan:
    """The one way: exactly what was signed, at no network fee of the payer's."""
    request = RouteRequest(
        mode=Mode(intent.mode),
        payer_address=given.holder,
        source=destination,
        destination=destination,
        recipient=given.recipient,
        target_base_units=BaseUnits(given.base_units),
    )
    offer = replace(exact_transfer(DIRECT, request, ZERO_USD), raw={"tool": BY_AUTHORIZATION})
    best = Candidate(
        offer=offer, score=Decimal(100), chosen=True, ai_pick=False, reason=_REASON, why=why(WhyCode.EXACT)
    )
    return Plan(legs=(offer,), candidates=(best,), reason=_REASON)
