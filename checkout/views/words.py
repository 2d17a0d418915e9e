"""The words of the page's scripts as a file, for anybody: they are the same on every page of a language."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from checkout.words.catalogue import words_file
from core.language import LANGUAGES

_FOR_A_YEAR = "public, max-age=31536000, immutable"


@require_safe
def words_of_scripts(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """All words of one language. Why an old address is not kept: it answers with the words of now."""
    if language not in {each.code for each in LANGUAGES}:
        raise Http404
    file = words_file(language)
    answer = HttpResponse(file.content, content_type="application/json")
    answer.headers["Cache-Control"] = _FOR_A_YEAR if version == file.version else "no-store"
    return answer
