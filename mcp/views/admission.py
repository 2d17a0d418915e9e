"""What a request must look like before its body is read: host, origin, method, media types, size."""

from django.conf import settings
from django.http import HttpRequest

from core.errors import PayloadTooLarge
from core.exception_handler import MethodNotAllowed, NotAcceptable, UnsupportedMediaType
from merchants.errors import OriginNotAllowed

WE_WRITE = frozenset({"application/json", "application/*", "*/*"})


def check_sender(request: HttpRequest) -> None:
    """Refuse a host that is not ours, and pages of other origins. Why: a name can be made to lead here (DNS rebinding).

    Raises: OriginNotAllowed; DisallowedHost.
    """
    request.get_host()
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() not in {settings.BASE_URL.lower(), *settings.MCP_ALLOWED_ORIGINS}:
        raise OriginNotAllowed("Pages of that origin may not call this server.")


def check_form(request: HttpRequest) -> None:
    """Refuse another method than POST, another body than JSON, and a client that takes no JSON.

    Raises: MethodNotAllowed, UnsupportedMediaType, NotAcceptable.
    """
    if request.method != "POST":
        raise MethodNotAllowed(headers={"Allow": "POST"})
    if _media_type(request.META.get("CONTENT_TYPE", "")) != "application/json" or _is_encoded(request):
        raise UnsupportedMediaType
    accepted = request.headers.get("Accept", "")
    if accepted.strip() and not any(_takes_json(entry) for entry in accepted.split(",")):
        raise NotAcceptable


def read_body(request: HttpRequest) -> bytes:
    """The whole body. Raises: PayloadTooLarge over ``MAX_BODY_BYTES``."""
    limit: int = settings.MAX_BODY_BYTES
    body: bytes = request.read(limit + 1)
    if len(body) > limit:
        raise PayloadTooLarge
    return body


def _is_encoded(request: HttpRequest) -> bool:
    return request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in {"", "identity"}


def _takes_json(entry: str) -> bool:
    """Whether one entry of ``Accept`` allows JSON. Why the weight: 0 means never."""
    parameters = [parameter.strip().lower() for parameter in entry.split(";")[1:]]
    weights = [parameter.removeprefix("q=") for parameter in parameters if parameter.startswith("q=")]
    return _media_type(entry) in WE_WRITE and not any(weight.strip("0.") == "" for weight in weights)


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip().lower()
