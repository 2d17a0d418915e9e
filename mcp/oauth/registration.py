"""Clients that register themselves: RFC 7591, and RFC 7592 for reading and changing what was registered.

A client cannot delete itself: its connections, and what counts against their limits, hang on its row. Clients that
nobody ever said yes to are purged (``upkeep``).
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from oauth2_provider.views import DynamicClientRegistrationManagementView, DynamicClientRegistrationView
from oauth2_provider.views.dynamic_client_registration import _issue_registration_token

from mcp.models import Application
from mcp.oauth.client_metadata import GRANT_TYPES, RESPONSE_TYPES, ClientMetadata, MetadataRefused, read_metadata
from mcp.oauth.throttles import count


class RegistrationView(DynamicClientRegistrationView):
    """Registers a public client."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """201 with the client's id and the registration token that manages it."""
        count(request, "register")
        try:
            asked = read_metadata(request.body)
            application = _written(Application(registration_source=Application.RegistrationSource.DCR), asked)
        except MetadataRefused as refusal:
            return _refusal(refusal)
        with transaction.atomic():
            application.save()
            registration_token = _issue_registration_token(application, None)
        return _answer(application, asked.scope, registration_token, status=201)


class ManagementView(DynamicClientRegistrationManagementView):
    """Shows and replaces what was registered, to whoever holds the registration token."""

    http_method_names = ("get", "put", "head", "options")

    def get(self, request: HttpRequest, client_id: str, *_: Any, **__: Any) -> HttpResponse:
        """What is registered."""
        count(request, "register")
        known = self._authenticate_registration_request(request, client_id)
        if isinstance(known, HttpResponse):
            return known
        return _answer(known.application, "", known.presented_token)

    def put(self, request: HttpRequest, client_id: str, *_: Any, **__: Any) -> HttpResponse:
        """Replace it, by the rules of registration; the registration token is replaced as well."""
        count(request, "register")
        with transaction.atomic():
            known = self._authenticate_registration_request(request, client_id)
            if isinstance(known, HttpResponse):
                return known
            try:
                asked = read_metadata(request.body)
                _written(known.application, asked).save()
            except MetadataRefused as refusal:
                return _refusal(refusal)
            registration_token = _issue_registration_token(known.application, None)
            known.registration_token.delete()
        return _answer(known.application, asked.scope, registration_token)


def _written(application: Application, asked: ClientMetadata) -> Application:
    """The client as described, checked and not saved. Raises: MetadataRefused."""
    application.name = asked.name
    application.redirect_uris = " ".join(asked.redirect_uris)
    application.client_type = Application.CLIENT_PUBLIC
    application.authorization_grant_type = Application.GRANT_AUTHORIZATION_CODE
    application.client_secret, application.hash_client_secret = "", False
    try:
        application.full_clean(exclude=["client_secret"])
    except ValidationError as error:
        raise MetadataRefused("invalid_client_metadata", " ".join(error.messages)) from error
    return application


def _answer(application: Application, scope: str, registration_token: str, status: int = 200) -> JsonResponse:
    path = reverse("oauth2_provider:dcr-register-management", kwargs={"client_id": application.client_id})
    described = {
        "client_id": application.client_id,
        "client_id_issued_at": int(application.created.timestamp()),
        "client_secret_expires_at": 0,
        "client_name": application.name,
        "redirect_uris": application.redirect_uris.split(),
        "grant_types": list(GRANT_TYPES),
        "response_types": list(RESPONSE_TYPES),
        "token_endpoint_auth_method": "none",
        "registration_access_token": registration_token,
        "registration_client_uri": f"{settings.BASE_URL}{path}",
    }
    shown = described | ({"scope": scope} if scope else {})
    return JsonResponse(shown, status=status, headers={"Cache-Control": "no-store"})


def _refusal(refused: MetadataRefused) -> JsonResponse:
    body = {"error": refused.error, "error_description": refused.description}
    return JsonResponse(body, status=400, headers={"Cache-Control": "no-store"})
