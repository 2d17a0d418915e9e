"""Client of the Causeway payment service.

``Causeway`` blocks, ``AsyncCauseway`` is awaited; ``causeway_sdk.webhooks`` verifies what the service posts;
``causeway_sdk.types`` has every type by its name, for annotations.
"""

from causeway_sdk._client import AsyncCauseway, Causeway, LiveKeyWarning
from causeway_sdk._core import (
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
