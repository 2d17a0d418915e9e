"""Making a restricted key, and changing what is agreed about a key."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from core.errors import Conflict, InvalidRequest
from dashboard.account.keys import key_line
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey, KeyKind
from merchants.reach import reaches, scopes_within_reach
from merchants.scopes import KEY_SCOPE_TEXTS, KeyScope
from merchants.services import change_key, create_restricted_key, working_keys
from merchants.services.keys import newest_key_id

OUT_OF_REACH = "Your role does not move live money, so your keys cannot either. Ask an owner or an admin for this one."
_LONGEST_TEXT = 8000


@dataclass
class KeyForm:
    """What was typed, and what is wrong with it by field."""

    kind: KeyKind
    name: str = ""
    scopes: tuple[str, ...] = ()
    expires_at: str = ""
    allowed_addresses: str = ""
    faults: dict[str, list[str]] = field(default_factory=dict)
    within_reach: tuple[KeyScope, ...] = tuple(KeyScope)

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        """The form as it stands for a key."""
        ends = key.expires_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") if key.expires_at else ""
        addresses = "\n".join(key.allowed_addresses)
        kind = KeyKind(key.kind)
        return cls(kind=kind, name=key.name, scopes=tuple(key.scopes), expires_at=ends, allowed_addresses=addresses)

    @classmethod
    def sent(cls, kind: KeyKind, form: QueryDict) -> Self:
        """The form as somebody sent it. Fields that the kind of key does not have are not read."""
        if kind == KeyKind.PUBLISHABLE:
            return cls(kind=kind, name=form.get("name", ""))
        scopes = tuple(form.getlist("scopes")) if kind == KeyKind.RESTRICTED else ()
        addresses, ends = form.get("allowed_addresses", "")[:_LONGEST_TEXT], form.get("expires_at", "").strip()
        return cls(kind=kind, name=form.get("name", ""), scopes=scopes, expires_at=ends, allowed_addresses=addresses)

    def try_to(self, visit: Visit, act: Callable[[KeyTerms], ApiKey]) -> ApiKey | None:
        """Have something done with the terms; None where they cannot be, and the faults then say why.

        Raises: Conflict, from what is done.
        """
        if not reaches(visit.role, visit.mode, self.kind, set(self.scopes) & set(KeyScope)):
            self.faults["scopes"] = [OUT_OF_REACH]
            return None
        try:
            return act(self._terms())
        except InvalidRequest as error:
            for problem in error.details["fields"]:
                self.faults.setdefault(problem["field"], []).append(problem["message"])
        except ValueError:
            self.faults["expires_at"] = ["That is no time. Write it like 2026-05-04T12:00."]
        return None

    def choices(self) -> list[tuple[str, str, bool, bool]]:
        """Every scope with its sentence, whether it is chosen, and whether the visitor may choose it."""
        return [
            (str(scope), words, scope in self.scopes, scope in self.within_reach)
            for scope, words in KEY_SCOPE_TEXTS.items()
        ]

    def _terms(self) -> KeyTerms:
        """Raises: ValueError for an end that is no time."""
        ends = datetime.fromisoformat(self.expires_at) if self.expires_at else None
        return KeyTerms(
            name=self.name,
            scopes=self.scopes,
            expires_at=ends if ends is None or ends.tzinfo else ends.replace(tzinfo=UTC),
            allowed_addresses=tuple(line.strip() for line in self.allowed_addresses.splitlines() if line.strip()),
        )


def require_reach(visit: Visit, key: ApiKey) -> None:
    """Refuse to touch a key that does more than its visitor may. Raises: PermissionDenied."""
    if not reaches(visit.role, visit.mode, KeyKind(key.kind), key.scopes):
        raise PermissionDenied


def number_of(text: str) -> int:
    """The id that a form named; -1, which nothing has, for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(2**63)) else -1


def new_key(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask what a restricted key may do, then show it in this answer only."""
    form = KeyForm.sent(KeyKind.RESTRICTED, request.POST) if request.method == "POST" else KeyForm(KeyKind.RESTRICTED)
    form.within_reach = scopes_within_reach(visit.role, visit.mode)
    shown = number_of(request.POST.get("shown_key_id", ""))
    revealed: list[str] = []

    def create(terms: KeyTerms) -> ApiKey:
        made = create_restricted_key(visit.principal, terms, shown_key_id=shown)
        revealed.append(made.secret)
        return made.key

    try:
        key = form.try_to(visit, create) if request.method == "POST" else None
    except Conflict as refusal:
        messages.warning(request, refusal.message)
        return redirect(visit.url("keys"))
    if key is not None:
        return show_new_key(request, visit, key, revealed[0])
    context = {"form": form, "shown_key_id": newest_key_id(visit.principal)}
    return draw(request, visit, "dashboard/keys/new.html", context, status=400 if form.faults else 200)


def show_new_key(
    request: HttpRequest, visit: Visit, key: ApiKey, secret: str, hours: int | None = None
) -> HttpResponse:
    """A key in clear. Why no redirect: it exists in clear only here, and a session would keep a copy of it."""
    context = {"key": key_line(key, visit), "secret": secret, "hours": hours, "base_url": settings.BASE_URL}
    return draw(request, visit, "dashboard/keys/made.html", context)


def edit_key(request: HttpRequest, visit: Visit, key_id: int) -> HttpResponse:
    """Change what is agreed about a key that is in use."""
    key = working_keys(visit.principal).filter(pk=key_id, replaced_at=None).first()
    if key is None:
        raise Http404
    require_reach(visit, key)
    kind = KeyKind(key.kind)
    form = KeyForm.sent(kind, request.POST) if request.method == "POST" else KeyForm.of(key)
    form.within_reach = scopes_within_reach(visit.role, visit.mode)
    if request.method == "POST":
        try:
            changed = form.try_to(visit, lambda terms: change_key(visit.principal, key, terms))
        except Conflict as refusal:
            messages.warning(request, refusal.message)
            return redirect(visit.url("keys"))
        if changed is not None:
            messages.success(request, "Saved. It holds from the next request on.")
            return redirect(visit.url("key", key_id=key.pk))
    context = {"form": form, "key": key_line(key, visit)}
    return draw(request, visit, "dashboard/keys/edit.html", context, status=400 if form.faults else 200)
