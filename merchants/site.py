"""The merchants' site at ``/dashboard/``: who looks, at which merchant, in which mode.

Draws nothing of its own but home. Apps add panels with ``register_panel`` from their ``dashboard.py``; every page
is given the ``Visit`` it belongs to.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from core.modes import Mode
from merchants.models import Membership, Merchant, Role, User
from merchants.principal import Principal

CHOSEN_MERCHANT = "dashboard_merchant"
FROM_ADMIN = frozenset({"index", "login", "logout", None})
"""The addresses of Django's admin that this site keeps; None is its answer to unknown paths."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A member looking at one merchant's dashboard in one mode."""

    person: User
    merchant: Merchant
    role: Role
    principal: Principal

    @property
    def mode(self) -> Mode:
        """The world that is looked at."""
        return self.principal.mode


@dataclass(frozen=True, kw_only=True)
class Page:
    """An address below the mode. With a ``menu`` label it stands in the menu."""

    path: str
    name: str
    view: Callable[..., HttpResponseBase]
    menu: str = ""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A card on the home page, and the pages that belong to it. Lower positions come first."""

    position: int
    template: str
    context: Callable[[Visit], Mapping[str, object]]
    pages: tuple[Page, ...] = ()


_panels: list[Panel] = []


def register_panel(panel: Panel) -> None:
    """Add a panel to every dashboard. Called while Django starts, from an app's ``dashboard.py``."""
    _panels.append(panel)
    _panels.sort(key=lambda known: known.position)


class DashboardSite(AdminSite):
    """One mode's dashboard.

    Why one site per mode: the mode is in each address, so two tabs never disturb each other.
    """

    def __init__(self, mode: Mode) -> None:
        super().__init__(name=f"dashboard_{mode}")
        self.mode = mode

    def has_permission(self, request: HttpRequest) -> bool:
        """Members of a merchant's team, staff or not."""
        return _membership(request) is not None

    def login(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:
        """Send strangers to the one sign-in. Raises: PermissionDenied for people without a merchant."""
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect(f"{reverse('account_login')}?{request.META['QUERY_STRING']}")

    def logout(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:  # type: ignore[override]  # the stubs name Django's own template response
        """Send people to the one sign-out."""
        return redirect("account_logout")

    def index(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> TemplateResponse:
        """The home page: every panel."""
        visit = self.visit(request)
        panels = [{"template": panel.template, **panel.context(visit)} for panel in _panels]
        return TemplateResponse(request, "dashboard/home.html", {**self.frame(request, visit), "panels": panels})

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """The home page, the registered pages, and the few addresses of Django's admin that are kept."""
        own = [path(page.path, self._guarded(page.view), name=page.name) for page in self._pages()]
        kept = [entry for entry in super().get_urls() if getattr(entry, "name", None) in FROM_ADMIN]
        return [path("merchant/", self._guarded(choose_merchant), name="choose_merchant"), *own, *kept]

    def visit(self, request: HttpRequest) -> Visit:
        """Who looks at what. Raises: PermissionDenied where nobody may."""
        membership = _membership(request)
        if membership is None:
            raise PermissionDenied
        person, merchant = membership.user, membership.merchant
        principal = Principal(merchant_id=merchant.pk, mode=self.mode, actor=f"user:{person.pk}")
        return Visit(person=person, merchant=merchant, role=Role(membership.role), principal=principal)

    def frame(self, request: HttpRequest, visit: Visit) -> dict[str, object]:
        """What the frame around every page shows."""
        home = self.url("index")
        entries = [("Home", home), *((page.menu, self.url(page.name)) for page in self._pages() if page.menu)]
        return {
            "visit": visit,
            "mode": visit.mode,
            "menu": [(label, url, _is_here(request, url, home)) for label, url in entries],
            "modes": [(site.mode, site.url(_same_page(request))) for site in SITES],
            "merchants": Merchant.objects.filter(memberships__user=visit.person).order_by("name", "pk"),
        }

    def url(self, name: str, **place: object) -> str:
        """The address of a page in this site's mode."""
        return reverse(f"admin:{name}", current_app=self.name, kwargs=place or None)

    def _pages(self) -> list[Page]:
        return [page for panel in _panels for page in panel.pages]

    def _guarded(self, view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def with_visit(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            return view(request, self.visit(request), **arguments)

        guarded: Callable[..., HttpResponseBase] = self.admin_view(with_visit)
        return guarded


SITES = tuple(DashboardSite(mode) for mode in Mode)


def site_of(visit: Visit) -> DashboardSite:
    """The site that a visit belongs to."""
    return next(site for site in SITES if site.mode == visit.mode)


def draw(
    request: HttpRequest, visit: Visit, template: str, context: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """A page inside the dashboard's frame."""
    return render(request, template, {**site_of(visit).frame(request, visit), **context}, status=status)


def choose_merchant(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Look at another merchant whose team the person belongs to; anything else changes nothing."""
    wanted = request.POST.get("merchant", "")
    if wanted.isascii() and wanted.isdecimal():
        request.session[CHOSEN_MERCHANT] = int(wanted)
    return HttpResponseRedirect(site_of(visit).url("index"))


def _membership(request: HttpRequest) -> Membership | None:
    if not request.user.is_authenticated or not request.user.is_active:
        return None
    chosen = request.session.get(CHOSEN_MERCHANT)
    mine = Membership.objects.filter(user=request.user).select_related("merchant", "user").order_by("pk")
    known = list(mine)
    return next((membership for membership in known if membership.merchant_id == chosen), next(iter(known), None))


def _same_page(request: HttpRequest) -> str:
    """The page to keep when the mode is switched; home for pages of one row, which the other mode does not have."""
    match = request.resolver_match
    return match.url_name if match and match.url_name and not match.kwargs else "index"


def _is_here(request: HttpRequest, url: str, home: str) -> bool:
    return request.path == url or (url != home and request.path.startswith(url))
