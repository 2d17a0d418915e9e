"""The checkout in a frame of a merchant's page, and the script that puts it there.

The frame's page holds no token: the merchant's page opens a session with its publishable key and hands the token over.
Source: docs/adr/0036.
"""

import base64
import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe
from rjsmin import jsmin

from checkout.views.page import TRUSTED_TYPES, kept_nowhere, page_variables
from core.errors import NotFound
from core.language import speaks_payers_language
from core.modes import Mode
from merchants.services.origins import may_frame
from payments.selectors import intent_id_from, public_intent

THEMES = frozenset({"light", "dark"})
HOST_SCRIPT = "v1.js"
SCRIPTS = (HOST_SCRIPT, "wallets-v1.js")
"""What merchants' pages load: the first by a tag, the other by the first where wallets of the page are to be asked."""
_FOLDER = Path(__file__).resolve().parent.parent / "static" / "embed"
_ORIGIN_SHOWN = 200
_FOR_SOME_MINUTES = "public, max-age=300"


class Script(NamedTuple):
    """A script as it is served, plain and compressed, and what names exactly this content."""

    plain: bytes
    compressed: bytes
    etag: str
    integrity: str


@require_safe
@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
@speaks_payers_language
def embed_page(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The payer's page for a frame on ``origin``; refused, a page that says what to do and that nobody can frame.

    Why the frame's ancestor is the one origin that was asked for, also where a wildcard is listed: no page but that
    one can then show it.
    """
    try:
        intent = public_intent(intent_id_from(intent_id))
    except NotFound:
        return kept_nowhere(render(request, "checkout/not_found.html", status=404))
    origin = request.GET.get("origin", "")
    if not may_frame(intent.merchant_id, Mode(intent.mode), origin):
        words = {"origin": origin[:_ORIGIN_SHOWN], "intent_id": intent.pk}
        return kept_nowhere(render(request, "checkout/frame_refused.html", words, status=403))
    theme = request.GET.get("theme", "")
    variables = page_variables(intent, {"embedded": True, "host_origin": origin})
    variables |= {"embedded": True, "theme": theme if theme in THEMES else ""}
    page = render(request, "checkout/page.html", variables)
    # Why the origin may go into the policy: ``may_frame`` checked it to the letter.
    page._csp_replace = {"frame-ancestors": [origin]}  # type: ignore[attr-defined]  # what csp_replace leaves
    page.xframe_options_exempt = True  # what xframe_options_exempt leaves
    return kept_nowhere(page)


def _etag(_request: HttpRequest, name: str) -> str:
    return served_script(name).etag


@require_safe
@condition(etag_func=_etag)
def embed_script(request: HttpRequest, name: str) -> HttpResponse:
    """A script for merchants' pages: at one address for ever, for every page, looked at anew every few minutes."""
    script, zips = served_script(name), "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(script.compressed if zips else script.plain, content_type="text/javascript; charset=utf-8")
    if zips:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return _for_every_page(response)


@require_safe
def embed_script_facts(request: HttpRequest) -> HttpResponse:
    """Where the host's script is, and the hash by which a page can insist on exactly this one."""
    facts = {"src": f"{settings.BASE_URL}/embed/{HOST_SCRIPT}", "integrity": served_script(HOST_SCRIPT).integrity}
    return _for_every_page(JsonResponse(facts))


def _for_every_page(response: HttpResponse) -> HttpResponse:
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = _FOR_SOME_MINUTES
    return response


@cache
def served_script(name: str) -> Script:
    """One of ``SCRIPTS`` without comments, read once for as long as the process lives."""
    plain = jsmin((_FOLDER / name).read_text(encoding="utf-8")).encode()
    digest = hashlib.sha384(plain)
    return Script(
        plain=plain,
        compressed=gzip.compress(plain, mtime=0),
        etag=f'"{digest.hexdigest()[:32]}"',
        integrity=f"sha384-{base64.b64encode(digest.digest()).decode()}",
    )
