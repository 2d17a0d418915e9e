"""What a restricted key may do: asked here for every operation of the REST API, and closed unless the view says more.

Each view names the scope of its operations in ``key_scopes``, by action (of a view set) or by method in small letters,
or says with ``opens_to_every_key`` that it asks for none.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from merchants.authentication import KnownKey
from merchants.errors import InsufficientScope
from merchants.models import KeyKind
from merchants.scopes import KeyScope

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


class ScopePermission(BasePermission):
    """Lets restricted keys do what they were allowed, and asks nothing of others. On every view, by the settings."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Whether this may go on. Raises: InsufficientScope."""
        key = request.auth
        if not isinstance(key, KnownKey) or key.kind != KeyKind.RESTRICTED:
            return True
        if getattr(view, "opens_to_every_key", False):
            return True
        needed = scope_of(view, str(request.method))
        if needed is None or needed not in key.scopes:
            raise InsufficientScope([] if needed is None else [needed])
        return True


def scope_of(view: "APIView", method: str) -> KeyScope | None:
    """The scope that opens an operation to restricted keys; None where nothing does."""
    scopes: Mapping[str, KeyScope] = getattr(view, "key_scopes", {})
    operation = getattr(view, "action", None) if hasattr(view, "action_map") else method.lower()
    return scopes.get(operation or "")
