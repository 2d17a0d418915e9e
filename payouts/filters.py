"""Which payouts a list shows. Source: specification, Payouts; docs/guides/payouts.md, List."""

from collections.abc import Mapping

from django.db.models import QuerySet

from core.ids import parse_public_id
from core.pagination import invalid_parameter, read_moment
from payouts.models import Payout
from payouts.states import PayoutStatus


def filter_payouts(payouts: QuerySet[Payout], query: Mapping[str, str]) -> QuerySet[Payout]:
    """Narrow an already scoped queryset by the query parameters. Raises: InvalidParameter."""
    if (text := query.get("status")) is not None:
        payouts = payouts.filter(status__in=_statuses(text))
    if (text := query.get("payment_intent_id")) is not None:
        intent_id = parse_public_id(text, "pi_")
        if intent_id is None:
            raise invalid_parameter("payment_intent_id", "must be the id of an intent.")
        payouts = payouts.filter(intent_id=intent_id)
    if (text := query.get("created_gte")) is not None:
        payouts = payouts.filter(created_at__gte=read_moment("created_gte", text))
    if (text := query.get("created_lt")) is not None:
        payouts = payouts.filter(created_at__lt=read_moment("created_lt", text))
    return payouts


def _statuses(text: str) -> list[str]:
    wanted = [status.strip() for status in text.split(",")]
    if any(status not in PayoutStatus.values for status in wanted):
        raise invalid_parameter("status", f"must be among {', '.join(PayoutStatus.values)}.")
    return wanted
