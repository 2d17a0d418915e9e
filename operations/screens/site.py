"""The operators' admin at ``/admin/``: one sign-in for everybody, and never by password alone.

Source: docs/operators.md.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from core.pauses import standing
from core.standby import sees_own_writes
from merchants.accounts import has_proven_factor, has_second_factor
from merchants.models import User


class OperatorsSite(AdminSite):
    """Lets operators in who signed in through the common page with a second factor."""

    site_header = site_title = "Operators"
    index_title = "The service"
    site_url = None
    enable_nav_sidebar = False
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        """Active staff whose session proved a second factor. Why the session: it may be older than the factor."""
        person = request.user
        is_proven = isinstance(person, User) and has_second_factor(person) and has_proven_factor(request)
        return super().has_permission(request) and is_proven

    def login(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:
        """Send people where they can become what this site asks for. Raises: PermissionDenied for non-staff."""
        person = request.user
        if not isinstance(person, User):
            return redirect(f"{reverse('account_login')}?{request.META['QUERY_STRING']}")
        if not person.is_staff:
            raise PermissionDenied
        if has_second_factor(person):
            messages.warning(request, "Operators prove their second factor, here as at sign-in.")
            back = urlencode({"next": reverse("admin:index", current_app=self.name)})
            kinds = set(Authenticator.objects.filter(user=person).values_list("type", flat=True))
            by_code = kinds & {Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES}
            proof = "mfa_reauthenticate" if by_code else "mfa_reauthenticate_webauthn"
            return redirect(f"{reverse(proof)}?{back}")
        messages.warning(request, "Operators need a second factor. It takes a word of manage.py factor_word.")
        return redirect("mfa_index")

    def password_change(  # type: ignore[override]  # a redirection, not a page
        self, request: HttpRequest, extra_context: Mapping[str, object] | None = None
    ) -> HttpResponse:
        """Everybody's page. Why not the admin's own: a password is changed in one place."""
        return redirect("account_change_password")

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The pages of the service's state, then the tables."""
        from operations.screens import acts, pages  # noqa: PLC0415 - needs the models

        return [
            path("queues/", self.admin_view(pages.show_queues), name="queues"),
            path("invariants/", self.admin_view(pages.show_invariants), name="invariants"),
            path("pauses/", self.admin_view(acts.show_pauses), name="pauses"),
            path("acts/", self.admin_view(acts.show_acts), name="acts"),
            path("merchants/<int:merchant_id>/acts/", self.admin_view(acts.act_on_merchant), name="merchant_acts"),
            path("people/<int:person_id>/acts/", self.admin_view(acts.act_on_person), name="person_acts"),
            *super().get_urls(),
        ]

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 - the framework's signature
        """Every page; who changes something sees it."""
        return sees_own_writes(super().admin_view(view, cacheable))

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The state of the service, and every table."""
        from operations.screens import pages  # noqa: PLC0415 - needs the models

        return super().index(request, {**(extra_context or {}), **pages.state_of_service()})

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """What every page is drawn with: the menu besides, and what is paused."""
        from operations.screens.tables import TABLES  # noqa: PLC0415 - needs the models

        context = super().each_context(request)
        state = [("Overview", "index"), ("Queues", "queues"), ("Invariants", "invariants")]
        state += [("Pauses", "pauses"), ("Acts of operators", "acts")]
        named = [(label, reverse(f"admin:{name}", current_app=self.name)) for label, name in state]
        tables = [(shown.label, shown.about, self._list_of(model)) for model, shown in TABLES]
        menu = [(label, url) for label, _, url in tables]
        paused = list(standing().values()) if context["has_permission"] else []
        return {**context, "sections": [("", named), ("Tables", menu)], "tables": tables, "pauses": paused}

    def _list_of(self, model: type[models.Model]) -> str:
        return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", current_app=self.name)
