"""What the consent page shows: for whom the agent would act, and what it would be allowed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from core.modes import Mode
from mcp.granting import may_grant
from mcp.models import AgentConnection, Application
from mcp.oauth.consent_request import CHOICE, Choice, sign_choice
from mcp.scopes import BASIC_SCOPES, SCOPE_TEXTS, Scope
from mcp.services.connections import Parties, active_connection, latest_connection
from merchants.accounts import may_go_live
from merchants.models import Membership, Merchant, User

GROUPS: Final = (
    ("read", "Read", (Scope.READ_INTENTS, Scope.READ_TOKENS, Scope.VERIFY_WEBHOOKS, Scope.READ_CUSTOMERS)),
    ("create", "Create", (Scope.WRITE_INTENTS,)),
    ("money", "Move money", (Scope.WRITE_REFUNDS, Scope.WRITE_PAYOUTS)),
)
NEVER: Final = (
    "see, make or change API keys",
    "change where your money settles, or send it to an address it names",
    "see or change webhook endpoints and their signing secrets",
    "change your team, its roles or these limits",
)


@dataclass(frozen=True, kw_only=True)
class ConsentContext:
    """For whom a person would lend, and the connection that is there already."""

    membership: Membership
    mode: Mode
    connection: AgentConnection | None
    lacks_second_factor: bool

    @property
    def merchant(self) -> Merchant:
        """Whose money it is."""
        return self.membership.merchant


@dataclass(frozen=True, kw_only=True)
class Box:
    """One scope on the page."""

    scope: str
    text: str
    is_ticked: bool
    is_fixed: bool
    is_new: bool
    is_asked: bool


@dataclass(frozen=True, kw_only=True)
class Link:
    """One way to choose otherwise."""

    label: str
    note: str
    url: str
    is_here: bool


def memberships_of(user: User) -> list[Membership]:
    """Every team of a person, in the order that the dashboard lists them."""
    return list(Membership.objects.filter(user=user).select_related("merchant").order_by("merchant__name", "pk"))


def consent_context_for(
    user: User, application: Application, choice: Choice | None, usual: object = None
) -> ConsentContext | None:
    """Where a page starts: as chosen, else where this client is connected already, else test mode of the ``usual``
    merchant. Live mode falls back to test where a second factor is missing. None for people without a merchant, or
    not of the chosen one.
    """
    teams = {team.merchant_id: team for team in memberships_of(user)}
    if choice is None:
        choice = _start(user, application, list(teams), usual)
    team = teams.get(choice.merchant_id) if choice is not None else None
    if choice is None or team is None:
        return None
    lacks = choice.mode == Mode.LIVE and not may_go_live(user)
    mode = Mode.TEST if lacks else choice.mode
    parties = Parties(user=user, application=application, merchant=team.merchant, mode=mode)
    return ConsentContext(membership=team, mode=mode, connection=active_connection(parties), lacks_second_factor=lacks)


def _start(user: User, application: Application, merchants: list[int], usual: object) -> Choice | None:
    connected = latest_connection(user, application)
    if connected is not None:
        return Choice(merchant_id=connected.merchant_id, mode=Mode(connected.mode))
    first = next((one for one in merchants if one == usual), next(iter(merchants), None))
    return None if first is None else Choice(merchant_id=first, mode=Mode.TEST)


def offered_scopes(consent: ConsentContext) -> list[str]:
    """Every scope that gets a box: all that the person's role may lend."""
    may = may_grant(consent.membership.role)
    return [str(scope) for scope in Scope if scope in may]


def fixed_scopes(consent: ConsentContext, asked: Collection[str]) -> list[str]:
    """What cannot be unticked: the reading that the client asked for. Customers' data is never among it."""
    return [scope for scope in offered_scopes(consent) if scope in BASIC_SCOPES and scope in asked]


def boxes(consent: ConsentContext, asked: Collection[str], ticked: Collection[str] | None) -> list[dict[str, object]]:
    """The scopes in their groups. ``ticked`` None: the page is fresh, and shows what was asked for and is held."""
    held = set(consent.connection.scopes) if consent.connection is not None else set()
    shown = held | set(asked) if ticked is None else set(ticked)
    fixed = set(fixed_scopes(consent, asked))
    steps_up = consent.connection is not None
    offered = set(offered_scopes(consent))

    def box(scope: Scope) -> Box:
        return Box(
            scope=str(scope),
            text=SCOPE_TEXTS[scope],
            is_ticked=scope in shown or scope in fixed,
            is_fixed=scope in fixed,
            is_new=steps_up and scope in asked and scope not in held,
            is_asked=scope in asked,
        )

    groups = [(key, title, [box(scope) for scope in scopes if scope in offered]) for key, title, scopes in GROUPS]
    return [
        {"key": key, "title": title, "boxes": lines, "has_fixed": any(line.is_fixed for line in lines)}
        for key, title, lines in groups
        if lines
    ]


def refused_to_role(consent: ConsentContext, asked: Iterable[str]) -> list[str]:
    """What the client asked for that this person's role may not lend, in words."""
    offered = set(offered_scopes(consent))
    return [SCOPE_TEXTS[Scope(scope)] for scope in asked if scope not in offered]


def choices(consent: ConsentContext, user: User, place: str, query: str) -> dict[str, list[Link]]:
    """The other merchants and the other mode, each a link that only this person can follow for this request."""

    def link(label: str, note: str, choice: Choice, *, is_here: bool) -> Link:
        return Link(
            label=label, note=note, url=f"{place}?{query}&{CHOICE}={sign_choice(choice, query, user)}", is_here=is_here
        )

    merchants = [
        link(
            team.merchant.name,
            team.get_role_display(),
            Choice(merchant_id=team.merchant_id, mode=Mode.TEST),
            is_here=team.merchant_id == consent.merchant.pk,
        )
        for team in memberships_of(user)
    ]
    modes = [
        link(mode.label, "", Choice(merchant_id=consent.merchant.pk, mode=mode), is_here=mode == consent.mode)
        for mode in Mode
    ]
    return {"merchants": merchants, "modes": modes}
