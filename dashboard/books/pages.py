"""Balances, what was booked of one asset, one entry, statements, and all of it as a file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from core.clock import wire_time
from core.csv_export import csv_answer
from core.money import from_base_units, to_decimal_string
from dashboard.books.words import AssetName, account_lines, asset_name, posting_lines, way_back
from dashboard.page import draw, json_file
from dashboard.visit import Visit
from ledger.models import Opening, Posting, Statement
from ledger.selectors import balance_of, balances, booked_between, entry_of
from ledger.statements import Asset, begins, ends, file_of
from merchants.acts import Act

PAGE: Final = 50
STATEMENTS: Final = 31
CHUNK: Final = 1000
MOST_DIGITS: Final = 18
"""Of a posting's key: what any database takes for a number."""
HEAD: Final = (
    *("entry", "booked_at", "chain", "token", "token_address", "account", "debit", "credit", "debit_usd", "credit_usd"),
    *("debit_base_units", "credit_base_units", "kind", "source", "source_id", "payment_intent_id", "mode"),
)


@dataclass
class Asked:
    """Which asset and which days, as the address says. Days are whole ones in UTC, the last one included."""

    asked: dict[str, str]
    faults: list[str] = field(default_factory=list)

    @property
    def place(self) -> Q:
        """The asset, where one is named."""
        named = {
            name: self.asked[word]
            for word, name in (("chain", "chain"), ("token", "token_address"))
            if word in self.asked
        }
        return Q(**named)

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        words = ("chain", "token", "from", "to")
        return urlencode({word: self.asked[word] for word in words if self.asked.get(word)})

    def since(self) -> datetime | None:
        """When the first day begins."""
        day = self._day("from", "first")
        return None if day is None else begins(day)

    def until(self) -> datetime | None:
        """When the last day is over."""
        day = self._day("to", "last")
        return None if day is None else ends(day)

    def _day(self, word: str, which: str) -> date | None:
        text = self.asked.get(word, "")
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            self.faults.append(f"The {which} day is no day. Write it like 2026-05-04.")
            return None


def _asked(request: HttpRequest) -> Asked:
    """Why without NUL: PostgreSQL takes none."""
    return Asked({word: text.replace("\x00", "") for word, text in request.GET.dict().items()})


def show_balances(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What is on each account of each asset."""
    return _balances(request, visit, [])


def _balances(request: HttpRequest, visit: Visit, faults: list[str]) -> HttpResponse:
    books = []
    for balance in balances(visit.principal):
        name = asset_name(balance.asset)
        books.append({"name": name, "lines": list(account_lines(name, balance.amounts)), "query": _query(name)})
    is_complete = Opening.objects.filter(finished_at__isnull=False).exists()
    context = {"books": books, "faults": faults, "is_complete": is_complete, "may_export": visit.may(Act.EXPORT)}
    return draw(request, visit, "dashboard/books/balances.html", context, status=400 if faults else 200)


def show_asset(request: HttpRequest, visit: Visit) -> HttpResponse:
    """One asset: its accounts, its statements, and what was booked, newest first."""
    wanted = _asked(request)
    if not wanted.asked.get("chain"):
        return redirect(visit.url("books"))
    place = (wanted.asked.get("chain", ""), wanted.asked.get("token", ""))
    asset = Asset(visit.principal.merchant_id, str(visit.mode), *place)
    name = asset_name(asset)
    rows = booked_between(visit.principal, wanted.place, wanted.since(), wanted.until())
    before = request.GET.get("before", "")
    page = list(_earlier(rows, before)[: PAGE + 1])
    older = urlencode({"before": page[PAGE - 1].pk}) if len(page) > PAGE else ""
    statements = Statement.objects.filter(**asset._asdict()).order_by("-day", "-pk")
    context = {
        "name": name,
        "accounts": list(account_lines(name, balance_of(visit.principal, asset.chain, asset.token_address).amounts)),
        "lines": [] if wanted.faults else list(posting_lines(name, page[:PAGE])),
        "statements": list(statements[:STATEMENTS]),
        "wanted": wanted,
        "older": f"?{wanted.query}&{older}" if older else "",
        "newest": f"?{wanted.query}" if before else "",
        "may_export": visit.may(Act.EXPORT),
    }
    return draw(request, visit, "dashboard/books/asset.html", context, status=400 if wanted.faults else 200)


def _earlier(rows: QuerySet[Posting], before: str) -> QuerySet[Posting]:
    """What was booked before one of these; all of it where none of them is named so."""
    last = rows.filter(pk=int(before)).first() if before.isdecimal() and len(before) <= MOST_DIGITS else None
    if last is None:
        return rows
    return rows.filter(Q(booked_at__lt=last.booked_at) | Q(booked_at=last.booked_at, pk__lt=last.pk))


def show_entry(request: HttpRequest, visit: Visit, posting_id: int) -> HttpResponse:
    """One entry: both sides of it, and the way back to its transaction."""
    rows = entry_of(visit.principal, posting_id)
    if not rows:
        raise Http404
    first = rows[0]
    name = asset_name(Asset(first.merchant_id, first.mode, first.chain, first.token_address))
    context = {
        "name": name,
        "first": first,
        "lines": list(posting_lines(name, rows)),
        "back": way_back(visit, first),
        "payment": visit.url("payment", intent_id=first.intent_id),
        "place": _query(name),
    }
    return draw(request, visit, "dashboard/books/entry.html", context)


def show_statement(request: HttpRequest, visit: Visit, statement_id: int) -> HttpResponse:
    """One statement as it was written and signed, to keep and to check."""
    found = Statement.objects.visible_to(visit.principal).filter(pk=statement_id).first()
    if found is None:
        raise Http404
    return json_file(f"statement-{found.day:%Y-%m-%d}-{found.pk}.json", file_of(found))


def export_books(request: HttpRequest, visit: Visit) -> HttpResponseBase:
    """Every posting that is asked for as a file, oldest first: debits and credits in columns of their own."""
    wanted = _asked(request)
    rows = booked_between(visit.principal, wanted.place, wanted.since(), wanted.until())
    if wanted.faults:
        return _balances(request, visit, wanted.faults)
    return csv_answer(f"books-{visit.mode}", HEAD, _cells(rows.order_by("booked_at", "pk")), whose=visit.person.pk)


def _cells(rows: QuerySet[Posting]) -> Iterator[tuple[object, ...]]:
    names: dict[Asset, AssetName] = {}
    for row in rows.iterator(chunk_size=CHUNK):
        asset = Asset(row.merchant_id, row.mode, row.chain, row.token_address)
        name = names.setdefault(asset, names.get(asset) or asset_name(asset))
        amount = "" if name.token is None else to_decimal_string(from_base_units(row.base_units, name.token.decimals))
        usd = to_decimal_string(row.amount_usd, 6)
        yield (
            row.entry,
            wire_time(row.booked_at),
            row.chain,
            "" if name.token is None else name.token.symbol,
            row.token_address,
            row.account,
            *_sides(amount),
            *_sides(usd),
            *_sides(str(row.base_units)),
            row.kind,
            row.source,
            row.source_id,
            row.intent_id,
            row.mode,
        )


def _sides(amount: str) -> tuple[str, str]:
    """As a debit, or as a credit without its sign. Why: a spreadsheet takes a sign for a formula."""
    return ("", amount[1:]) if amount.startswith("-") else (amount, "")


def _query(name: AssetName) -> str:
    return urlencode({"chain": name.asset.chain, "token": name.asset.token_address})
