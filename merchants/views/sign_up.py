"""Signing up, in two pages: the address and the business, then by a mailed link the password."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.caller import client_address
from core.errors import RateLimited
from merchants.errors import AccountExists, InvitationOver
from merchants.models import User
from merchants.services.sign_up import ask_for_account, open_account, read_link
from merchants.views.entering import HOME, enter, refused, too_often
from merchants.views.forms import PasswordForm, SignUpForm


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
    return render(request, "account/signup_sent.html", {"email": email, "is_printed": _is_printed()})


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


def _is_printed() -> bool:
    """Whether mails are printed where the service runs instead of being sent."""
    return settings.MAIL_DELIVERY.endswith("console.EmailBackend")
