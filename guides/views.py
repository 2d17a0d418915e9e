"""The pages below ``/docs/``: the index, each page and its Markdown, search, pictures, and all guides in one text."""

from collections.abc import Mapping
from html import escape

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from core.secrets import lookup_digest
from guides.library import Page, beside, folder, groups, pages
from guides.markup import drawn, twin
from guides.reader import own_test_key
from guides.search import MOST_FOUND, MOST_LETTERS, search

PLACEHOLDER_KEY = "sk_test_..."
PLACEHOLDER_URL = "http://localhost:8000"
"""What samples are written with, and what a reader sees in its place: the key of its own, this service's address."""
PICTURES: Mapping[str, str] = {".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}
MARKDOWN = "text/markdown; charset=utf-8"


@require_safe
def index_page(request: HttpRequest) -> HttpResponseBase:
    """``GET /docs/``: every page, by reader."""
    return _kept_by_nobody(request, render(request, "guides/index.html", _frame()))


@require_safe
def guide_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """``GET /docs/<page>``, with the reader's own test key where there is one. Raises: Http404."""
    page = _page(slug)
    content, before_after = drawn(page), beside(page)
    key = own_test_key(request) if PLACEHOLDER_KEY in content.html else ""
    html = content.html.replace(PLACEHOLDER_KEY, escape(key or PLACEHOLDER_KEY))
    if page.group == groups()[0].title:
        html = html.replace(PLACEHOLDER_URL, escape(settings.BASE_URL))
    context = _frame(page) | {
        **{"content": html, "headings": content.headings, "own_key": bool(key)},
        **{"earlier": before_after[0], "next": before_after[1]},
    }
    answer = render(request, "guides/page.html", context)
    if key:
        answer.headers["Cache-Control"] = "private, no-store"
        return answer
    return _kept_by_nobody(request, answer)


@require_safe
def guide_text(request: HttpRequest, slug: str) -> HttpResponseBase:
    """``GET /docs/<page>.md``: the page as Markdown. Raises: Http404."""
    return _public(request, twin(_page(slug)), MARKDOWN)


@require_safe
def every_guide(request: HttpRequest) -> HttpResponseBase:
    """``GET /llms-full.txt``: all that merchants read, in one text, for a model."""
    merchants = groups()[0]
    opening = f"# Causeway: all guides for merchants\n\n{merchants.about}\n\nOne by one: {settings.BASE_URL}/docs/\n"
    parts = (f"\n\n---\n\nSource: {settings.BASE_URL}{page.url}\n\n{twin(page).strip()}\n" for page in merchants.pages)
    return _public(request, opening + "".join(parts), "text/plain; charset=utf-8")


@require_safe
def search_page(request: HttpRequest) -> HttpResponseBase:
    """``GET /docs/search?q=``: the places where all words of a question stand."""
    question = " ".join(request.GET.get("q", "").split())[:MOST_LETTERS]
    context = _frame() | {"question": question, "found": search(question), "most": MOST_FOUND}
    return _kept_by_nobody(request, render(request, "guides/search.html", context))


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """``GET /docs/images/<name>``. Raises: Http404."""
    path = folder() / "images" / name
    kind = PICTURES.get(path.suffix)
    if kind is None or not path.is_file():
        raise Http404
    return HttpResponse(path.read_bytes(), content_type=kind, headers={"Cache-Control": "public, max-age=300"})


@require_safe
def verify_file(request: HttpRequest) -> HttpResponseBase:
    """``GET /docs/verify.html``: the page that checks records without a server, to be saved and opened from there."""
    answer = _public(request, (folder() / "verify.html").read_text(encoding="utf-8"), "text/html; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="verify.html"'
    return answer


@require_safe
def site_map(request: HttpRequest) -> HttpResponseBase:
    """``GET /docs/sitemap.xml``: the address of every page, for programs that read all of them."""
    urls = ["/docs/", *(page.url for page in pages().values())]
    rows = "".join(f"<url><loc>{escape(settings.BASE_URL + url)}</loc></url>" for url in urls)
    text = f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}'
    return _public(request, f"{text}</urlset>\n", "application/xml")


def _page(slug: str) -> Page:
    if slug not in pages():
        raise Http404
    return pages()[slug]


def _frame(page: Page | None = None) -> dict[str, object]:
    """What stands around every page. The menu has the pages of one reader."""
    here = next((group for group in groups() if page and group.title == page.group), groups()[0])
    return {"page": page, "groups": groups(), "here": here, "base_url": settings.BASE_URL}


def _kept_by_nobody(request: HttpRequest, answer: HttpResponse) -> HttpResponseBase:
    """A page that may be kept, and is asked for again each time; 304 for who has it. Signing in changes it."""
    patch_vary_headers(answer, ["Cookie"])
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["ETag"] = quote_etag(lookup_digest(answer.content.decode())[:32])
    return get_conditional_response(request, etag=answer.headers["ETag"], response=answer) or answer


def _public(request: HttpRequest, text: str, content_type: str) -> HttpResponseBase:
    """A text that any site may read and keep for five minutes, or 304 for a caller who has it."""
    etag = quote_etag(lookup_digest(text)[:32])
    answer = HttpResponse(text, content_type=content_type)
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "public, max-age=300"
    unchanged = get_conditional_response(request, etag=etag, response=answer) or answer
    unchanged.headers["Access-Control-Allow-Origin"] = "*"
    return unchanged
