"""Who may press the dashboard's serious buttons: the right role, a second factor for real money, identity just proven.

Source: experience, Dashboard (second factor and re-authentication); reliability, threat 33.
"""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.modes import Mode
from merchants.accounts import has_second_factor
from merchants.models import Role, User
from merchants.site import Visit

GuardedPage = Callable[..., HttpResponse]
MAY_MOVE_MONEY = frozenset({Role.OWNER, Role.ADMIN})


def lacks_second_factor(visit: Visit) -> bool:
    """Whether the person must add a second factor before changing anything of live mode."""
    return visit.mode == Mode.LIVE and not may_go_live(visit.person)


def may_go_live(person: User) -> bool:
    """Whether a person has what live mode asks for, wherever they change or lend something of it."""
    return not settings.REQUIRE_SECOND_FACTOR_FOR_LIVE or has_second_factor(person)


def confirmed(roles: Collection[Role], without_factor: str) -> Callable[[GuardedPage], GuardedPage]:
    """Let only these roles through, and only when they just proved who they are.

    ``without_factor`` is said to people who must add a second factor first.
    """

    def guard(page: GuardedPage) -> GuardedPage:
        proven: GuardedPage = reauthentication_required(page)

        @wraps(page)
        def guarded(request: HttpRequest, visit: Visit, **arguments: Any) -> HttpResponse:
            if visit.role not in roles:
                raise PermissionDenied
            if lacks_second_factor(visit):
                messages.warning(request, without_factor)
                return redirect("mfa_index")
            try:
                return proven(request, visit, **arguments)
            except ReauthenticationRequired:
                if request.method != "POST":
                    raise
                return redirect(request.path)  # asks there; nobody's password should send an old form by surprise

        return guarded

    return guard
