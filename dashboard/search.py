"""The one search box: every subject is asked, one result leads straight to its page, several are listed by kind."""

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
    results = find(visit, text) if text else []
    if len(results) == 1:
        return HttpResponseRedirect(results[0].url)
    context = {"text": text, "groups": by_kind(results), "count": len(results)}
    return draw(request, visit, "dashboard/search.html", context)


def read_text(typed: str) -> str:
    """The text to look for: without what stands around it, without NUL, cut."""
    return typed.replace("\x00", "").strip()[:LONGEST].strip()


def find(visit: Visit, text: str) -> list[SearchResult]:
    """Every result, each page once."""
    found = (result for search in SEARCHES for result in islice(search(visit, text), MOST_PER_SEARCH))
    return list({result.url: result for result in found}.values())


def by_kind(results: Iterable[SearchResult]) -> Sequence[tuple[str, list[SearchResult]]]:
    """The results under the name of their kind, in the order in which they were found."""
    groups: dict[str, list[SearchResult]] = {}
    for result in results:
        groups.setdefault(result.kind, []).append(result)
    return list(groups.items())


SEARCHES: tuple[Callable[[Visit, str], Iterable[SearchResult]], ...] = (
    find_requests,
    find_webhooks,
    find_payments,
    find_refunds,
    find_payouts,
)
"""Each gives the visitor's own rows that match a trimmed text exactly, a few at most."""
