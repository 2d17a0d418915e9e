"""The page behind a link of an invitation: newcomers choose a password, others sign in first and then join."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.errors import ServiceError
from merchants.errors import AlreadyMember
from merchants.models import Invitation, User
from merchants.services.invitations import accept, find_invitation, join_as_new_user
from merchants.site import CHOSEN_MERCHANT
from merchants.views.entering import HOME, enter, refused
from merchants.views.forms import PasswordForm


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
