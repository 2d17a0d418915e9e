"""The operators' admin at ``/admin/``: one sign-in for everybody, and never by password alone.

Source: reliability, threat 33.
"""

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from merchants.accounts import has_second_factor
from merchants.models import User


class OperatorsSite(AdminSite):
    """Lets operators in who signed in through the common page with a second factor."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Active staff with a second factor."""
        person = request.user
        return super().has_permission(request) and isinstance(person, User) and has_second_factor(person)

    def login(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:
        """Send people where they can become what this site asks for. Raises: PermissionDenied for non-staff."""
        person = request.user
        if not isinstance(person, User):
            return redirect(f"{reverse('account_login')}?{request.META['QUERY_STRING']}")
        if not person.is_staff:
            raise PermissionDenied
        messages.warning(request, "Operators need a second factor.")
        return redirect("mfa_index")
