"""How the admin shows rows: nothing is added, changed or deleted, nothing whole is counted, others' texts are inert."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db import models
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.standby import may_be_behind

MOST_ROWS = 1000
"""How far a list can be leafed through; what is older is found by searching."""
MOST_LETTERS = 120
MOST_DIGITS = 18


class BoundedPaginator(Paginator[Any]):
    """Counts no further than lists are leafed through. Why: a count of everything reads the whole table."""

    @cached_property
    def count(self) -> int:
        """How many rows there are to leaf through."""
        rows: Any = self.object_list
        return len(rows.values_list("pk", flat=True)[:MOST_ROWS])


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """A table to look at, in one order. ``label`` and ``about`` name it, ``acts`` the page on which one is acted on.

    ``exact`` are the columns that the search box asks, ``exact_ids`` those with UUIDs, ``numbers`` those with numbers.
    """

    label = about = ""
    acts = ""
    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50
    list_max_show_all = 0
    actions = None
    sortable_by = ()
    exact: tuple[str, ...] = ()
    exact_ids: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @admin.display(description="id")
    def number(self, row: Any) -> object:
        """The row's id."""
        return row.pk

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, which may be a second old; that it may be seen is asked, and kept, before."""
        self.has_view_or_change_permission(request)
        return may_be_behind(super().changelist_view)(request, extra_context)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """One row, with the table's own name above it."""
        return super().change_view(request, object_id, form_url, {"label": self.label, "acts": self.acts})

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """What operators changed of one row here."""
        return super().history_view(request, object_id, {"label": self.label})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never here: commands and the service itself make rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never here, unless a table says more."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """What the page needs to know to draw a search box."""
        return (*self.exact, *self.exact_ids, *self.numbers)

    def get_search_results(
        self, request: HttpRequest, queryset: "models.QuerySet[Any]", search_term: str
    ) -> "tuple[models.QuerySet[Any], bool]":
        """Rows that the text names exactly. Why no parts of words: no index answers that."""
        text = search_term.strip()[:MOST_LETTERS]
        if not text:
            return queryset, False
        asked = models.Q(pk__in=[])
        for name in self.exact:
            asked |= models.Q(**{name: text})
        for name in self.exact_ids if _is_uuid(text) else ():
            asked |= models.Q(**{name: text})
        for name in self.numbers if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else ():
            asked |= models.Q(**{name: int(text)})
        return queryset.filter(asked), False


class ReadOnlyRows(admin.TabularInline[Any, Any]):
    """Rows below another one, to look at. Plain columns only."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


def inert(text: object) -> SafeString:
    """Somebody's text: escaped, isolated and cut."""
    cell = str(text)
    return format_html("<bdi>{}</bdi>", cell if len(cell) <= MOST_LETTERS else cell[: MOST_LETTERS - 1] + "…")


def code(text: object) -> SafeString:
    """An address, a hash or another word for machines."""
    return format_html("<code>{}</code>", str(text)[:200]) if text else format_html("{}", "–")


def pill(words: str, tone: str = "") -> SafeString:
    """A state."""
    return format_html('<span class="pill" data-tone="{}">{}</span>', tone, words)


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


class WordsFilter(admin.SimpleListFilter):
    """Narrows a list by one of the words that a column can hold. Why not what it holds: asking that reads it all."""

    words: Iterable[str] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Every word."""
        return [(word, word.replace("_", " ").capitalize()) for word in self.words]

    def queryset(self, request: HttpRequest, queryset: "models.QuerySet[Any]") -> "models.QuerySet[Any]":
        """The rows with the chosen word."""
        chosen = self.value()
        return queryset.filter(**{str(self.parameter_name): chosen}) if chosen in set(self.words) else queryset
