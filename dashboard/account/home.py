"""The onboarding checklist: what a newcomer does first, each ticked by what really happened."""

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from core.modes import Mode
from dashboard.account.keys import current_key
from dashboard.gathering import steps_of
from dashboard.site import Panel, Step, Visit, register_panel, register_step, site_of
from merchants.accounts import has_second_factor
from merchants.models import ApiKey, KeyKind, RequestRecord


def checklist(visit: Visit) -> dict[str, object]:
    """Every step of the visit's mode, whether it is done, and which one is next."""
    steps = [(step, is_done, step.url(visit)) for step, is_done in steps_of(visit)]
    done = sum(is_done for _, is_done, _ in steps)
    return {
        "steps": steps,
        "done": done,
        "next": next((step.position for step, is_done, _ in steps if not is_done), None),
        "is_open": not all(is_done for _, is_done, _ in steps[:2]),  # then figures come first, and the checklist folds
        "secret": current_key(visit, KeyKind.SECRET),
        "base_url": settings.BASE_URL,
        "demo_shop": settings.DEMO_SHOP and visit.mode == Mode.TEST,
    }


def used_keys(visit: Visit) -> QuerySet[ApiKey]:
    """The keys of this mode that were ever used. Why the log too: it hears of a use sooner, and forgets it."""
    calls = RequestRecord.objects.filter(merchant_id=visit.merchant.pk, mode=visit.mode, key_id=OuterRef("pk"))
    mine: QuerySet[ApiKey] = ApiKey.objects.visible_to(visit.principal)
    return mine.filter(Q(last_used_at__isnull=False) | Exists(calls))


register_panel(Panel(position=10, template="dashboard/panels/first_steps.html", context=checklist))
register_step(
    Step(
        position=10,
        title="Ask for your first payment",
        text="One call with your secret key makes a payment and answers with the address where it is paid.",
        done=used_keys,
        url=lambda visit: site_of(visit).url("keys"),
        template="dashboard/panels/first_call.html",
    )
)
register_step(
    Step(
        position=50,
        title="Protect your sign-in",
        text="A passkey or an authenticator app. Live mode opens only with one.",
        done=lambda visit: has_second_factor(visit.person),
        url=lambda visit: reverse("mfa_index"),
    )
)
