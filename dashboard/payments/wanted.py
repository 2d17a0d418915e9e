"""What somebody asks a list of payments for: the form's fields as the filters of REST, and what makes no sense."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import QueryDict

from core.clock import wire_time
from core.errors import InvalidParameter
from dashboard.visit import Visit
from merchants.acts import Act
from payments.filters import filter_intents
from payments.models import CountedElsewhere, Credit, PaymentIntent
from payments.states import IntentStatus

PLAIN = ("amount_gte", "amount_lte", "settlement_chain", "settlement_token", "reference")
CUSTOMERS = ("customer_email", "metadata")
"""Fields that only those who may see customers can ask for."""
APART = "apart"
"""Asks for payments beside which money moved that does not count for them. A parameter of this page alone."""
_APART = {
    "unattributed": Q(pk__in=Credit.objects.filter(purpose="unattributed", intent=None).values("leg__intent_id")),
    "stray": Q(pk__in=Credit.objects.filter(purpose="stray").values("intent_id")),
    "elsewhere": Q(pk__in=CountedElsewhere.objects.values("intent_id")),
}
DAYS = ("from", "to")
LONGEST = 512


class Fault(NamedTuple):
    """What is wrong with a field, in a sentence."""

    name: str
    words: str


@dataclass
class Wanted:
    """The filters of one request. ``faults`` fills while the payments are asked for."""

    fields: Mapping[str, str]
    statuses: tuple[str, ...]
    faults: list[Fault] = field(default_factory=list)

    @property
    def query(self) -> str:
        """The filters as the end of an address, for links to other pages of the same."""
        return urlencode([*(("status", status) for status in self.statuses), *self.fields.items()])

    def narrow(self, mine: QuerySet[PaymentIntent]) -> QuerySet[PaymentIntent]:
        """The payments that are asked for: none where something makes no sense, which ``faults`` then tells."""
        try:
            found = filter_intents(mine, self._as_rest()).filter(_APART.get(self.fields.get(APART, ""), Q()))
        except InvalidParameter as refusal:
            name = str((refusal.details or {}).get("parameter", ""))
            self.faults.append(Fault(_FIELDS.get(name, name), _WORDS.get(name, refusal.message)))
        return mine.none() if self.faults else found

    def _as_rest(self) -> dict[str, str]:
        asked = {name: text for name, text in self.fields.items() if name not in {*DAYS, APART, "metadata"}}
        if self.statuses:
            asked["status"] = ",".join(self.statuses)
        asked |= self._days()
        if text := self.fields.get("metadata"):
            asked |= self._metadata(text)
        return asked

    def _days(self) -> dict[str, str]:
        """Days in UTC, the last one included."""
        bounds = {}
        for name, parameter, later in (("from", "created_gte", 0), ("to", "created_lt", 1)):
            if text := self.fields.get(name):
                try:
                    day = date.fromisoformat(text) + timedelta(days=later)
                    bounds[parameter] = wire_time(datetime.combine(day, time.min, UTC))
                except (ValueError, OverflowError):
                    self.faults.append(Fault(name, "That is no day. Write it like 2026-05-04."))
        return bounds

    def _metadata(self, text: str) -> dict[str, str]:
        key, sign, value = text.partition("=")
        if not sign or not 1 <= len(key.strip()) <= LONGEST_KEY or any(letter in key for letter in "[]"):
            self.faults.append(Fault("metadata", "Write a key and its value, like order_id=A-1042."))
            return {}
        return {f"metadata[{key.strip()}]": value.strip()}


LONGEST_KEY = 64
_FIELDS = {"created_gte": "from", "created_lt": "to"}
_WORDS = {
    "status": "There is no such status.",
    "amount_gte": "Write an amount in dollars, like 25 or 25.50.",
    "amount_lte": "Write an amount in dollars, like 25 or 25.50.",
}


def wanted_by(visit: Visit, asked: QueryDict) -> Wanted:
    """The filters in an address, those left out that the visitor's role may not ask for."""
    names = (*DAYS, APART, *PLAIN, *(CUSTOMERS if visit.may(Act.SEE_CUSTOMERS) else ()))
    fields = {name: text for name in names if (text := asked.get(name, "").strip())}
    statuses = tuple(dict.fromkeys(status for status in asked.getlist("status") if status))[: len(IntentStatus)]
    wanted = Wanted(fields=fields, statuses=statuses)
    for name, text in fields.items():
        if len(text) > LONGEST:
            wanted.faults.append(Fault(name, f"That is too long: at most {LONGEST} characters."))
    return wanted
