"""The one search box: every app is asked, one hit leads straight to its page, several are listed by kind."""

from collections.abc import Iterable, Sequence
from itertools import islice

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.site import SEARCHES, Hit, Page, Panel, Visit, draw, register_panel

LONGEST = 512
MOST_PER_SEARCH = 50
"""Hits taken of one app. Why a bound at all: a search of its own should have one, and this page must not trust it."""


def show_search(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What one text finds: its page, a list, or what could be searched."""
    text = read_text(request.GET.get("q", ""))
    hits = find(visit, text) if text else []
    if len(hits) == 1:
        return HttpResponseRedirect(hits[0].url)
    context = {"text": text, "groups": by_kind(hits), "count": len(hits)}
    return draw(request, visit, "dashboard/search.html", context)


def read_text(typed: str) -> str:
    """The text to look for: without what stands around it, without NUL, cut."""
    return typed.replace("\x00", "").strip()[:LONGEST].strip()


def find(visit: Visit, text: str) -> list[Hit]:
    """Every hit, each page once."""
    found = (hit for search in SEARCHES for hit in islice(search(visit, text), MOST_PER_SEARCH))
    return list({hit.url: hit for hit in found}.values())


def by_kind(hits: Iterable[Hit]) -> Sequence[tuple[str, list[Hit]]]:
    """The hits under the name of their kind, in the order in which they were found."""
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.kind, []).append(hit)
    return list(groups.items())


register_panel(Panel(position=90, pages=(Page(path="search/", name="search", view=show_search),)))
