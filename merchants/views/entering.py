"""How people get in who cannot sign in yet: by signing up, and by a team's invitation.

Signing up takes two pages: the address and the business, then by a mailed link the password. Behind an invitation's
link newcomers choose a password; others sign in first and then join.
"""

from typing import Any

from allauth.account.utils import perform_login
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.caller import client_address
from core.errors import RateLimited, ServiceError
from merchants.accounts import CHOSEN_MERCHANT
from merchants.errors import AccountExists, AlreadyMember, InvitationOver
from merchants.models import Invitation, Merchant, User
from merchants.services.invitations import accept, find_invitation, join_as_new_user
from merchants.services.sign_up import ask_for_account, open_account, read_link
from merchants.views.forms import PasswordForm, SignUpForm

HOME = "/dashboard/test/"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Ask for an address and a business; the answer is the same whether or not the address has an account."""
    if not settings.SIGN_UP:
        return render(request, "account/signup_closed.html")
    if request.user.is_authenticated:
        return redirect(HOME)
    form = SignUpForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return render(request, "account/signup.html", {"form": form}, status=400 if form.is_bound else 200)
    email, business = form.cleaned_data["email"], form.cleaned_data["business"]
    try:
        ask_for_account(email, business, client_address(request))
    except RateLimited as refusal:
        return too_often(request, refusal)
    is_printed = settings.MAIL_DELIVERY.endswith("console.EmailBackend")  # where the service runs; nothing is sent
    return render(request, "account/signup_sent.html", {"email": email, "is_printed": is_printed})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Choose the password; then the account exists, its owner is signed in, and the test dashboard opens."""
    again, sign_in = reverse("account_signup"), reverse("account_login")
    try:
        asked = read_link(token)
        if User.objects.filter(email=asked.email).exists():
            raise AccountExists("This link was used already. Sign in with your address and password.")
        form = PasswordForm(request.POST if request.method == "POST" else None, email=asked.email)
        if not form.is_valid():
            context = {"form": form, "asked": asked}
            return render(request, "account/signup_password.html", context, status=400 if form.is_bound else 200)
        made = open_account(asked, form.cleaned_data["password"])
    except InvitationOver as refusal:
        return refused(request, refusal, to=again, action="Ask for a new link")
    except AccountExists as refusal:
        return refused(request, refusal, to=sign_in, action="Sign in")
    return enter(request, made.owner, made.merchant)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a team by its link."""
    try:
        asked = find_invitation(token)
        if isinstance(request.user, User):
            return _as_somebody(request, request.user, asked, token)
        if User.objects.filter(email=asked.email).exists():
            return render(request, "account/invitation_sign_in.html", {"asked": asked, "next": request.path})
        return _as_newcomer(request, asked, token)
    except AlreadyMember as refusal:
        return refused(request, refusal, to=HOME, action="Open the dashboard")
    except ServiceError as refusal:
        return refused(request, refusal, to=reverse("account_login"), action="Sign in")


def _as_somebody(request: HttpRequest, person: User, asked: Invitation, token: str) -> HttpResponse:
    if asked.email != person.email.lower():
        return render(request, "account/invitation_other.html", {"asked": asked}, status=403)
    if request.method != "POST":
        return render(request, "account/invitation_join.html", {"asked": asked})
    joined = accept(token, person)
    request.session[CHOSEN_MERCHANT] = joined.merchant_id
    return redirect(HOME)


def _as_newcomer(request: HttpRequest, asked: Invitation, token: str) -> HttpResponse:
    form = PasswordForm(request.POST if request.method == "POST" else None, email=asked.email)
    if not form.is_valid():
        context = {"form": form, "asked": asked}
        return render(request, "account/invitation_password.html", context, status=400 if form.is_bound else 200)
    person = join_as_new_user(token, form.cleaned_data["password"])
    return enter(request, person, asked.merchant)


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
    minutes = max(1, -(-int(refusal.details.get("retry_after_seconds", 60)) // 60))
    answer = render(request, "429.html", {"minutes": minutes}, status=refusal.http_status)
    for name, value in refusal.headers.items():
        answer[name] = value
    return answer
