"""Which refunds a list shows. Source: specification, Refunds; docs/design/requests.md, Lists."""

from collections.abc import Mapping

from django.db.models import QuerySet

from core.ids import parse_public_id
from core.pagination import invalid_parameter
from refunds.models import Refund
from refunds.states import RECORD_STATUS


def filter_refunds(refunds: QuerySet[Refund], query: Mapping[str, str]) -> QuerySet[Refund]:
    """Narrow an already scoped queryset by the query parameters. Raises: InvalidParameter."""
    if (text := query.get("payment_intent_id")) is not None:
        intent_id = parse_public_id(text, "pi_")
        if intent_id is None:
            raise invalid_parameter("payment_intent_id", "must be a UUID.")
        refunds = refunds.filter(intent_id=intent_id)
    if (text := query.get("status")) is not None:
        wanted, known = {word.strip() for word in text.split(",")}, set(RECORD_STATUS.values())
        if not wanted <= known:
            raise invalid_parameter("status", f"must be among {', '.join(sorted(known))}.")
        refunds = refunds.filter(status__in=[step for step, word in RECORD_STATUS.items() if word in wanted])
    return refunds
