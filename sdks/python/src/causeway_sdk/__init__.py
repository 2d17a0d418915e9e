"""Client of the Causeway payment service.

``Causeway`` blocks, ``AsyncCauseway`` is awaited; ``causeway_sdk.webhooks`` verifies what the service posts;
``causeway_sdk.types`` has every type by its name, for annotations.
"""

from causeway_sdk._client import AsyncCauseway, Causeway
from causeway_sdk._errors import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    CausewayError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnexpectedStatusError,
    WaitTimeoutError,
)
from causeway_sdk._settings import LiveKeyWarning

__version__ = "1.2.0"

__all__ = [
    "APIConnectionError",
    "APIError",
    "AsyncCauseway",
    "AuthenticationError",
    "Causeway",
    "CausewayError",
    "ConflictError",
    "InvalidRequestError",
    "LiveKeyWarning",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "UnexpectedStatusError",
    "WaitTimeoutError",
]
