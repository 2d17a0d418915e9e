"""The one search box: every subject is asked, one hit leads straight to its page, several are listed by kind."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.account.requests import find_requests
from dashboard.cards import SearchResult
from dashboard.page import draw
from dashboard.payments.search import find_payments
from dashboard.payouts.finding import find_payouts
from dashboard.refunds.finding import find_refunds
from dashboard.visit import Visit
from dashboard.webhooks.finding import find_webhooks

LONGEST = 512
MOST_PER_SEARCH = 50
"""Results of one subject. Why a bound at all: a search should have one of its own, and this page must not trust it."""


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


def find(visit: Visit, text: str) -> list[SearchResult]:
    """Every hit, each page once."""
    found = (hit for search in SEARCHES for hit in islice(search(visit, text), MOST_PER_SEARCH))
    return list({hit.url: hit for hit in found}.values())


def by_kind(hits: Iterable[SearchResult]) -> Sequence[tuple[str, list[SearchResult]]]:
    """The hits under the name of their kind, in the order in which they were found."""
    groups: dict[str, list[SearchResult]] = {}
    for hit in hits:
        groups.setdefault(hit.kind, []).append(hit)
    return list(groups.items())


SEARCHES: tuple[Callable[[Visit, str], Iterable[SearchResult]], ...] = (
    find_requests,
    find_webhooks,
    find_payments,
    find_refunds,
    find_payouts,
)
"""Each gives the visitor's own rows that match a trimmed text exactly, a few at most."""
