"""The steps of OAuth as a client takes them, and the one a person takes: consent, written as the server writes it."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.test import Client
from oauthlib.common import Request

from core.clock import now
from core.modes import Mode
from mcp.models import AccessToken, AgentConnection, AgentRecord, Application, ClientDocument, Grant, RefreshToken
from mcp.oauth.resource import RESOURCE
from mcp.oauth.validator import Validator
from mcp.scopes import BASIC_SCOPES
from merchants.services import NewMerchant
from tests.conftest import Reply, read_reply

CALLBACK = "https://agent.example/callback"
BASIC = " ".join(BASIC_SCOPES)
OTHER_RESOURCES = (
    *("https://evil.example/mcp", RESOURCE.removesuffix("/mcp"), f"{RESOURCE}/admin", f"{RESOURCE}.evil.example"),
    *(RESOURCE.replace("://", "://a@"), f"{RESOURCE}?a=b", "everything", [RESOURCE, "https://evil.example"]),
)
"""What only looks like our door: nobody gets a token for it."""


def new_verifier() -> str:
    return secrets.token_urlsafe(48)


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def new_application(**changes: Any) -> Application:
    fields = {
        "name": "Helpful Agent",
        "redirect_uris": CALLBACK,
        "client_type": "public",
        "authorization_grant_type": "authorization-code",
        "registration_source": "dcr",
    }
    created: Application = Application.objects.create(**fields | changes)
    return created


def new_connection(account: NewMerchant, application: Application, **changes: Any) -> AgentConnection:
    """What the consent page writes down."""
    fields = {
        "merchant": account.merchant,
        "mode": Mode.TEST,
        "user": account.merchant.memberships.get().user,
        "application": application,
        "scopes": [str(scope) for scope in BASIC_SCOPES],
    }
    return AgentConnection.objects.create(**fields | changes)


@dataclass
class Agent:
    application: Application
    connection: AgentConnection
    verifier: str = field(default_factory=new_verifier)

    def consent(self, **changes: Any) -> str:
        """The code that the person's consent sent to the callback."""
        code = secrets.token_urlsafe(24)
        request = Request("https://server.example/oauth/authorize")
        given: dict[str, Any] = {
            "client": self.application,
            "user": self.connection.user,
            "connection": self.connection,
            "redirect_uri": CALLBACK,
            "scopes": list(self.connection.scopes),
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "resource": [RESOURCE],
        }
        for name, value in (given | changes).items():
            setattr(request, name, value)
        Validator()._create_authorization_code(request, {"code": code})
        return code

    def exchange(self, code: str, /, **changes: Any) -> Reply:
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": self.verifier}
        return ask("/oauth/token", self._usual() | form | {"redirect_uri": CALLBACK} | changes)

    def refresh(self, refresh_token: str, /, **changes: Any) -> Reply:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return ask("/oauth/token", self._usual() | form | changes)

    def _usual(self) -> dict[str, Any]:
        return {"client_id": self.application.client_id, "resource": RESOURCE}

    def signed_in(self) -> dict[str, Any]:
        reply = self.exchange(self.consent())
        assert reply.status == 200, reply.raw
        return dict(reply.body)


def ask(path: str, form: dict[str, Any], **headers: str) -> Reply:
    """POST a form; a value of None is left out, a list is sent repeatedly."""
    sent = {key: value for key, value in form.items() if value is not None}
    client = Client(raise_request_exception=False, headers={k.replace("_", "-"): v for k, v in headers.items()})
    return read_reply(client.post(path, sent))


def issued() -> tuple[int, int, int, int]:
    """How many codes, access tokens and living refresh tokens there are, and lines of audit."""
    return (
        Grant.objects.count(),
        AccessToken.objects.count(),
        RefreshToken.objects.filter(revoked__isnull=True).count(),
        AgentRecord.objects.count(),
    )


def is_read(described: object, url: str) -> None:
    """Leave behind what a worker does that read the document at an address."""
    fresh = {"read_at": now(), "fresh_until": now() + timedelta(hours=1), "next_attempt_at": None}
    ClientDocument.objects.update_or_create(url=url, defaults={"body": json.dumps(described), **fresh})
