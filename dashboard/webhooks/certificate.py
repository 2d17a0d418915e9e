"""An endpoint's certificate: have its receiver tested, and what it was found to do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import ServiceError
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.lines import endpoint_at, endpoint_line
from dashboard.webhooks.words import error_words
from webhooks import services
from webhooks.models import WebhookEndpoint
from webhooks.states import NOT_SENT, Check, Expected

_WANTED = {Expected.ACCEPTED.value: "any 2xx", Expected.REFUSED.value: "any 4xx"}
_NOT_SENT = "It was not sent: the time was over, or the endpoint was switched off meanwhile."


@dataclass(frozen=True, kw_only=True)
class WrongLine:
    """One request that was answered wrong, as text that can be read and copied."""

    sent: str
    answered: str


@dataclass(frozen=True, kw_only=True)
class CheckLine:
    """One check in words."""

    name: str
    about: str
    wanted: str
    passed: bool
    wrong: list[WrongLine]


@dataclass(frozen=True, kw_only=True)
class CertificateLine:
    """What a receiver was found to do. ``is_old``: the endpoint has another address by now."""

    is_running: bool
    finished_at: datetime | None
    score: int
    checks: list[CheckLine]
    is_old: bool

    @property
    def is_full(self) -> bool:
        """Whether every check was passed."""
        return bool(self.checks) and self.score == len(self.checks)


def certificate_line(endpoint: WebhookEndpoint) -> CertificateLine | None:
    """What is shown of an endpoint's certificate; None where none was ever asked for."""
    found = services.certificate_of(endpoint)
    if found is None:
        return None
    return CertificateLine(
        is_running=found.due_at is not None,
        finished_at=found.finished_at,
        score=found.score,
        checks=[_check_line(check) for check in found.checks],
        is_old=found.finished_at is not None and found.url != endpoint.url,
    )


def _check_line(check: dict[str, Any]) -> CheckLine:
    return CheckLine(
        name=check["name"],
        about=Check(check["name"]).label,
        wanted=_WANTED[check["expected"]],
        passed=check["passed"],
        wrong=[
            WrongLine(
                sent="\n".join([*(f"{name}: {value}" for name, value in one["headers"].items()), "", one["body"]]),
                answered=_answered(one),
            )
            for one in check["wrong"]
        ],
    )


def _answered(one: dict[str, Any]) -> str:
    if one["error"]:
        return _NOT_SENT if one["error"] == NOT_SENT else error_words(one["error"])
    lines = [f"{one['status']} after {one['latency_ms']} ms"]
    lines += [f"{name}: {value}" for name, value in one["answer_headers"].items()]
    return "\n".join([*lines, "", one["answer_body"]]).strip()


def certify(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Say what will be sent, then have it sent."""
    endpoint, fault = endpoint_at(visit, endpoint_id), ""
    if request.method == "POST":
        try:
            services.ask_certificate(visit.principal, str(endpoint_id))
        except ServiceError as refusal:
            fault = refusal.message
        else:
            messages.success(request, "The test has begun. Reload this page to see what came of it.")
            return redirect(visit.url("endpoint", endpoint_id=endpoint_id))
    context = {"line": endpoint_line(endpoint), "checks": list(Check), "fault": fault}
    return draw(request, visit, "dashboard/webhooks/certify.html", context, status=400 if fault else 200)
