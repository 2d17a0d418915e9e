"""One intent of the caller's, by its id."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID

from django.conf import settings

from core.buckets import Bucket
from core.bulk import as_bigint
from core.clock import now
from core.fast_answer import FastAnswer
from core.renderers import to_json
from merchants.throttling import merchant_buckets
from payments.fast_path.caller import IS_GOOD, Caller
from payments.fast_path.shown import ShownIntent
from payments.fast_path.statement import Row, Statement
from payments.shapes import intent_body

OK: Final = 200
_FIND: Final = f"""
SELECT {", ".join(f"intent.{name}" for name in ShownIntent._fields)}
FROM merchants_apikey AS caller
JOIN payments_paymentintent AS intent
    ON intent.id = %(id)s::uuid AND intent.merchant_id = caller.merchant_id AND intent.mode = caller.mode
WHERE {IS_GOOD}
"""  # noqa: S608 - own names


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieval:
    """An ordinary retrieval."""

    route: ClassVar = "payment-intent"
    allow: ClassVar = "GET, HEAD, OPTIONS"
    shown_body: ClassVar = ""

    caller: Caller
    intent_id: UUID

    def object_of(self, _: FastAnswer) -> str:
        """What it is about, as the log keeps it."""
        return self.intent_id.hex

    @property
    def buckets(self) -> list[Bucket]:
        """Where it is counted."""
        return merchant_buckets(self.caller.principal)

    def statement(self, _request_id: str) -> Statement:
        """Finds the intent; no answer where there is none that the key may see."""
        principal = self.caller.principal
        values: dict[str, Any] = {
            "id": self.intent_id,
            "digest": self.caller.digest,
            "merchant": as_bigint(principal.merchant_id),
            "mode": principal.mode,
            "now": now(),
        }
        return Statement(text=_FIND, values=values, read=_read)


def _read(row: Row | None) -> FastAnswer | None:
    if row is None:
        return None
    return FastAnswer(http_status=OK, body=to_json(intent_body(ShownIntent.read(row).as_intent, settings.BASE_URL)))
