"""Payments on the home page: the figures of some days beside the days before, and what waits for a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.db.models import (
    Exists,
    F,
    OuterRef,
    QuerySet,
)

from core.clock import now
from dashboard.cards import Task
from dashboard.payments.chart import bar_chart
from dashboard.payments.figures import Period, SecondsOf, in_flight, last_days
from dashboard.payments.wanted import APART
from dashboard.payments.words import status_of
from dashboard.visit import Visit
from payments.models import CountedElsewhere, Credit, Leg, PaymentIntent
from payments.states import UNSOLD, IntentStatus, LegStatus

PERIODS = (7, 30, 90)
USUAL_PERIOD = 30
LATEST = 6
APART_FOR = timedelta(days=30)
"""How long money that does not count where it seemed to belong is shown to a person."""
WHOLE_DOLLARS_FROM = Decimal(100_000)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number of the overview, how it changed, and what it means."""

    name: str
    value: str
    change: str = ""
    tone: str = ""
    meaning: str = ""


def numbers(visit: Visit) -> dict[str, object]:
    """What stands in the overview. Nothing but ``is_empty`` before the first payment."""
    intents = PaymentIntent.objects.visible_to(visit.principal)
    latest = list(intents.order_by("-created_at", "-id")[:LATEST])
    if not latest:
        return {"is_empty": True}
    asked = visit.asked.get("days", "")
    days = next((one for one in PERIODS if str(one) == asked), USUAL_PERIOD)
    period, before = last_days(visit.principal, days)
    return {
        "days": days,
        "periods": PERIODS,
        "period": period,
        "figures": list(_figures(visit, period, before, days)),
        "chart": bar_chart([(day, sales.volume) for day, sales in period.by_day]),
        "latest": [(intent, status_of(intent)) for intent in latest],
    }


def _figures(visit: Visit, period: Period, before: Period, days: int) -> Iterator[Figure]:
    now_sold, then_sold, moving = period.sales, before.sales, in_flight(visit.principal)
    before_words = f"in the {days} days before"
    yield Figure(
        name="Settled",
        value=headline(now_sold.volume),
        meaning="What arrived for payments that settled. Refunds are not taken off.",
        **_change(now_sold.volume, then_sold.volume, headline(then_sold.volume), before_words),
    )
    yield Figure(
        name="Payments settled",
        value=f"{now_sold.count:,}",
        **_change(Decimal(now_sold.count), Decimal(then_sold.count), f"{then_sold.count:,}", before_words),
    )
    yield Figure(
        name="Success rate",
        value=per_cent(period.success),
        meaning=f"{period.paid:,} settled of {period.ended:,} created in these days that came to an end.",
        **_points(period.success, before.success, before_words),
    )
    yield Figure(
        name="Average payment",
        value=headline(now_sold.average),
        **_change(now_sold.average, then_sold.average, headline(then_sold.average), before_words),
    )
    yield Figure(
        name="In flight now",
        value=headline(moving.volume),
        change=f"{moving.count:,} payment{'' if moving.count == 1 else 's'} on the way",
        meaning="Sent by the payer and not settled yet, or paid in part.",
    )


def headline(amount: Decimal) -> str:
    """An amount as an overview writes it: to the cent, and without cents where they no longer matter."""
    return f"${amount:,.0f}" if amount >= WHOLE_DOLLARS_FROM else f"${amount:,.2f}"


def per_cent(share: Decimal | None) -> str:
    """A share with one decimal; a dash where there is none."""
    return "–" if share is None else f"{share:.1f} %"


def _change(today: Decimal, then: Decimal, then_words: str, before: str) -> dict[str, str]:
    if not then:
        return {"change": f"None {before}"} if today else {"change": f"None {before} either"}
    if today == then:
        return {"change": f"As {before}"}
    share = abs(today - then) * 100 / then
    direction, tone = ("Up", "ok") if today > then else ("Down", "bad")
    return {"change": f"{direction} {share:,.0f} % from {then_words} {before}", "tone": tone}


def _points(today: Decimal | None, then: Decimal | None, before: str) -> dict[str, str]:
    if today is None or then is None:
        return {"change": f"Nothing to compare with {before}"}
    if f"{today:.1f}" == f"{then:.1f}":
        return {"change": f"As {before}"}
    tone = "ok" if today > then else "bad"
    return {"change": f"{'Up' if today > then else 'Down'} from {per_cent(then)} {before}", "tone": tone}


def waiting(visit: Visit) -> Iterator[Task]:
    """Payments that a person should look at."""
    mine, listed = PaymentIntent.objects.visible_to(visit.principal), visit.url("payments")
    yield Task(
        count=mine.filter(status=IntentStatus.PARTIALLY_FILLED, expires_at__gt=now()),
        words="Payments paid in part; the payer still has time for the rest",
        url=f"{listed}?status=partially_filled",
    )
    yield Task(
        count=mine.filter(status__in=UNSOLD, received_usd__gt=F("refunded_usd")),
        words="Payments that ended, and money arrived for them: send it back",
        url=f"{listed}?{urlencode([('status', status.value) for status in UNSOLD])}",
        tone="bad",
    )
    yield Task(
        count=mine.filter(owed_usd__gt=0),
        words="Payments whose chain took money away that was refunded or paid out already",
        url=f"{listed}?status=executing",
        tone="bad",
    )
    yield Task(
        count=mine.filter(Exists(_overdue_legs()), in_doubt=True),
        words="Payments whose outcome is unknown for longer than is typical",
        url=f"{listed}?status=executing",
        tone="bad",
    )
    yield from _apart(visit, listed)


def _apart(visit: Visit, listed: str) -> Iterator[Task]:
    """Money that is nobody's, or another's than its mark says. Why for so long: nothing here tells that it was seen."""
    since = now() - APART_FOR
    nobodys = Credit.objects.visible_to(visit.principal).filter(
        purpose="unattributed", intent=None, reversed_at=None, observed_at__gt=since
    )
    yield Task(
        count=nobodys,
        words="Transfers that came inside a payer's transaction and count for nobody",
        url=f"{listed}?{APART}=unattributed",
        tone="bad",
    )
    yield Task(
        count=Credit.objects.visible_to(visit.principal).filter(
            purpose="stray", reversed_at=None, final_at__isnull=False, observed_at__gt=since
        ),
        words="Tokens that came with a payment and were not asked for: agree with the payer on how they go back",
        url=f"{listed}?{APART}=stray",
    )
    lost = CountedElsewhere.objects.visible_to(visit.principal).filter(noticed_at__gt=since, told_at__isnull=False)
    yield Task(
        count=lost.exclude(intent__status__in=[IntentStatus.SETTLED, IntentStatus.REFUNDED]),
        words="Payments whose transaction counts for another one",
        url=f"{listed}?{APART}=elsewhere",
        tone="bad",
    )


def _overdue_legs() -> QuerySet[Leg]:
    """Transactions of a payment that are out of sight for longer than their kind usually takes."""
    sent: QuerySet[Leg] = Leg.objects.filter(intent=OuterRef("pk"), status=LegStatus.IN_DOUBT)
    due = SecondsOf("submitted_at") + F("typical_seconds")
    return sent.alias(due=due).filter(due__lt=int(now().timestamp()))


def settled_payments(visit: Visit) -> QuerySet[PaymentIntent]:
    """The payments of this mode that ever settled."""
    mine: QuerySet[PaymentIntent] = PaymentIntent.objects.visible_to(visit.principal).filter(settled_at__isnull=False)
    return mine
