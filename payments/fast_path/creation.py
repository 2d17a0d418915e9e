"""A new intent, with its history, its event and the answer that its key stands for; or the answer of an earlier one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from io import BytesIO
from typing import Any, ClassVar, Final
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import SynchronousOnlyOperation

from core.buckets import Bucket
from core.bulk import as_bigint, insert_from
from core.clock import now
from core.errors import ServiceError
from core.fast_answer import FastAnswer
from core.ids import is_idempotency_key
from core.json_column import ExactEncoder
from core.money import usd_to_micros
from core.parsers import parse_exactly
from core.renderers import to_json
from core.secrets import decrypt, encrypt
from merchants.claims import REPLAY_WINDOW, fingerprint
from merchants.models import IdempotencyRecord
from merchants.request_log import made_by
from merchants.request_redaction import shown_body
from merchants.services.origins import may_return, origin_of
from merchants.throttling import CREATE_LIMITS, action_buckets, merchant_buckets
from payments.events import event_body
from payments.fast_path.body import ordinary_body
from payments.fast_path.caller import IS_GOOD, MAY_BEGIN, Caller, Environment
from payments.fast_path.merchant import STILL_HOLD, MerchantSettings, forget_settings, known_settings
from payments.fast_path.shown import ShownIntent
from payments.fast_path.statement import Row, Statement
from payments.models import IntentTransition, PaymentIntent
from payments.scenarios import refuse_unknown_scenario
from payments.services.create import NewIntent
from payments.services.settlement import Settlement, profiles_matter, settle_where
from payments.shapes import PaymentIntentShape, intent_body
from payments.states import INTENT_MACHINE
from webhooks.events import Envelope, event_id
from webhooks.models import Event

CREATED: Final = 201
MOST_BYTES: Final = 16 * 1024
"""Longer bodies are not ordinary. Why: they are read in the event loop, where all others wait meanwhile."""
RESOURCE: Final = "payment_intent"
_REPEATED: Final = (("Idempotent-Replayed", "true"),)
VIEW: Final = "PaymentIntentViewSet"
"""The view whose action ``create`` is counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Creation:
    """An ordinary creation, not stored yet.

    ``profiles`` and ``origins``: the merchant's settings by which it was read; None where they do not matter.
    """

    route: ClassVar = "payment-intents"
    allow: ClassVar = "GET, POST, HEAD, OPTIONS"

    caller: Caller
    path: str
    body: dict[str, Any]
    new: NewIntent
    settlement: Settlement
    profiles: str | None
    origins: str | None
    key: str | None

    @property
    def shown_body(self) -> str:
        """What was sent, as the log keeps it."""
        return shown_body(self.body)

    def object_of(self, answer: FastAnswer) -> str | None:
        """What it is about, as the log keeps it."""
        return made_by(answer.body)

    @property
    def buckets(self) -> list[Bucket]:
        """Where it is counted."""
        principal = self.caller.principal
        return [*merchant_buckets(principal), *action_buckets(principal, VIEW, "create", CREATE_LIMITS[principal.mode])]

    def statement(self, request_id: str) -> Statement:
        """Stores all of it at once under the request's id, or finds what the key was answered before.

        No answer where the key of the caller is not good any more, the profiles changed, or the idempotency key stands
        for something else: then nothing was stored.
        """
        moment = now()
        intent = self._intent(moment)
        shown = intent_body(intent.as_intent, settings.BASE_URL)
        body = to_json(shown)
        values = self._values(intent, shown, request_id) | self._remembered(body, moment)
        return Statement(
            text=_text(with_key=self.key is not None),
            values=values,
            read=partial(self._read, body, values.get("fingerprint")),
        )

    def _read(self, body: bytes, wanted: str | None, row: Row | None) -> FastAnswer | None:
        if row is None:
            forget_settings(self.caller.principal)
            return None
        stored, earlier_fingerprint, earlier_status, earlier_answer = row
        if stored:
            return FastAnswer(http_status=CREATED, body=body)
        if earlier_fingerprint is None or earlier_fingerprint != wanted:
            return None
        return FastAnswer(http_status=earlier_status, body=decrypt(earlier_answer), headers=_REPEATED)

    def _intent(self, moment: datetime) -> ShownIntent:
        new, settlement = self.new, self.settlement
        return ShownIntent(
            id=uuid4(),
            mode=self.caller.principal.mode.value,
            amount=new.amount_usd,
            settlement_chain=settlement.chain,
            settlement_token=settlement.token,
            settlement_address=settlement.address,
            expires_at=moment + timedelta(seconds=new.expires_in_seconds),
            created_at=moment,
            metadata=new.metadata,
            customer_email=new.customer_email,
            reference=new.reference,
            return_url=new.return_url,
        )

    def _values(self, intent: ShownIntent, shown: PaymentIntentShape, request_id: str) -> dict[str, Any]:
        """The statement's parameters, but for those of the idempotency key."""
        kind = str(INTENT_MACHINE.initial_event)
        envelope = Envelope(
            id=event_id(type=kind, resource_id=intent.id, sequence=1, born_at=intent.created_at),
            type=kind,
            occurred_at=intent.created_at,
            mode=intent.mode,
            sequence=1,
            resource_type=RESOURCE,
            resource_id=intent.id,
        )
        return {
            "digest": self.caller.digest,
            "merchant": as_bigint(self.caller.principal.merchant_id),
            "mode": intent.mode,
            "now": intent.created_at,
            "profiles": self.profiles,
            "origins": self.origins,
            "intent": intent.id,
            "status": intent.status,
            "amount": as_bigint(usd_to_micros(intent.amount)),
            "chain": intent.settlement_chain,
            "token": intent.settlement_token,
            "token_address": self.settlement.token_address,
            "decimals": self.settlement.decimals,
            "address": intent.settlement_address,
            "email": intent.customer_email,
            "metadata": ExactEncoder().encode(intent.metadata),
            "reference": intent.reference,
            "return_url": intent.return_url,
            "expires": intent.expires_at,
            "actor": self.caller.principal.actor,
            "request": request_id,
            "trigger": "create",
            "event": envelope.id,
            "event_type": envelope.type,
            "resource": envelope.resource_type,
            "sequence": envelope.sequence,
            "payload": envelope.around(event_body(shown, intent.as_intent, envelope.type)),
            "event_kept": envelope.kept_until,
        }

    def _remembered(self, body: bytes, moment: datetime) -> dict[str, Any]:
        """The parameters of the idempotency key; none where the request has none."""
        if self.key is None:
            return {}
        return {
            "scope": self.caller.principal.idempotency_scope,
            "key": self.key,
            "fingerprint": fingerprint("POST", self.path, self.body),
            "http_status": CREATED,
            "answer": encrypt(body),
            "answer_kept": moment + REPLAY_WINDOW,
        }


def read_creation(environment: Environment, caller: Caller) -> Creation | None:
    """The creation that a request asks for; None where it is not ordinary. The request can be read again.

    In an event loop, what is not in memory is not ordinary either: the framework refuses to ask the database there.
    """
    key: str | None = environment.get("HTTP_IDEMPOTENCY_KEY")
    raw = _json_of(environment)
    if raw is None or (key is not None and not is_idempotency_key(key)):
        return None
    try:
        body = parse_exactly(raw)
        new, known = ordinary_body(body), known_settings(caller.principal)
        if new is None or known is None:
            return None
        mode, url = caller.principal.mode, new.return_url
        if url and (origin_of(url, mode) is None or not may_return(known.origins, mode, url)):
            return None
        return _settled(caller, known, environment["PATH_INFO"], body, new, key)
    except (ServiceError, SynchronousOnlyOperation):
        return None


def _json_of(environment: Environment) -> bytes | None:
    media = environment.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    length = environment.get("CONTENT_LENGTH", "")
    if media != "application/json" or "HTTP_CONTENT_ENCODING" in environment or len(length) > len(str(MOST_BYTES)):
        return None
    raw: bytes = environment["wsgi.input"].read()
    environment["wsgi.input"] = BytesIO(raw)
    return raw if length == str(len(raw)) and len(raw) <= MOST_BYTES else None


def _settled(
    caller: Caller, known: MerchantSettings, path: str, body: dict[str, Any], new: NewIntent, key: str | None
) -> Creation:
    """Raises: ServiceError, SynchronousOnlyOperation."""
    refuse_unknown_scenario(new.metadata, caller.principal.mode)
    where = new.settlement_chain, new.settlement_token, new.settlement_address
    matter = profiles_matter(caller.principal, *where)
    return Creation(
        caller=caller,
        path=path,
        body=body,
        new=new,
        settlement=settle_where(caller.principal, *where, profiles=known.profiles if matter else ()),
        profiles=known.profiles_text if matter else None,
        origins=known.origins_text if new.return_url else None,
        key=key,
    )


@cache
def _text(*, with_key: bool) -> str:
    """Everything in one statement, which is a transaction by itself. ``made`` has a row where it may be stored."""
    remembered = insert_from(
        "caller WHERE NOT EXISTS (SELECT FROM earlier)",
        IdempotencyRecord,
        scope="scope",
        key="key",
        fingerprint="fingerprint",
        http_status="http_status",
        answer="answer",
        created_at="now",
        expires_at="answer_kept",
    )
    made = f"{remembered} ON CONFLICT DO NOTHING RETURNING 1" if with_key else "SELECT 1 FROM caller"
    return f"""
        WITH caller AS (SELECT FROM merchants_apikey AS caller WHERE {IS_GOOD} {MAY_BEGIN} {STILL_HOLD}),
        earlier AS ({_EARLIER if with_key else _NONE_EARLIER}),
        made AS ({made}),
        intent AS ({_insert_intent()}),
        line AS ({_insert_line()}),
        event AS ({_insert_event()})
        SELECT EXISTS (SELECT FROM made), earlier.fingerprint, earlier.http_status, earlier.answer
        FROM caller LEFT JOIN earlier ON true
    """  # noqa: S608 - own names


_EARLIER: Final = """
    SELECT fingerprint, http_status, answer FROM merchants_idempotencyrecord
    WHERE scope = %(scope)s::text AND key = %(key)s::text AND expires_at > %(now)s::timestamptz
"""
_NONE_EARLIER: Final = "SELECT NULL::text AS fingerprint, NULL::smallint AS http_status, NULL::bytea AS answer"


def _insert_intent() -> str:
    return insert_from(
        "made",
        PaymentIntent,
        id="intent",
        merchant_id="merchant",
        mode="mode",
        status="status",
        event_sequence="sequence",
        amount="amount",
        settlement_chain="chain",
        settlement_token="token",  # noqa: S106 - a parameter's name
        settlement_token_address="token_address",  # noqa: S106 - a parameter's name
        settlement_decimals="decimals",
        settlement_address="address",
        customer_email="email",
        metadata="metadata",
        reference="reference",
        return_url="return_url",
        created_at="now",
        expires_at="expires",
        expires_due_at="expires",
    )


def _insert_line() -> str:
    return insert_from(
        "made",
        IntentTransition,
        subject_id="intent",
        trigger="trigger",
        to_status="status",
        actor="actor",
        request_id="request",
        created_at="now",
    )


def _insert_event() -> str:
    return insert_from(
        "made",
        Event,
        id="event",
        merchant_id="merchant",
        mode="mode",
        type="event_type",
        resource_type="resource",
        resource_id="intent",
        sequence="sequence",
        payload="payload",
        occurred_at="now",
        kept_until="event_kept",
    )
