"""Which pages there are, in which group and order: what docs/README.md lists, and the decision records.

Nothing here changes while a process runs, so all of it is read once.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from django.conf import settings

INDEX = "README.md"
FOLDERS = ("guides", "operating", "contributing")
"""Folders that group files for readers of the repository and are no part of an address."""
RECORDS = "adr"
_LINE = re.compile(r"^- \[(?P<title>.+?)\]\((?P<file>[\w./-]+\.md)\): (?P<summary>.+)$")


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page. ``file`` is its path below docs; ``group`` and ``section`` are headings of the index."""

    slug: str
    title: str
    summary: str
    file: str
    group: str
    section: str

    @property
    def url(self) -> str:
        """Its address on this service."""
        return f"/docs/{self.slug}"


@dataclass(frozen=True, kw_only=True)
class Section:
    """Pages that stand together, in their order."""

    title: str
    pages: tuple[Page, ...]


@dataclass(frozen=True, kw_only=True)
class Group:
    """What one kind of reader reads."""

    title: str
    about: str
    sections: tuple[Section, ...]

    @property
    def pages(self) -> tuple[Page, ...]:
        """Its pages, in their order."""
        return tuple(page for section in self.sections for page in section.pages)


def folder() -> Path:
    """Where the files are."""
    return settings.BASE_DIR / "docs"


def slug_of(file: str) -> str:
    """The name of a file in addresses: its path without the folder of its reader."""
    path = PurePosixPath(file).with_suffix("")
    parts = path.parts[1:] if path.parts[0] in FOLDERS else path.parts
    return "/".join(parts).removesuffix("/README")


@cache
def text_of(page: Page) -> str:
    """A page as it is written."""
    return (folder() / page.file).read_text(encoding="utf-8")


@cache
def groups() -> tuple[Group, ...]:
    """The groups of the index, in their order."""
    parts = re.split(r"^## ", (folder() / INDEX).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return tuple(_group(part) for part in parts)


@cache
def pages() -> Mapping[str, Page]:
    """Every page by its slug: first those that the index lists, in its order, then the decision records."""
    listed = [page for group in groups() for page in group.pages]
    return {page.slug: page for page in [*listed, *_records()]}


@cache
def page_at(file: str) -> Page | None:
    """The page that a file is, by its path below docs."""
    return next((page for page in pages().values() if page.file == file), None)


def beside(page: Page) -> tuple[Page | None, Page | None]:
    """The pages before and after this one in its group."""
    row = next((group.pages for group in groups() if page in group.pages), ())
    if not row:
        return None, None
    at = row.index(page)
    return (row[at - 1] if at else None), (row[at + 1] if at + 1 < len(row) else None)


def _group(part: str) -> Group:
    title, _, text = part.partition("\n")
    opening, *rest = re.split(r"^### ", text, flags=re.MULTILINE)
    about = " ".join(line for line in opening.splitlines() if line and not _LINE.match(line))
    sections = [_section(title, title, opening)] if _LINE.search(opening) else []
    sections += [_section(title, one.partition("\n")[0], one.partition("\n")[2]) for one in rest]
    return Group(title=title, about=about, sections=tuple(sections))


def _section(group: str, title: str, text: str) -> Section:
    found = (_LINE.match(line) for line in text.splitlines())
    return Section(
        title=title,
        pages=tuple(
            Page(slug=slug_of(one["file"]), group=group, section=title, **one.groupdict()) for one in found if one
        ),
    )


def _records() -> Iterator[Page]:
    """Decision records, which their own list names. They belong to the last group."""
    for path in sorted((folder() / RECORDS).glob("[0-9]*.md")):
        file = f"{RECORDS}/{path.name}"
        with path.open(encoding="utf-8") as lines:
            title = lines.readline().removeprefix("# ").strip()
        yield Page(
            slug=slug_of(file), title=title, summary="", file=file, group=groups()[-1].title, section="Decision records"
        )
