"""``/routes/``: what became of routes, for anybody; without a key, and without anybody's payment."""

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from chains.registry import chain
from core.modes import Mode
from payments.routing.base import LegKind
from payments.routing.registry import provider_named
from payments.scoreboard.board import Score, board

KEPT_SECONDS = 300


@require_safe
@cache_control(public=True, max_age=KEPT_SECONDS)
def scoreboard_page(request: HttpRequest, mode: str) -> HttpResponse:
    """``GET /routes/`` for live payments, ``GET /routes/test/`` for simulated ones."""
    shown = board(Mode(mode))
    lines = [_named(Mode(mode), score) for score in shown.routes]
    return render(request, "payments/scoreboard.html", {"board": shown, "lines": lines, "is_test": mode == Mode.TEST})


@require_safe
@cache_control(public=True, max_age=KEPT_SECONDS)
def scoreboard_data(request: HttpRequest, mode: str) -> HttpResponseBase:
    """``GET /routes/data.json``, ``GET /routes/test/data.json``: the same, for programs. Decimals are strings."""
    answer = JsonResponse(asdict(board(Mode(mode))))
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


def _named(mode: Mode, score: Score) -> dict[str, Any]:
    """A line with its words for people."""
    route = score.route
    provider = provider_named(mode, route["chain"], route["provider"])
    title = (provider.title if provider else "") or route["provider"].capitalize()
    return {
        "score": score,
        "name": title if route["kind"] == LegKind.TRANSFER else f"{title}, {route['kind']}",
        "from": f"{route['token']} on {_title(route['chain'])}",
        "to": f"{route['to_token']} on {_title(route['to_chain'])}",
    }


def _title(name: str) -> str:
    known = chain(name)
    return name if known is None else known.display_name
