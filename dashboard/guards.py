"""Who is let through to a page of the dashboard: the right role, a second factor for live mode, identity just proven.

Source: docs/guides/dashboard.md, Adding a page.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from core.modes import Mode
from core.standby import may_be_behind
from dashboard.page import Page
from dashboard.visit import Visit
from merchants.accounts import may_go_live
from merchants.acts import PERMISSIONS
from merchants.errors import MerchantSuspended

View = Callable[..., HttpResponseBase]
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def lacks_second_factor(visit: Visit) -> bool:
    """Whether the person must add a second factor before anything of live mode is shown or changed."""
    return visit.mode == Mode.LIVE and not may_go_live(visit.person)


def guarded(page: Page) -> View:
    """The page's view behind what the page asks for: its act, and where the act wants one, a fresh proof of identity.

    Raises, when called: PermissionDenied where the visitor's role does not allow the act.
    """
    act = page.act
    view: View = _not_suspended(may_be_behind(page.view) if page.may_be_behind else page.view)
    if act is None:
        return view
    proven: View = reauthentication_required(view) if page.fresh and PERMISSIONS[act].fresh else view

    @wraps(page.view)
    def asked(request: HttpRequest, visit: Visit, **arguments: Any) -> HttpResponseBase:
        if not visit.may(act):
            raise PermissionDenied
        try:
            return proven(request, visit, **arguments)
        except ReauthenticationRequired:
            if request.method in SAFE_METHODS:
                raise
            return redirect(request.path)  # asks there; nobody's password should send an old form by surprise

    return asked


def _not_suspended(view: View) -> View:
    """Of a merchant that an operator has stopped, everything is shown and nothing is changed."""

    @wraps(view)
    def asked(request: HttpRequest, visit: Visit, **arguments: Any) -> HttpResponseBase:
        if request.method in SAFE_METHODS or visit.merchant.suspended_at is None:
            return view(request, visit, **arguments)
        messages.error(request, MerchantSuspended.message)
        return redirect(visit.url("index"))

    return asked
