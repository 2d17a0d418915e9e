"""The public door to the keys: no credential is asked for, and no private key is opened."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from core.secrets import lookup_digest
from proofs.keys import published


@require_safe
def keys_document(request: HttpRequest) -> HttpResponseBase:
    """``GET /.well-known/causeway-receipt-keys.json``, for programs and pages anywhere."""
    text = published()
    etag = quote_etag(lookup_digest(text)[:32])
    answer = HttpResponse(text, content_type="application/json", headers={"ETag": etag})
    answer.headers["Cache-Control"] = "public, max-age=300"
    unchanged = get_conditional_response(request, etag=etag, response=answer) or answer
    unchanged.headers["Access-Control-Allow-Origin"] = "*"
    return unchanged
