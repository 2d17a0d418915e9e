"""What the pages of newcomers share: signing in whoever just proved an address, and saying no."""

from typing import Any

from allauth.account.utils import perform_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.errors import ServiceError
from merchants.models import Merchant, User
from merchants.site import CHOSEN_MERCHANT

HOME = "/dashboard/test/"


def enter(request: HttpRequest, person: User, merchant: Merchant) -> HttpResponse:
    """Sign the person in, as the sign-in page would, and open the merchant's test dashboard."""
    answer: HttpResponse = perform_login(request, person, email_verification="none", redirect_url=HOME)
    request.session[CHOSEN_MERCHANT] = merchant.pk
    return answer


def refused(request: HttpRequest, refusal: ServiceError, *, to: str, action: str) -> HttpResponse:
    """A page that says why not, and what to do instead."""
    context: dict[str, Any] = {"refusal": refusal.message, "to": to, "action": action}
    return render(request, "account/link_over.html", context, status=refusal.http_status)


def too_often(request: HttpRequest, refusal: ServiceError) -> HttpResponse:
    """The page for whoever asked too often."""
    answer = render(request, "429.html", {"minutes": _minutes(refusal)}, status=refusal.http_status)
    for name, value in refusal.headers.items():
        answer[name] = value
    return answer


def _minutes(refusal: ServiceError) -> int:
    return max(1, -(-int(refusal.details.get("retry_after_seconds", 60)) // 60))
