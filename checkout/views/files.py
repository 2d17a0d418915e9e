"""What pages of the checkout load besides scripts: a merchant's style sheet and logo, and the words of one language.

For anybody: all of it is on a public page, and none says more than that page.
"""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from checkout.branding.sheets import checkout_sheet
from checkout.models import Branding
from checkout.words.catalogue import words_file
from core.language import LANGUAGES

_FOR_A_YEAR = "public, max-age=31536000, immutable"
_NOTHING_RUNS = "default-src 'none'; sandbox"
"""Should a browser ever show a picture as a page, that page can do nothing."""


@require_safe
def brand_sheet(request: HttpRequest, handle: UUID, version: int) -> HttpResponse:
    """The style sheet of a look."""
    branding = Branding.objects.defer("logo").filter(handle=handle).first()
    if branding is None:
        raise Http404
    answer = HttpResponse(checkout_sheet(branding.style), content_type="text/css; charset=utf-8")
    return _kept(answer, branding, version)


@require_safe
def brand_logo(request: HttpRequest, handle: UUID, version: int) -> HttpResponse:
    """The picture of a look, as what it was read as, whatever was claimed."""
    branding = Branding.objects.filter(handle=handle).first()
    if branding is None or branding.logo is None:
        raise Http404
    answer = HttpResponse(bytes(branding.logo), content_type=branding.logo_type)
    answer.headers["Content-Security-Policy"] = _NOTHING_RUNS
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Content-Disposition"] = "inline"
    return _kept(answer, branding, version)


def _kept(answer: HttpResponse, branding: Branding, version: int) -> HttpResponse:
    """Why an old address is not kept: it shows the look of now."""
    answer.headers["Cache-Control"] = _FOR_A_YEAR if version == branding.version else "no-store"
    return answer


@require_safe
def words_of_scripts(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """All words of one language. Why an old address is not kept: it answers with the words of now."""
    if language not in {each.code for each in LANGUAGES}:
        raise Http404
    file = words_file(language)
    answer = HttpResponse(file.content, content_type="application/json")
    answer.headers["Cache-Control"] = _FOR_A_YEAR if version == file.version else "no-store"
    return answer
