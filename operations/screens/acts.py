"""Pages on which an operator acts: what is paused, a merchant, a person, and the service's own audit.

Each change asks who it is again where that was proven some minutes ago. Source: docs/incidents.md.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django import forms
from django.contrib import messages
from django.contrib.admin import site
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from core.errors import ServiceError
from core.models import Pause
from core.modes import Mode
from core.pauses import standing
from merchants.audit import SERVICE
from merchants.models import ApiKey, Change, Merchant, User
from merchants.services.operators import (
    REASON_LENGTH,
    change_address,
    end_suspension,
    operator_named,
    reset_second_factor,
    revoke_keys_of,
    suspend_merchant,
)
from operations.acting import BY_LENGTH, PutBack, pausable, pause_all, resume_all

LATEST = 50
View = Callable[..., HttpResponseBase]


class Why(forms.Form):
    """The reason of an act."""

    reason = forms.CharField(max_length=REASON_LENGTH, strip=True)


class NewAddress(Why):
    """The address that a person is to sign in with."""

    address = forms.CharField(max_length=254)


def acting(view: View) -> View:
    """A page that changes something: GET shows it, POST acts, and both ask for a fresh proof of identity."""

    @wraps(view)
    def asked(request: HttpRequest, **place: Any) -> HttpResponseBase:
        try:
            proven: View = reauthentication_required(view)
            return proven(request, **place)
        except ReauthenticationRequired:
            if request.method == "GET":
                raise
            return redirect(request.path)  # asks there; no old form is sent by surprise

    return require_http_methods(["GET", "POST"])(asked)


@acting
def show_pauses(request: HttpRequest) -> HttpResponseBase:
    """What is paused, and what was; a POST pauses or resumes one kind."""
    if request.method == "POST":
        _pause_or_resume(request)
        return redirect("admin:pauses")
    stand = standing()
    lines = [{"kind": kind, "stands": stand.get(kind)} for kind in pausable()]
    ended = Pause.objects.exclude(ended_at=None).order_by("-pk")[:LATEST]
    return _page(request, "admin/pauses.html", title="Pauses", lines=lines, ended=ended)


def _pause_or_resume(request: HttpRequest) -> None:
    kind, me = request.POST.get("kind", ""), _me(request)
    by = operator_named(me)
    if kind not in pausable():
        return
    if request.POST.get("act") == "resume":
        try:
            resume_all(kind, name=me.email[:BY_LENGTH], by=by)
            messages.success(request, f"{kind.capitalize()} goes on.")
        except PutBack as refusal:
            messages.error(request, str(refusal))
    elif reason := _reason(request):
        pause_all(kind, reason=reason, name=me.email[:BY_LENGTH], by=by)
        messages.success(request, f"{kind.capitalize()} is paused.")


@acting
def act_on_merchant(request: HttpRequest, merchant_id: int) -> HttpResponseBase:
    """Suspend a merchant, end that, or stop its keys."""
    merchant = get_object_or_404(Merchant, pk=merchant_id)
    if request.method == "POST":
        if reason := _reason(request):
            _change_merchant(request, merchant, reason)
        return redirect("admin:merchant_acts", merchant_id=merchant.pk)
    good = ApiKey.objects.filter(merchant=merchant, revoked_at=None)
    modes = [(mode.value, good.filter(mode=mode).count()) for mode in Mode]
    return _page(request, "admin/merchant_acts.html", title=merchant.name, merchant=merchant, modes=modes)


def _change_merchant(request: HttpRequest, merchant: Merchant, reason: str) -> None:
    act, mode, by = request.POST.get("act", ""), request.POST.get("mode", ""), operator_named(_me(request))
    if act == "suspend":
        done = "The merchant is suspended. The owners were written to."
        _do(request, lambda: suspend_merchant(merchant.pk, reason=reason, by=by), done)
    elif act == "end_suspension":
        done = "The suspension is over. The owners were written to."
        _do(request, lambda: end_suspension(merchant.pk, reason=reason, by=by), done)
    elif act == "revoke_keys" and mode in [*Mode]:
        done = f"Every {mode} key is stopped. The owners were written to."
        _do(request, lambda: revoke_keys_of(merchant.pk, Mode(mode), reason=reason, by=by), done)


@acting
def act_on_person(request: HttpRequest, person_id: int) -> HttpResponseBase:
    """Take a person's second factors away, or change the address."""
    person = get_object_or_404(User, pk=person_id)
    if request.method == "POST":
        if person.is_staff:
            messages.error(request, "An operator's account is changed at a terminal alone. Nothing was changed.")
        else:
            _change_person(request, person)
        return redirect("admin:person_acts", person_id=person.pk)
    return _page(request, "admin/person_acts.html", title=person.email, person=person)


def _change_person(request: HttpRequest, person: User) -> None:
    by, reason = operator_named(_me(request)), _reason(request)
    if not reason:
        return
    if request.POST.get("act") == "reset_second_factor":
        _do(request, lambda: reset_second_factor(person, reason=reason, by=by), "The second factors are gone.")
    elif request.POST.get("act") == "change_address":
        form = NewAddress(request.POST)
        address = form.cleaned_data["address"] if form.is_valid() else ""
        _do(request, lambda: change_address(person, address, reason=reason, by=by), "The address is changed.")


@require_http_methods(["GET"])
def show_acts(request: HttpRequest) -> HttpResponse:
    """What operators did, newest first: the service's own audit."""
    found = Change.objects.filter(merchant_id=SERVICE).order_by("-pk")[:LATEST]
    lines = [(one, _shown(one.before), _shown(one.after)) for one in found]
    return _page(request, "admin/acts.html", title="Acts of operators", lines=lines)


def _shown(values: Mapping[str, object]) -> list[str]:
    """Each value of an audit's line, on a line of its own."""
    words = {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in values.items()}
    return [f"{name}: {value}" for name, value in words.items()]


def _page(request: HttpRequest, template: str, **shown: Any) -> TemplateResponse:
    return TemplateResponse(request, template, {**site.each_context(request), "longest": REASON_LENGTH, **shown})


def _me(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the site let an operator in
    return request.user


def _reason(request: HttpRequest) -> str:
    """The reason given; where there is none, the page says so."""
    form = Why(request.POST)
    if not form.is_valid():
        messages.error(request, "Say why, in one sentence. Nothing was changed.")
        return ""
    return str(form.cleaned_data["reason"])


def _do(request: HttpRequest, act: Callable[[], object], done: str) -> None:
    try:
        act()
        messages.success(request, done)
    except ServiceError as refusal:
        fields = refusal.details.get("fields", ())
        messages.error(request, fields[0]["message"] if fields else refusal.message)
