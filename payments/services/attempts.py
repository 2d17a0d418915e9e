"""A payer's one try: asked for, prepared, given up."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from core.clock import now
from core.errors import NotFound
from core.transitions import move
from merchants.selectors import refuse_suspended
from payments.errors import (
    IntentNotPayable,
    PaymentInDoubt,
    QuoteExpired,
    TooManyAttempts,
)
from payments.models import PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.schedule import look_soon, schedule_next_look
from payments.services.side_by_side import forget_old_wallets, make_room, own_open_attempt, withdraw
from payments.services.terms import Terms, terms_of
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import (
    ATTEMPT_MACHINE,
    FLYING_LEG,
    INTENT_MACHINE,
    AttemptStatus,
    IntentStatus,
)

QUOTE_LIFETIME = timedelta(seconds=60)
SIGNATURE_TIME = timedelta(minutes=10)
"""Source: docs/design/payments.md, Ten minutes to sign."""
PAYABLE = (
    IntentStatus.CREATED,
    IntentStatus.REQUIRES_PAYMENT,
    IntentStatus.QUOTED,
    IntentStatus.AWAITING_SIGNATURE,
    IntentStatus.PARTIALLY_FILLED,
)
MOST_OF_A_WALLET, MOST_OF_AN_INTENT = 20, 50
"""Tries of one payment, ended ones among them. Why: each is watched for a day, told to the merchant, and costs quotes
of those that all merchants share."""
_ASKED = (AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING)


@transaction.atomic
def open_for_payment(intent_id: UUID) -> PaymentIntent:
    """Note that a payer is here: the first visit moves a created intent to ``requires_payment``."""
    intent = locked_intent(intent_id)
    if intent.status == IntentStatus.CREATED:
        apply_trigger(intent, "await_payment", actor=PAYER)
    return intent


@transaction.atomic
def connect_wallet(intent_id: UUID, family: str, address: str, browser: str = "") -> PaymentIntent:
    """Remember which wallet the payer connected in this browser; a worker looks into it.

    Raises: IntentNotPayable, PaymentInDoubt.
    """
    intent = _payable(intent_id, browser)
    if intent.status == IntentStatus.CREATED:
        apply_trigger(intent, "await_payment", actor=PAYER)
    PayerWallet.objects.update_or_create(
        intent=intent,
        browser=browser,
        defaults={
            "merchant_id": intent.merchant_id,
            "mode": intent.mode,
            "family": family,
            "address": address,
            "tokens": None,
            "unread": [],
            "looks": 0,
            "connected_at": now(),
            "looked_at": None,
        },
    )
    forget_old_wallets(intent)
    look_soon(intent)
    return intent


@transaction.atomic
def request_quote(
    intent_id: UUID, wallet: PayerWallet, chain: str, token_address: str, *, scenario: str
) -> PaymentIntent:
    """Ask for a firm quote in one token of the wallet; a worker makes it.

    The same token again refreshes the quote in place; another token withdraws it. Other browsers' attempts go on.
    Raises: IntentNotPayable, PaymentInDoubt, TooManyAttempts.
    """
    intent = _payable(intent_id, wallet.browser)
    current, asked = own_open_attempt(intent, wallet.browser), (wallet.address, chain, token_address)
    if current is not None and (current.payer_address, current.chain, current.token_address) == asked:
        if current.status == AttemptStatus.QUOTED:
            current.refresh_wanted, current.scenario = True, scenario
            current.save(update_fields=["refresh_wanted", "scenario"])
    else:
        withdraw(intent, current, "the payer chose another token")
        new_attempt(intent, wallet, chain=chain, token_address=token_address, scenario=scenario)
    look_soon(intent)
    return intent


def new_attempt(
    intent: PaymentIntent,
    wallet: PayerWallet,
    *,
    chain: str = "",
    token_address: str = "",
    scenario: str = "",
    simulated_payer: bool = False,  # a fact about the payer that is stored, not a switch
) -> PaymentAttempt:
    """Open an attempt of the wallet's browser. An empty chain leaves the choice of token to the planner.

    Raises: TooManyAttempts. Locks: the caller holds the intent's lock, and the browser has no other open attempt.
    """
    _refuse_too_many(intent, wallet)
    make_room(intent)
    return PaymentAttempt.objects.create(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        intent=intent,
        number=intent.payment_attempts.count() + 1,
        browser=wallet.browser,
        status=ATTEMPT_MACHINE.initial,
        family=wallet.family,
        payer_address=wallet.address,
        chain=chain,
        token_address=token_address,
        scenario=scenario,
        simulated_payer=simulated_payer,
    )


@transaction.atomic
def request_start(intent_id: UUID, attempt_id: UUID, agreed: Terms | None = None) -> PaymentIntent:
    """The payer accepts the quote: a worker checks it once more and prepares the transactions.

    ``agreed`` is what stood on the payer's screen; a quote that was refreshed since, and is worse, does not start.
    Raises: NotFound, QuoteExpired, IntentNotPayable, PaymentInDoubt.
    """
    intent = locked_intent(intent_id)
    attempt = attempt_of(intent, attempt_id)
    if attempt.status in (AttemptStatus.PREPARING, AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING):
        return intent  # a double click
    refuse_unpayable(intent, attempt.browser)
    if attempt.status != AttemptStatus.QUOTED or attempt.lapses_at is None or attempt.lapses_at <= now():
        raise QuoteExpired
    if agreed is not None and not agreed.covers(terms_of(attempt, list(attempt.legs.order_by("sequence")))):
        raise QuoteExpired
    move(ATTEMPT_MACHINE, attempt, "prepare", {"refresh_wanted": False})
    look_soon(intent)
    return intent


@transaction.atomic
def give_up_attempt(intent_id: UUID, attempt_id: UUID, reason: str) -> PaymentIntent:
    """The payer declined or left: back to where a payment can start again, unless money is already moving."""
    intent = locked_intent(intent_id)
    attempt = attempt_of(intent, attempt_id)
    if attempt.status in (AttemptStatus.QUOTED, AttemptStatus.PREPARING, AttemptStatus.AWAITING_SIGNATURE):
        withdraw(intent, attempt, reason)
        schedule_next_look(intent)
    return intent


def refuse_unpayable(intent: PaymentIntent, browser: str = "") -> None:
    """Let only an intent pass that this browser can start a payment for now.

    Why not while it has a transaction to sign itself: it gives that up first. Others' do not keep it out.
    Raises: IntentNotPayable, MerchantSuspended, PaymentInDoubt.
    """
    refuse_suspended(intent.merchant_id)
    if intent.in_doubt:
        raise PaymentInDoubt
    if intent.payment_attempts.filter(browser=browser, status__in=_ASKED).exists():
        raise IntentNotPayable(intent.status)
    over = INTENT_MACHINE.allows(intent.status, "expire") and intent.expires_due_at <= now()
    if intent.status not in PAYABLE or over or intent.legs.filter(status__in=FLYING_LEG).exists():
        raise IntentNotPayable(IntentStatus.EXPIRED if over else intent.status)


def _refuse_too_many(intent: PaymentIntent, wallet: PayerWallet) -> None:
    """Raises: TooManyAttempts. Why by browser too: a stranger may name the payer's wallet as his own."""
    made = intent.payment_attempts
    if made.filter(browser=wallet.browser, payer_address=wallet.address).count() >= MOST_OF_A_WALLET:
        raise TooManyAttempts("wallet", MOST_OF_A_WALLET)
    if made.count() >= MOST_OF_AN_INTENT:
        raise TooManyAttempts("intent", MOST_OF_AN_INTENT)


def _payable(intent_id: UUID, browser: str) -> PaymentIntent:
    intent = locked_intent(intent_id)
    refuse_unpayable(intent, browser)
    return intent


def attempt_of(intent: PaymentIntent, attempt_id: UUID) -> PaymentAttempt:
    """The attempt, if it is this intent's. Raises: NotFound."""
    attempt = intent.payment_attempts.filter(pk=attempt_id).first()
    if attempt is None:
        raise NotFound("attempt")
    return attempt
