"""Whether a payer's page has the newest state already, from one statement that reads no state.

The tag of a state ends with a mark: until when it holds by the clock, and a digest of which versions of which rows it
was made of. A page sends its tag with each poll. As long as the same versions stand, its state is the newest, whatever
is in it, and nobody has to make it again. Source: docs/adr/0086.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, models

from checkout.models import Branding
from core.clock import now
from core.language import Language
from core.secrets import keyed_digest
from merchants.models import AllowedOrigin, Merchant
from payments.models import Credit, IntentTransition, Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.ownership import browser_of_secret

LONGEST: Final = timedelta(minutes=5)
"""How long a mark holds at most. Why an end: words and settings stand in no row, and change with a new version."""
MOST_ROWS: Final = 200
"""A state of more rows has no mark, so that no payer makes the statement long for all."""
OF_ALL_BROWSERS, OF_THE_MERCHANT = "row.intent_id = intent.id", "row.merchant_id = intent.merchant_id"
READ: Final[tuple[tuple[type[models.Model], str], ...]] = (
    (PaymentIntent, "row.id = intent.id"),
    (IntentTransition, "row.subject_id = intent.id"),
    (PaymentAttempt, OF_ALL_BROWSERS),
    (Leg, OF_ALL_BROWSERS),
    (Credit, OF_ALL_BROWSERS),
    (PayerWallet, f"{OF_ALL_BROWSERS} AND row.browser = %(browser)s::text"),
    (Merchant, "row.id = intent.merchant_id"),
    (Branding, OF_THE_MERCHANT),
    (AllowedOrigin, f"{OF_THE_MERCHANT} AND row.mode = intent.mode"),
)
"""Every table that a state is made of, and which of its rows. Whoever reads another one for it adds it here."""
_TAG: Final = re.compile(r'"([0-9a-f]{32}\.([0-9]{1,12})\.[0-9a-f]{32})"', re.ASCII)
KNOWN_PLACE: Final = "causeway.payer_state_versions"
"""Where a request has what was asked, and the versions, where they were read before it came to its view."""


class Asked(NamedTuple):
    """What a state hangs on beside its rows: of which payment, whose browser's, in which language."""

    intent_id: UUID
    browser: str
    language: str

    @property
    def values(self) -> Mapping[str, Any]:
        """The parameters of ``FIND``."""
        return {"intent": self.intent_id, "browser": self.browser}


def _versions_of(model: type[models.Model], condition: str) -> str:
    """Where a row stands, and the transaction that wrote it there, name its version: no other has both."""
    return f"""(
        SELECT row.tableoid::text || row.ctid::text || row.xmin::text AS version
        FROM intent JOIN {model._meta.db_table} AS row ON {condition} LIMIT {MOST_ROWS + 1}
    )"""  # noqa: S608 - own names


FIND: Final = f"""
    WITH intent AS (SELECT id, merchant_id, mode FROM payments_paymentintent WHERE id = %(intent)s::uuid)
    SELECT CASE WHEN count(*) <= {MOST_ROWS} THEN string_agg(version, ' ' ORDER BY version) END
    FROM ({" UNION ALL ".join(_versions_of(model, condition) for model, condition in READ)}) AS found
"""  # noqa: S608 - own names
"""One row: the versions of everything that a state would be made of now; null without an intent, or with too much."""


def asked_by(environment: Mapping[str, Any], intent_id: UUID, language: Language) -> Asked:
    """What a request asks. Whether it may, and whether its secret is one, is seen to elsewhere."""
    return Asked(intent_id, browser_of_secret(environment.get("HTTP_CHECKOUT_BROWSER", "")), language.code)


def known_versions(environment: Mapping[str, Any], asked: Asked) -> str | None:
    """The versions that stand now, or stood a moment ago, before anything of the state was read; None: no mark.

    None on SQLite too, which names no versions.
    """
    found = environment.get(KNOWN_PLACE)
    if found is not None and found[0] == asked:
        known: str | None = found[1]
        return known
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(FIND, asked.values)
        [versions] = cursor.fetchone()
    return versions if isinstance(versions, str) else None


def tag_for(
    environment: Mapping[str, Any], asked: Asked, versions: str | None, changes_at: datetime | None, body: str
) -> str:
    """The tag of a state that was read after its versions: the one that the page has, if it holds, else a new one.

    ``body``: the digest of the state.
    """
    if versions is None:
        return body
    sent = sent_tag(environment)
    if sent.startswith(body) and holds(sent, asked, versions):
        return sent
    until = now() + LONGEST
    return _marked(body, asked, versions, int(min(until, changes_at or until).timestamp()))


def sent_tag(environment: Mapping[str, Any]) -> str:
    """The tag that a request has, if it still holds by the clock; empty otherwise."""
    found = _TAG.fullmatch(environment.get("HTTP_IF_NONE_MATCH", ""))
    return found[1] if found is not None and now().timestamp() < int(found[2]) else ""


def holds(tag: str, asked: Asked, versions: str) -> bool:
    """Whether it was given for these versions, asked for as it was then."""
    body, until, _ = tag.split(".")
    return compare_digest(tag, _marked(body, asked, versions, int(until)))


def _marked(body: str, asked: Asked, versions: str, until: int) -> str:
    """Why a keyed digest: what stands in the database is nobody's to guess at."""
    made_of = f"{body} {asked.intent_id.hex} {asked.browser} {asked.language} {until} {versions}"
    return f"{body}.{until}.{keyed_digest('payer state', made_of.encode())[:32]}"
