"""What a payer does. Each action stores a row and answers at once; a worker does the rest, and the page polls."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import CHAINS, Family
from checkout.selectors import payer_state
from checkout.serializers import (
    ConnectWalletSerializer,
    RejectAttemptSerializer,
    ReportTransactionSerializer,
    RequestQuoteSerializer,
    SendSimulatedTransactionSerializer,
    StartAttemptSerializer,
)
from checkout.shapes import PayerStateShape, SimulatedTransactionShape
from checkout.views.access import browser_of, count_new_browser, count_quote, count_report, require_token
from checkout.views.api import BROWSER, CHECKOUT_TOKEN, PayerView
from core.errors import InvalidRequest, NotFound, field_problem
from core.fields import StrictSerializer, check_body
from core.language import in_payers_language
from core.modes import Mode
from core.openapi import MOVES_MONEY, component, idempotency_header
from core.refusals import Refusal, errors
from merchants.errors import MerchantSuspended
from merchants.idempotency import Answer, act_once, keep_newest
from payments.errors import (
    AttemptOfAnotherBrowser,
    IntentNotPayable,
    NotATransaction,
    PaymentInDoubt,
    QuoteExpired,
    TooManyAttempts,
    TooManyHints,
    TransactionAlreadyUsed,
    TransactionAltered,
    TransactionNotAwaited,
    UnknownToken,
)
from payments.models import Leg, PayerWallet, PaymentIntent
from payments.selectors import intent_id_from, public_intent, scenario_named, scenarios
from payments.services.attempts import (
    connect_wallet,
    give_up_attempt,
    refuse_unpayable,
    request_quote,
    request_start,
)
from payments.services.broadcast import take_signed_transaction
from payments.services.ownership import require_own, require_own_or_claimed, require_own_or_signed
from payments.services.reports import is_news, report_transaction
from payments.services.simulated_payer import send_simulated
from payments.services.terms import Terms

_CHAIN_OF_FAMILY = {chain.family: chain for chain in CHAINS}
_UNPAYABLE = (IntentNotPayable, PaymentInDoubt, MerchantSuspended)
_UNTAKEN = (
    *(AttemptOfAnotherBrowser, NotATransaction, TooManyHints),
    *(TransactionAlreadyUsed, TransactionAltered, TransactionNotAwaited),
)
"""Why what a wallet sent or signed is not taken."""
_BROWSER_LETTERS = 16
MOST_KEPT = 100
"""Answers that are kept for one browser at one payment. Why a bound: each is a whole state, for a day."""


def _action(name: str, body: type[StrictSerializer], *refusals: Refusal, **marks: Any) -> Callable[[Any], Any]:
    return extend_schema(
        operation_id=name,
        tags=["Checkout"],
        auth=[CHECKOUT_TOKEN],
        parameters=[idempotency_header(), BROWSER],
        request=body,
        **marks,
        responses={202: component(PayerStateShape), **errors(403, 404, *refusals)},
    )


def _act(request: Request, intent: PaymentIntent, act: Callable[[], PaymentIntent]) -> Response:
    """Run an action once per key, in a scope that belongs to this browser and intent alone.

    Source: docs/design/requests.md, A payer's keys.
    """

    scope = _scope(request, intent)

    def effect() -> Answer:
        act()
        keep_newest(scope, MOST_KEPT)
        with in_payers_language(request):
            return Answer(http_status=202, body=payer_state(public_intent(intent.pk), browser_of(request)))

    return act_once(request, scope, effect)


def _scope(request: Request, intent: PaymentIntent) -> str:
    """Whose keys these are. Why the browser's too: a key that somebody guesses must not show another's wallet."""
    return f"checkout:{intent.pk.hex}:{browser_of(request)[:_BROWSER_LETTERS]}".rstrip(":")


def _intent_for(request: Request, intent_id: str) -> PaymentIntent:
    intent = public_intent(intent_id_from(intent_id))
    require_token(request, intent)
    return intent


def _scenario(intent: PaymentIntent, asked: str | None) -> str:
    """What test mode should play: the payer's choice, else the intent's; nothing in live mode."""
    if intent.mode != Mode.TEST:
        return ""
    return asked if asked in scenarios() else scenario_named(intent.metadata.get("simulate"))


def _terms(terms: dict[str, Any]) -> Terms:
    return Terms(
        pay_base_units=tuple(int(units) for units in terms["pay_base_units"]),
        fee_usd=Decimal(terms["fee_usd"]),
        gas_usd=Decimal(terms["gas_usd"]),
        due_base_units=int(terms["due_base_units"]),
    )


class WalletView(PayerView):
    """The payer's wallet."""

    @_action("connectCheckoutWallet", ConnectWalletSerializer, *_UNPAYABLE)
    def post(self, request: Request, intent_id: str) -> Response:
        """Say which wallet will pay; the service looks into it."""
        intent = _intent_for(request, intent_id)
        body = check_body(ConnectWalletSerializer, request.data)
        try:
            address = parse_address(_CHAIN_OF_FAMILY[Family(body["family"])], body["address"])
        except InvalidAddress as error:
            problem = field_problem("address", "format", error.message)
            raise InvalidRequest(details={"fields": [problem]}) from error
        browser = browser_of(request)

        def connect() -> PaymentIntent:
            count_new_browser(request, intent, browser)
            return connect_wallet(intent.pk, body["family"], address, browser)

        return _act(request, intent, connect)


def _wallet_with(intent: PaymentIntent, browser: str, body: dict[str, Any]) -> PayerWallet:
    """The browser's wallet, if it lists the token. Raises: IntentNotPayable, PaymentInDoubt, UnknownToken."""
    refuse_unpayable(intent, browser)
    wallet: PayerWallet | None = intent.payer_wallets.filter(browser=browser).first()
    listed = {(token["chain"], token["token_address"]) for token in (wallet.tokens or [])} if wallet else set()
    if wallet is None or (body["chain"], body["token_address"]) not in listed:
        raise UnknownToken
    return wallet


class QuoteView(PayerView):
    """A firm quote."""

    @_action("requestCheckoutQuote", RequestQuoteSerializer, *_UNPAYABLE, TooManyAttempts)
    def post(self, request: Request, intent_id: str) -> Response:
        """Ask for a firm quote in one of the wallet's tokens, or refresh the current one."""
        intent = _intent_for(request, intent_id)
        body = check_body(RequestQuoteSerializer, request.data)
        scenario = _scenario(intent, body.get("scenario"))

        def ask() -> PaymentIntent:
            wallet = _wallet_with(intent, browser_of(request), body)
            count_quote(request, intent)
            return request_quote(intent.pk, wallet, body["chain"], body["token_address"], scenario=scenario)

        return _act(request, intent, ask)


class StartView(PayerView):
    """The payer accepts the quote."""

    @_action("startCheckoutAttempt", StartAttemptSerializer, *_UNPAYABLE, QuoteExpired, AttemptOfAnotherBrowser)
    def post(self, request: Request, intent_id: str) -> Response:
        """Accept the quote; the transactions to sign appear in the state."""
        intent = _intent_for(request, intent_id)
        body = check_body(StartAttemptSerializer, request.data)
        agreed = _terms(body["terms"]) if "terms" in body else None

        def start() -> PaymentIntent:
            require_own(intent, body["attempt_id"], browser_of(request))
            return request_start(intent.pk, body["attempt_id"], agreed)

        return _act(request, intent, start)


class SubmittedView(PayerView):
    """The wallet sent a transaction."""

    @_action("reportCheckoutTransaction", ReportTransactionSerializer, *_UNTAKEN, extensions=MOVES_MONEY)
    def post(self, request: Request, intent_id: str) -> Response:
        """Report the hash the wallet returned, or what it signed; only the chain is believed."""
        intent = _intent_for(request, intent_id)
        body = check_body(ReportTransactionSerializer, request.data)
        place, browser = (body["attempt_id"], body["leg_sequence"]), browser_of(request)

        def take() -> PaymentIntent:
            signed: str = body["signed_transaction"]
            require_own_or_signed(intent, place, browser, signed=signed)
            return take_signed_transaction(intent.pk, *place, signed)

        def note() -> PaymentIntent:
            tx_hash, claim = body["tx_hash"], body.get("claim", "")
            by = require_own_or_claimed(intent, place, browser, tx_hash=tx_hash, claim=claim)
            if is_news(intent, place, tx_hash, claim):
                count_report(request, place)
            return report_transaction(intent.pk, *place, tx_hash, claim, by=by)

        return _act(request, intent, take if "signed_transaction" in body else note)


class RejectedView(PayerView):
    """The payer declined."""

    @_action("rejectCheckoutAttempt", RejectAttemptSerializer, AttemptOfAnotherBrowser)
    def post(self, request: Request, intent_id: str) -> Response:
        """Give the attempt up; another can be started."""
        intent = _intent_for(request, intent_id)
        body = check_body(RejectAttemptSerializer, request.data)

        def give_up() -> PaymentIntent:
            require_own(intent, body["attempt_id"], browser_of(request))
            return give_up_attempt(intent.pk, body["attempt_id"], body["reason"])

        return _act(request, intent, give_up)


class SimulatedChainView(PayerView):
    """The network of the simulated wallets; it does not exist in live mode."""

    @extend_schema(
        operation_id="sendSimulatedTransaction",
        tags=["Test helpers"],
        auth=[CHECKOUT_TOKEN],
        parameters=[idempotency_header(), BROWSER],
        request=SendSimulatedTransactionSerializer,
        responses={201: component(SimulatedTransactionShape), **errors(403, 404, AttemptOfAnotherBrowser)},
    )
    def post(self, request: Request, intent_id: str) -> Response:
        """Send what a simulated wallet signed; ``behaviour`` says what the simulated chain makes of it."""
        intent = _intent_for(request, intent_id)
        if intent.mode != Mode.TEST:
            raise NotFound("path")
        body = check_body(SendSimulatedTransactionSerializer, request.data)
        require_own(intent, body["attempt_id"], browser_of(request))
        leg: Leg | None = intent.legs.filter(attempt_id=body["attempt_id"], sequence=body["leg_sequence"]).first()
        if leg is None:
            raise NotFound("leg")
        behaviour = _scenario(intent, body.get("behaviour"))

        def effect() -> Answer:
            sent: SimulatedTransactionShape = {"tx_hash": send_simulated(leg, behaviour)}
            return Answer(http_status=201, body=sent)

        return act_once(request, _scope(request, intent), effect)
