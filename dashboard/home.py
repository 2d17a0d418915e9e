"""The home page: figures, what waits for a person, and what a newcomer does first, each ticked by what really happened.

Of tasks and of steps one question to the database each, however many there are.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse

from core.asking import any_of_each, count_each
from core.modes import Mode
from dashboard.account.keys import current_key, keys_in_use
from dashboard.agents.approvals import waiting_for_a_person
from dashboard.cards import Card, Step, Task
from dashboard.payments.home import numbers, settled_payments, waiting
from dashboard.payments.settling_lines import has_address, needs_of
from dashboard.payouts.finding import payouts_in_need
from dashboard.refunds.finding import refunds_in_need
from dashboard.visit import Visit
from dashboard.webhooks.finding import deliveries_that_arrived, endpoints_in_need
from merchants.accounts import has_second_factor
from merchants.models import ApiKey, KeyKind, RequestRecord

MOST = 1000
"""Nobody needs to know of more tasks, and a table is never counted whole."""
LINES_LOOKED_AT = 100
"""Lines of the request log in which a first use is looked for. Why so few: within a minute the key itself says it."""


def tasks_of(visit: Visit) -> list[Task]:
    """Everything that waits for a person, without what counts nothing."""
    asked = [task for tasks in TASKS for task in tasks(visit)]
    open_ones = [task.count for task in asked if isinstance(task.count, QuerySet)]
    counts = iter(count_each(open_ones, MOST))
    counted = [replace(task, count=next(counts)) if isinstance(task.count, QuerySet) else task for task in asked]
    return [task for task in counted if task.count]


def steps_of(visit: Visit) -> list[tuple[Step, bool]]:
    """The steps of the visit's mode, and whether each is done."""
    steps = [step for step in STEPS if visit.mode in step.modes]
    results = [step.done(visit) for step in steps]
    found = iter(any_of_each(one for one in results if isinstance(one, QuerySet)))
    return [(step, next(found) if isinstance(one, QuerySet) else one) for step, one in zip(steps, results, strict=True)]


def checklist(visit: Visit) -> dict[str, object]:
    """Every step of the visit's mode, whether it is done, and which one is next."""
    steps = [(step, is_done, step.url(visit)) for step, is_done in steps_of(visit)]
    done = sum(is_done for _, is_done, _ in steps)
    return {
        "steps": steps,
        "done": done,
        "next": next((step.title for step, is_done, _ in steps if not is_done), None),
        "is_open": not all(is_done for _, is_done, _ in steps[:2]),  # then figures come first, and the checklist folds
        "secret": current_key(visit, KeyKind.SECRET),
        "base_url": settings.BASE_URL,
        "demo_shop": settings.DEMO_SHOP and visit.mode == Mode.TEST,
    }


def used_keys(visit: Visit) -> QuerySet[ApiKey]:
    """The keys of this mode that were ever used. Why the log's newest lines too: it hears of a use sooner."""
    newest = RequestRecord.objects.visible_to(visit.principal).order_by("-pk").values("key_id")[:LINES_LOOKED_AT]
    mine: QuerySet[ApiKey] = ApiKey.objects.visible_to(visit.principal)
    return mine.filter(Q(last_used_at__isnull=False) | Q(pk__in=newest))


CARDS = (
    Card(template="dashboard/panels/numbers.html", context=numbers),
    Card(template="dashboard/panels/first_steps.html", context=checklist),
    Card(template="dashboard/panels/keys.html", context=keys_in_use),
)
TASKS: tuple[Callable[[Visit], Iterable[Task]], ...] = (
    endpoints_in_need,
    waiting,
    needs_of,
    refunds_in_need,
    payouts_in_need,
    waiting_for_a_person,
)
STEPS = (
    Step(
        title="Ask for your first payment",
        text="One call with your secret key makes a payment and answers with the address where it is paid.",
        done=used_keys,
        url=lambda visit: visit.url("keys"),
        template="dashboard/panels/first_call.html",
    ),
    Step(
        title="See a payment settle",
        text="Open the checkout address of a payment and pay it. Home then shows your figures.",
        done=settled_payments,
        url=lambda visit: visit.url("payments"),
    ),
    Step(
        title="Receive a webhook",
        text=(
            "Register an address of yours, send it a test event, and see it delivered. Fulfil orders on webhooks only."
        ),
        done=deliveries_that_arrived,
        url=lambda visit: visit.url("endpoints"),
    ),
    Step(
        title="Say where live payments settle",
        text="Your own wallet’s address. Payers’ money goes straight there; nobody else ever holds it.",
        done=has_address,
        url=lambda visit: visit.url("settings"),
        modes=frozenset({Mode.LIVE}),
    ),
    Step(
        title="Protect your sign-in",
        text="A passkey or an authenticator app. Live mode opens only with one.",
        done=lambda visit: has_second_factor(visit.person),
        url=lambda visit: reverse("mfa_index"),
    ),
    Step(
        title="Invite somebody",
        text="Two people who can sign in are safer than one. Each gets a role that allows what they need.",
        done=lambda visit: visit.merchant.memberships.exclude(user=visit.person),
        url=lambda visit: visit.url("team"),
    ),
)
