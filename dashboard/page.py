"""One page of the dashboard: its address, who may open it, where it stands in the menu, and how it is drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from core.errors import ServiceError
from dashboard.visit import Visit
from merchants.acts import Act


class Section(Enum):
    """The parts of the menu, in their order."""

    MONEY = ""
    DEVELOPERS = "Developers"
    AGENTS = "Agents"
    BUSINESS = "Business"


class Menu(NamedTuple):
    """Where a page stands in the menu: its label, the section, and lower ranks first."""

    label: str
    section: Section = Section.MONEY
    rank: int = 50


@dataclass(frozen=True, kw_only=True)
class Page:
    """An address below the mode, in the menu where it says so.

    ``act``: what the visitor's role must allow; None is for every member. The site asks for it, and for a fresh proof
    of identity where the act wants one, before the view is called. ``fresh=False``: no proof here, because the page
    asked whose script it is. ``may_be_behind``: what it shows may be a second old, and is read from a standby where
    one is named; never of a page that decides or changes something, or that somebody is led to who just did.
    """

    path: str
    name: str
    view: Callable[..., HttpResponseBase]
    menu: Menu | None = None
    act: Act | None = None
    fresh: bool = True
    may_be_behind: bool = False


def carry_out(request: HttpRequest, write: Callable[[], object], done: str, *, back: str) -> HttpResponse:
    """Do what a page has asked about, say that it is done, and lead back. A refusal is said in its own sentence."""
    try:
        write()
        messages.success(request, done)
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return redirect(back)


def draw(
    request: HttpRequest, visit: Visit, template: str, context: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """A page inside the dashboard's frame, which ``dashboard.site.frame`` adds."""
    return render(request, template, {"visit": visit, **context}, status=status)


def json_file(name: str, content: bytes) -> HttpResponse:
    """An answer that a browser saves as a file of JSON. ``name`` is ours, never a caller's."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type="application/json", headers=headers)
