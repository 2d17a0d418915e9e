"""What is agreed about a key: its name, what it may do, from where, and until when. Checked for whoever asks."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import now
from core.errors import InvalidRequest, field_problem
from merchants.addresses import network_text
from merchants.models import KeyKind
from merchants.scopes import KeyScope

NAME_LENGTH = 80
MOST_ADDRESSES = 50
LONGEST_LIFE = timedelta(days=3650)
Problem = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class KeyTerms:
    """``scopes`` are for restricted keys alone; publishable keys have a name and nothing else."""

    name: str = ""
    scopes: tuple[str, ...] = ()
    expires_at: datetime | None = None
    allowed_addresses: tuple[str, ...] = ()


def checked_terms(kind: KeyKind, terms: KeyTerms) -> KeyTerms:
    """The same in the form in which it is stored.

    Raises: InvalidRequest with each problem under ``details.fields``.
    """
    networks, refused = _networks(terms.allowed_addresses)
    problems = [*_name_problems(kind, terms.name.strip()), *_scope_problems(kind, terms.scopes)]
    problems += [*_end_problems(kind, terms.expires_at), *refused]
    if networks and kind == KeyKind.PUBLISHABLE:
        problems.append(field_problem("allowed_addresses", "unknown_value", "Publishable keys are for every browser."))
    if problems:
        raise InvalidRequest(details={"fields": problems})
    return KeyTerms(
        name=terms.name.strip(),
        scopes=tuple(scope for scope in KeyScope if scope in terms.scopes),
        expires_at=terms.expires_at,
        allowed_addresses=networks,
    )


def _name_problems(kind: KeyKind, name: str) -> Iterator[Problem]:
    if not name and kind == KeyKind.RESTRICTED:
        yield field_problem("name", "required", "Give it a name that says where it is used.")
    elif len(name) > NAME_LENGTH or not name.isprintable():
        yield field_problem("name", "format", f"At most {NAME_LENGTH} printable characters.")


def _scope_problems(kind: KeyKind, scopes: tuple[str, ...]) -> Iterator[Problem]:
    if kind == KeyKind.RESTRICTED and not scopes:
        yield field_problem("scopes", "required", "Choose at least one thing that it may do.")
    elif kind != KeyKind.RESTRICTED and scopes:
        yield field_problem("scopes", "unknown_value", "Only restricted keys have permissions of their own.")
    elif not set(scopes) <= set(KeyScope):
        yield field_problem("scopes", "unknown_value", "There is no such permission.")


def _end_problems(kind: KeyKind, expires_at: datetime | None) -> Iterator[Problem]:
    if expires_at is None:
        return
    if kind == KeyKind.PUBLISHABLE:
        yield field_problem("expires_at", "unknown_value", "Publishable keys end when the pair is rolled.")
    elif not now() < expires_at <= now() + LONGEST_LIFE:
        yield field_problem("expires_at", "out_of_range", "It must be later than now, and within ten years.")


def _networks(texts: tuple[str, ...]) -> tuple[tuple[str, ...], list[Problem]]:
    """The networks in their usual form, once each; and what is none."""
    if len(texts) > MOST_ADDRESSES:
        return (), [field_problem("allowed_addresses", "too_long", f"At most {MOST_ADDRESSES} addresses.")]
    found: dict[str, None] = {}
    problems = []
    for text in texts:
        try:
            found[network_text(text)] = None
        except ValueError as error:
            problems.append(field_problem("allowed_addresses", "format", str(error)))
    return tuple(found), problems
