"""The merchants' site at ``/dashboard/``: who looks, at which merchant, in which mode.

Every page of ``dashboard.urls`` is given the ``Visit`` it belongs to, and is reached only by those whom
``dashboard.guards`` lets through.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from core.modes import Mode
from core.standby import may_be_behind, sees_own_writes
from dashboard.guards import guarded, lacks_second_factor
from dashboard.home import CARDS, tasks_of
from dashboard.page import Section, draw
from dashboard.urls import PAGES
from dashboard.visit import Visit, site_name, url_in
from merchants.accounts import CHOSEN_MERCHANT
from merchants.models import Membership, Role
from merchants.principal import Principal

LOCKED = "dashboard/locked.html"
"""What live mode shows to people without a second factor."""
FROM_ADMIN = frozenset({"index", "login", "logout", None})
"""The addresses of Django's admin that this site keeps; None is its answer to unknown paths."""


class DashboardSite(AdminSite):
    """One mode's dashboard.

    Why one site per mode: the mode is in each address, so two tabs never disturb each other.
    """

    def __init__(self, mode: Mode) -> None:
        super().__init__(name=site_name(mode))
        self.mode = mode

    def has_permission(self, request: HttpRequest) -> bool:
        """Members of a merchant's team, staff or not."""
        return _membership(request) is not None

    def login(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:
        """Send strangers to the one sign-in, operators without a merchant to their own pages.

        Raises: PermissionDenied for others without a merchant.
        """
        if request.user.is_authenticated and request.user.is_staff:
            return redirect(reverse("admin:index", current_app="admin"))
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect(f"{reverse('account_login')}?{request.META['QUERY_STRING']}")

    def logout(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> HttpResponse:  # type: ignore[override]  # the stubs name Django's own template response
        """Send people to the one sign-out."""
        return redirect("account_logout")

    def index(self, request: HttpRequest, extra_context: Mapping[str, object] | None = None) -> TemplateResponse:
        """The home page."""
        visit = self.visit(request)
        if lacks_second_factor(visit):
            return TemplateResponse(request, LOCKED, {"visit": visit}, status=403)
        return show_home(request, visit)

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """The home page, every other page, and the few addresses of Django's admin that are kept."""
        own = [path(page.path, self._visited(guarded(page)), name=page.name) for page in PAGES]
        kept = [entry for entry in super().get_urls() if getattr(entry, "name", None) in FROM_ADMIN]
        chosen = path("merchant/", self._visited(choose_merchant, opens_locked=True), name="choose_merchant")
        return [chosen, *own, *kept]

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:  # noqa: FBT001, FBT002 - the framework's signature
        """Every page; who changes something sees it."""
        return sees_own_writes(super().admin_view(view, cacheable))

    def visit(self, request: HttpRequest) -> Visit:
        """Who looks at what. Raises: PermissionDenied where nobody may."""
        membership = _membership(request)
        if membership is None:
            raise PermissionDenied
        person, merchant = membership.user, membership.merchant
        principal = Principal(merchant_id=merchant.pk, mode=self.mode, actor=f"user:{person.pk}")
        role, asked = Role(membership.role), request.GET.dict()
        visit = Visit(person=person, merchant=merchant, role=role, principal=principal, asked=asked)
        request.visit = visit  # type: ignore[attr-defined]  # kept for the frame
        return visit

    def _visited(self, view: Callable[..., HttpResponseBase], *, opens_locked: bool = False) -> Any:
        @wraps(view)
        def with_visit(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            visit = self.visit(request)
            if lacks_second_factor(visit) and not opens_locked:
                return draw(request, visit, LOCKED, {}, status=403)
            return view(request, visit, **arguments)

        return self.admin_view(with_visit)


SITES = tuple(DashboardSite(mode) for mode in Mode)


def frame(request: HttpRequest) -> dict[str, object]:
    """What the frame around every page of the dashboard shows; nothing on other pages. A context processor."""
    visit: Visit | None = getattr(request, "visit", None)
    if visit is None:
        return {}
    merchants = sorted((team.merchant for team in _memberships(request)), key=lambda one: (one.name, one.pk))
    match = request.resolver_match
    # The page is kept when the mode is switched; home for a page of one row, which the other mode does not have.
    page = match.url_name if match and match.url_name and not match.kwargs else "index"
    return {
        "mode": visit.mode,
        "menu": list(_menu(request, visit)),
        "modes": [(mode, url_in(mode, page)) for mode in Mode],
        "merchants": merchants,
    }


def _menu(request: HttpRequest, visit: Visit) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """The sections with their entries: label, address, whether one is there. Without what the role may not see."""
    home = visit.url("index")
    mine = [(page.menu, page.name) for page in PAGES if page.menu and (page.act is None or visit.may(page.act))]
    for section in Section:
        here = sorted((menu.rank, menu.label, visit.url(name)) for menu, name in mine if menu.section is section)
        entries = [(label, url, request.path.startswith(url)) for _, label, url in here]
        if section is Section.MONEY:
            entries.insert(0, ("Home", home, request.path == home))
        if entries:
            yield section.value, entries


@may_be_behind
def show_home(request: HttpRequest, visit: Visit) -> TemplateResponse:
    """Figures, what waits for a person, the first steps."""
    context = {"visit": visit, "panels": [card.drawn(visit) for card in CARDS], "tasks": tasks_of(visit)}
    return TemplateResponse(request, "dashboard/home.html", context)


def choose_merchant(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Look at another merchant whose team the person belongs to; anything else changes nothing."""
    wanted = request.POST.get("merchant", "")
    if wanted.isascii() and wanted.isdecimal():
        request.session[CHOSEN_MERCHANT] = int(wanted)
    return HttpResponseRedirect(visit.url("index"))


def _memberships(request: HttpRequest) -> list[Membership]:
    """The teams the person belongs to, oldest first; read once per request."""
    if not request.user.is_authenticated or not request.user.is_active:
        return []
    known: list[Membership] | None = getattr(request, "memberships", None)
    if known is None:
        mine = Membership.objects.filter(user=request.user).select_related("merchant", "user").order_by("pk")
        known = list(mine)
        request.memberships = known  # type: ignore[attr-defined]  # kept for the rest of this request
    return known


def _membership(request: HttpRequest) -> Membership | None:
    known, chosen = _memberships(request), request.session.get(CHOSEN_MERCHANT)
    return next((membership for membership in known if membership.merchant_id == chosen), next(iter(known), None))
