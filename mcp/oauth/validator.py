"""What is stored for a grant and believed of it: one connection, one resource, a code that is presented once.

The hooks whose names begin with an underscore are the library's own private ones: its version is pinned for them.
Every request that exchanges something runs in one transaction (``endpoints``), so what is locked here stays locked.
"""

import uuid
from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from core.clock import now
from mcp.models import AccessToken, AgentConnection, Application, Grant, RefreshToken, UsedCode
from mcp.oauth import replays
from mcp.oauth.access import digest
from mcp.oauth.resource import check_resource
from merchants.models import Membership


class Validator(OAuth2Validator):
    """The library's, bound to connections."""

    def _load_application(self, client_id: str | None, request: Any) -> Application | None:
        """The client of this id. Why not every text: PostgreSQL holds no NUL, so no client has one."""
        if "\0" in (client_id or ""):
            return None
        found: Application | None = super()._load_application(client_id, request)
        return found

    # --- Codes ------------------------------------------------------------------------------------

    def _create_authorization_code(self, request: Any, code: Any, expires: Any = None) -> Grant:
        """Store the grant, its code as a digest, with the connection that the consent page passed on."""
        connection = getattr(request, "connection", None)
        if not isinstance(connection, AgentConnection):
            raise errors.AccessDeniedError(description="Nobody consented.", request=request)
        grant: Grant = super()._create_authorization_code(request, {**code, "code": digest(code["code"])}, expires)
        grant.connection = connection
        grant.save(update_fields=["connection"])
        return grant

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *_: Any, **__: Any) -> bool:
        """Take the code: from here on it is used, whatever else is wrong with the request.

        Locks: the grant. Whoever waited for it finds it used, which is a replay like any other.
        """
        grant = (
            Grant.objects.select_for_update(of=("self",))
            .select_related("connection", "user")
            .filter(code=digest(code), application=client)
            .first()
        )
        if grant is None:
            replays.answer_replayed_code(digest(code), client, request)
            return False
        request.token_family = _burn(grant)
        if grant.is_expired() or not is_alive(grant.connection, grant.user_id):
            return False
        request.presented_grant, request.connection, request.user = grant, grant.connection, grant.user
        request.scopes = grant.scope.split()
        check_resource(request)
        return True

    def get_code_challenge(self, code: str, request: Any) -> str | None:
        """The challenge of the code that was just taken."""
        return request.presented_grant.code_challenge or None

    def get_code_challenge_method(self, code: str, request: Any) -> str | None:
        """How its verifier is compared."""
        return request.presented_grant.code_challenge_method or None

    def get_default_redirect_uri(self, client_id: str, request: Any, *_: Any, **__: Any) -> Any:
        """Where the code was sent: OAuth 2.1 clients do not say it again when they exchange it."""
        grant = getattr(request, "presented_grant", None)
        return super().get_default_redirect_uri(client_id, request) if grant is None else grant.redirect_uri

    def confirm_redirect_uri(  # noqa: PLR0913  (the library's signature)
        self, client_id: str, code: str, redirect_uri: str, client: Any, request: Any, *_: Any, **__: Any
    ) -> bool:
        """Refuse a code that was sent elsewhere. Raises: InvalidGrantError."""
        if redirect_uri != request.presented_grant.redirect_uri:
            raise errors.InvalidGrantError(description="redirect_uri is not that of the grant.", request=request)
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *_: Any, **__: Any) -> None:
        """Nothing is left to do: the code was used up when it was presented."""

    # --- Refreshing -------------------------------------------------------------------------------

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *_: Any, **__: Any) -> bool:
        """Whether it may be exchanged now, for the connection as it is now.

        Locks: the refresh token, so that of two exchanges the second one is a reuse.
        """
        presented = replays.lock_refresh_token(digest(refresh_token))
        alarm = replays.is_first_reuse(presented)
        if not super().validate_refresh_token(refresh_token, client, request):
            if alarm and presented is not None:
                replays.record_reuse(presented, request)
            return False
        stored = request.refresh_token_instance
        if not is_alive(stored.connection, stored.user_id) or not self.get_original_scopes(refresh_token, request):
            return False
        request.connection = stored.connection
        check_resource(request)
        return True

    def get_original_scopes(self, refresh_token: str, request: Any, *_: Any, **__: Any) -> list[str]:
        """What the last access token allowed, and of that what the connection still allows: never more."""
        stored = request.refresh_token_instance
        scopes = super().get_original_scopes(refresh_token, request) or ""
        return [scope for scope in scopes.split() if scope in stored.connection.scopes]

    # --- What is issued ---------------------------------------------------------------------------

    def _check_and_set_request_resource(self, request: Any) -> None:
        check_resource(request)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *_: Any, **__: Any) -> None:
        """No access token outlives its connection."""
        ends = request.connection.expires_at
        if ends is not None:
            token["expires_in"] = min(token["expires_in"], max(1, int((ends - now()).total_seconds())))
        super()._save_bearer_token(token, request)

    def _create_access_token(
        self, expires: Any, request: Any, token: Any, source_refresh_token: Any = None
    ) -> AccessToken:
        created: AccessToken = super()._create_access_token(expires, request, token, source_refresh_token)
        created.connection = request.connection
        created.save(update_fields=["connection"])
        return created

    def _create_refresh_token(
        self, request: Any, refresh_token_code: str, access_token: Any, previous_refresh_token: Any
    ) -> RefreshToken:
        created: RefreshToken = super()._create_refresh_token(
            request, refresh_token_code, access_token, previous_refresh_token
        )
        created.connection = request.connection
        created.token_family = getattr(request, "token_family", None) or created.token_family
        created.save(update_fields=["connection", "token_family"])
        return created

    def revoke_token(self, token: str, token_type_hint: str | None, request: Any, *_: Any, **__: Any) -> None:
        """Revoke what the client hands in, and put that down."""
        replays.record_revocation(digest(token), request)
        super().revoke_token(token, token_type_hint, request)


def is_alive(connection: AgentConnection | None, user_id: int | None) -> bool:
    """Whether something may still be issued under a connection. A pause stops money, not the connection itself."""
    if connection is None or connection.revoked_at is not None or connection.user_id != user_id:
        return False
    if connection.expires_at is not None and connection.expires_at <= now():
        return False
    return Membership.objects.filter(
        user=connection.user_id, merchant=connection.merchant_id, user__is_active=True
    ).exists()


def _burn(grant: Grant) -> uuid.UUID:
    """Use the code up; what will be issued for it has this family."""
    family = uuid.uuid4()
    application: Application = grant.application
    UsedCode.objects.create(
        digest=grant.code, client_id=application.client_id, connection_id=grant.connection_id, token_family=family
    )
    Grant.objects.filter(pk=grant.pk).delete()
    return family
