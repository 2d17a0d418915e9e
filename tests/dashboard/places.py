"""A row for every page that shows one: the page's own words for where it is. A page that is missing here fails."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from chains.rails.base import RailName
from chains.transfers import TransferOrder, request_transfer
from core import transitions
from core.clock import now
from core.ids import new_request_id
from core.modes import Mode
from core.money import BaseUnits, usd
from dashboard.page import Page
from dashboard.visit import url_in
from ledger.models import Posting, Statement
from mcp.models import AgentConnection, ApprovalRequest
from mcp.services.asking import APPROVAL_LIFECYCLE
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey, KeyKind, Membership, RequestRecord, Role, User
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import NewMerchant, create_restricted_key
from merchants.services.invitations import invite
from merchants.services.keys import newest_key_id
from merchants.services.origins import allow_origin
from payments.models import PaymentIntent, SettlementChange
from payments.states import SETTLEMENT_CHANGE_MACHINE
from payouts.models import Payout
from refunds.models import Refund
from refunds.services.create import NewRefund, create_refund
from refunds.services.transition import apply_trigger
from tests.factories.payments import ANNS_EVM, BOBS_EVM
from tests.factories.payouts import stored_payout
from tests.factories.refunds import USDC_ON_BASE, paid_intent
from tests.mcp.rows import connection_of
from tests.webhooks.actors import Subscriber, happen, subscribe
from theatre.models import Replay
from theatre.services import scenario_file
from webhooks.models import WebhookEndpoint
from webhooks.services import send_test_event

Words = dict[str, Any]
Place = Callable[[NewMerchant, Mode], Words]


def actor(account: NewMerchant, mode: Mode) -> Principal:
    return Principal(merchant_id=account.merchant.pk, mode=mode, actor=f"user:{account.owner.pk}")


def intent(account: NewMerchant, mode: Mode) -> PaymentIntent:
    """A settled payment over 25 dollars."""
    return paid_intent(account.merchant, mode=mode)


def refund(account: NewMerchant, mode: Mode) -> Refund:
    """A refund that waits for an address."""
    wish = NewRefund(intent_id=intent(account, mode).pk, amount_usd=usd("5"))
    made: Refund = create_refund(actor(account, mode), wish)
    return made


def held_refund(account: NewMerchant, mode: Mode) -> Refund:
    """A refund to an address that a key named, which waits for a person."""
    made = refund(account, mode)
    facts = {"status": "queued", "failure_reason": "destination_unconfirmed", "destination": BOBS_EVM, "chain": "base"}
    Refund.objects.filter(pk=made.pk).update(**facts)
    return made


def wallet_refund(account: NewMerchant, mode: Mode) -> Refund:
    """A refund that waits for the merchant's own wallet."""
    made = refund(account, mode)
    Refund.objects.filter(pk=made.pk).update(status="queued", failure_reason="", destination=BOBS_EVM, chain="base")
    made.refresh_from_db()
    give_to_own_wallet(made, BOBS_EVM, "5")
    return made


def give_to_own_wallet(made: Refund, recipient: str, dollars: str) -> None:
    """Order a refund's transfer of the merchant's own wallet."""
    order = TransferOrder(
        merchant_id=made.merchant_id,
        mode=made.mode,
        network="localnet",
        purpose="refund",
        purpose_id=made.pk,
        rail=RailName.MERCHANT_WALLET,
        chain="base",
        token_address=USDC_ON_BASE,
        token_decimals=6,
        recipient=recipient,
        base_units=BaseUnits(int(dollars) * 1_000_000),
        value_usd=usd(dollars),
    )
    apply_trigger(made, "dispatch", transfer=request_transfer(order), rail="merchant_wallet")


def approval(account: NewMerchant, mode: Mode) -> ApprovalRequest:
    """A refund that an agent asked for and a person must allow."""
    connection = connection_of(account, mode, approval_above_usd=usd("1"))
    request = ApprovalRequest(
        merchant=account.merchant,
        mode=mode,
        connection=connection,
        tool="create_refund",
        intent=intent(account, mode),
        amount_usd=usd("5"),
        chain="base",
        token="USDC",
        token_address=USDC_ON_BASE,
        token_decimals=6,
        base_units=BaseUnits(5_000_000),
        idempotency_key="order-77",
        expires_at=now() + timedelta(days=7),
    )
    request.arguments = {"payment_intent_id": str(request.intent_id), "amount_usd": "5", "idempotency_key": "order-77"}
    transitions.initial(APPROVAL_LIFECYCLE, request, actor=connection.actor)
    return request


def held(account: NewMerchant, mode: Mode) -> Words:
    """A payout that a revoked agent ordered and nobody decided about."""
    connection: AgentConnection = connection_of(account, mode)
    payout = stored_payout(str(intent(account, mode).pk), created_by=connection.actor)
    Payout.objects.filter(pk=payout.pk).update(status="paused", failure_reason="agent_revoked", next_attempt_at=None)
    return {"connection_id": connection.pk, "kind": "payout", "subject_id": payout.pk}


def _posting(account: NewMerchant, mode: Mode) -> Words:
    """One side of what a refund that waits holds."""
    made = refund(account, mode)
    return {"posting_id": Posting.objects.filter(source="refund", source_id=str(made.pk))[0].pk}


def _statement(account: NewMerchant, mode: Mode) -> Words:
    """A day's statement; its asset is one of its own, since there is one of a day."""
    place = {"merchant": account.merchant, "mode": mode, "chain": "base", "token_address": uuid4().hex}
    made = Statement.objects.create(**place, day=now().date(), document="{}", digest="", key_id="")
    return {"statement_id": made.pk}


def _key(account: NewMerchant, mode: Mode) -> Words:
    mine = ApiKey.objects.filter(merchant=account.merchant, mode=mode, kind=KeyKind.SECRET, revoked_at=None)
    return {"key_id": mine.order_by("-pk")[0].pk}


def _restricted_key(account: NewMerchant, mode: Mode) -> Words:
    who = actor(account, mode)
    terms = KeyTerms(name="Nightly report", scopes=(KeyScope.READ_INTENTS,))
    return {"key_id": create_restricted_key(who, terms, shown_key_id=newest_key_id(who)).key.pk}


def _member(account: NewMerchant, mode: Mode) -> Words:
    person = User.objects.create_user(f"member-{uuid4()}@shop.example")
    return {"membership_id": Membership.objects.create(user=person, merchant=account.merchant, role=Role.VIEWER).pk}


def _invitation(account: NewMerchant, mode: Mode) -> Words:
    email = f"invited-{uuid4()}@shop.example"
    return {"invitation_id": invite(actor(account, mode), account.owner, email, Role.VIEWER).pk}


def _change_of(account: NewMerchant, mode: Mode, **facts: Any) -> Words:
    common = {"merchant": account.merchant, "mode": mode, "requested_by": "user:0"}
    return {"change_id": SettlementChange.objects.create(**common, **facts).pk}


def _settlement_change(account: NewMerchant, mode: Mode) -> Words:
    lock = {"part": "lock", "before": {"locked": True}, "after": {"locked": False}}
    later = now() + timedelta(days=2)
    return _change_of(account, mode, status=SETTLEMENT_CHANGE_MACHINE.initial, effective_at=later, **lock)


def _change_in_effect(account: NewMerchant, mode: Mode) -> Words:
    before, after = ({"chain": "base", "token": "USDC", "address": address} for address in (ANNS_EVM, BOBS_EVM))
    facts = {"part": "evm", "before": before, "after": after, "effective_at": now(), "ended_at": now()}
    return _change_of(account, mode, status="in_effect", **facts)


def _request(account: NewMerchant, mode: Mode) -> Words:
    facts: Words = {
        **{"created_at": now(), "merchant_id": account.merchant.pk, "mode": mode, **_key(account, mode)},
        **{"method": "GET", "path": "/api/public/v1/payment-intents", "status": 200, "duration_ms": 7},
    }
    return {"record_id": RequestRecord.objects.create(**facts, request_id=new_request_id()).pk}


def _replay(account: NewMerchant, mode: Mode) -> Words:
    """One that broke: it has a problem to show and no steps."""
    told = scenario_file(intent(account, mode))
    facts: Words = {"merchant": account.merchant, "mode": mode, "scenario": told, "name": "short.json"}
    return {"replay_id": Replay.objects.create(**facts, verdict="broken", problem="It cannot be.").pk}


def _subscribed(account: NewMerchant, mode: Mode) -> Subscriber:
    """An endpoint without any other beside it. Why a number for a host: no name is looked up."""
    WebhookEndpoint.objects.filter(merchant=account.merchant, mode=mode).update(deleted_at=now())
    return subscribe(actor(account, mode), "https://8.8.8.8/hook")


_ROWS: tuple[tuple[str, Place], ...] = (
    ("request", _request),
    ("key edit_key revoke_key", _key),
    ("roll_key", _restricted_key),
    ("remove_origin", lambda who, mode: {"origin_id": allow_origin(actor(who, mode), f"https://{uuid4()}.example").pk}),
    ("settlement_leftovers", _change_in_effect),
    ("settlement_change", _settlement_change),
    (
        "refund refund_destination cancel_refund ask_payer",
        lambda who, mode: {"refund_id": refund(who, mode).pk},
    ),
    ("release_refund", lambda who, mode: {"refund_id": held_refund(who, mode).pk}),
    ("sign_refund refund_unsigned refund_wallet", lambda who, mode: {"refund_id": wallet_refund(who, mode).pk}),
    ("refund_wallet_action", lambda who, mode: {"refund_id": wallet_refund(who, mode).pk, "action": "offer"}),
    (
        "agent agent_limits rename_agent pause_agent resume_agent revoke_agent",
        lambda who, mode: {"connection_id": connection_of(who, mode).pk},
    ),
    ("held", held),
    (
        "payment record download_record download_scenario cancel_payment accept_payment payers strays new_refund",
        lambda who, mode: {"intent_id": intent(who, mode).pk},
    ),
    (
        "endpoint edit_endpoint delete_endpoint rotate_secret recover test_event certify",
        lambda who, mode: {"endpoint_id": _subscribed(who, mode).endpoint.pk},
    ),
    (
        "delivery resend",
        lambda who, mode: {"delivery_id": send_test_event(actor(who, mode), _subscribed(who, mode).id).pk},
    ),
    ("event", lambda who, mode: {"event_id": UUID(happen(actor(who, mode)).pk.removeprefix("evt_"))}),
    (
        "payout replay_payout resume_payout pay_rest release_payout readdress_payout",
        lambda who, mode: {"payout_id": stored_payout(str(intent(who, mode).pk)).pk},
    ),
    ("book_entry", _posting),
    ("scenario", _replay),
    ("statement", _statement),
    ("approval approve deny", lambda who, mode: {"approval_id": approval(who, mode).pk}),
    ("change_role remove_member hand_over", _member),
    ("resend_invitation withdraw_invitation", _invitation),
)
PLACES: dict[str, Place] = {name: place for names, place in _ROWS for name in names.split()}
"""By the page's name. Each call makes a new row of that merchant in that mode."""

OF_BOTH_MODES = frozenset(["change_role", "remove_member", "hand_over", "resend_invitation", "withdraw_invitation"])
"""Pages of rows that belong to the whole merchant: each mode shows the same."""

ONLY_FORMS = frozenset({"refund_wallet_action"})
"""Pages that answer 404 or 405 to GET, because only a form or a script speaks to them."""


def words_of(page: Page, account: NewMerchant, mode: Mode = Mode.TEST) -> Words:
    """A row of that merchant and mode for the page, or nothing where it shows none."""
    return PLACES[page.name](account, mode) if "<" in page.path else {}


def address(page: Page, words: Words, mode: Mode = Mode.TEST) -> str:
    """Where the page is, with this row."""
    return url_in(mode, page.name, **words)
