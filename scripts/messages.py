"""Collects the payer's sentences, keeps the catalogues of checkout/locale in step and compiles them: ``make messages``.

The same sources give the same files, byte by byte: no dates, no line numbers, no versions of tools. Nothing of this is
needed at run time.
"""

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "checkout" / "locale"
FOLDERS = {"de": "de", "es": "es", "fr": "fr", "pt-br": "pt_BR", "ar": "ar"}
"""Where gettext looks for each language."""
PLURALS = {
    "de": (2, "(n != 1)"),
    "es": (2, "(n != 1)"),
    "fr": (2, "(n > 1)"),
    "pt_BR": (2, "(n > 1)"),
    "ar": (6, "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 && n%100<=99 ? 4 : 5)"),
}
"""Source: Django's own catalogues of these languages."""
TEMPLATES = ("templates/checkout", "templates/claim")
"""Every template of the payer's side; below them no sentence may go unmarked."""
SCRIPTS = (
    "checkout/static/checkout",
    "refunds/static/refunds/claim.js",
    "refunds/static/refunds/claim_words.js",
)
"""The payer's scripts: their sentences come from ``checkout/words`` and ``refunds/claim_words.py``."""
NAMES = frozenset({"Base", "Ethereum", "Solana", "TEST", "BNB Chain", "LI.FI", "UTC"})
"""What no language translates."""
MODULES = (
    "checkout",
    "payments/explanation/payer_words.py",
    "payments/scenarios.py",
    "refunds/claim_words.py",
    "refunds/payer_words.py",
)
NOT_THE_PAYERS = ("checkout/demo", "checkout/migrations")
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_noop": None,
    "gettext_lazy": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
SCENARIOS = "payments/scenarios.json"
Sentence = tuple[str, str | tuple[str, ...], list[str], str | None]
"""The file, the sentence or its forms, comments for translators, the context."""


class PayerCatalog(Catalog):
    """A catalogue whose header says what gettext needs, and nothing that changes by itself."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """The header."""
        return [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Language", str(self.locale_identifier or "en")),
            ("Plural-Forms", f"nplurals={self.num_plurals}; plural={self.plural_expr};"),
        ]

    @property
    def num_plurals(self) -> int:
        """How many forms a counted sentence has."""
        return PLURALS.get(str(self.locale_identifier), (2, ""))[0]

    @property
    def plural_expr(self) -> str:
        """Which of them a number takes."""
        return PLURALS.get(str(self.locale_identifier), (2, "(n != 1)"))[1]


def payer_templates() -> list[Path]:
    """Every template of the payer's side."""
    return sorted(path for folder in TEMPLATES for path in (ROOT / folder).rglob("*.*") if path.is_file())


def payer_scripts() -> list[Path]:
    """Every script of the payer's side."""
    found = (path for name in SCRIPTS for path in ((ROOT / name), *(ROOT / name).rglob("*.js")))
    return sorted(path for path in found if path.suffix == ".js")


def payer_modules() -> list[Path]:
    """Every module that may hold sentences for payers."""
    found = sorted(path for name in MODULES for path in ((ROOT / name), *(ROOT / name).rglob("*.py")) if path.is_file())
    return [path for path in found if not _named(path).startswith(NOT_THE_PAYERS)]


def template_catalog() -> PayerCatalog:
    """Every sentence of the payer's side, as the sources have it."""
    catalog = PayerCatalog(fuzzy=False)
    for name, sentence, comments, context in (*_of_templates(), *_of_modules(), *_of_the_scenarios()):
        catalog.add(sentence, locations=[(name, 1)], auto_comments=comments, context=context)
    return catalog


def stored(code: str) -> PayerCatalog:
    """A language's catalogue as it is committed; an empty one where there is none."""
    path = po_path(code)
    catalog = PayerCatalog(locale=FOLDERS[code], fuzzy=False, header_comment="# The payer's pages.")
    if path.exists():
        with path.open("rb") as file:
            found = read_po(file, locale=FOLDERS[code])
        catalog.header_comment = found.header_comment
        for message in found:
            if message.id:
                catalog[message.id] = message
    return catalog


def updated(code: str, template: Catalog) -> PayerCatalog:
    """The catalogue of a language with the sentences of now: new ones empty, those that are gone dropped."""
    catalog = stored(code)
    # Why a copy: what is new in both would be one object, and a translation of one that of all.
    catalog.update(deepcopy(template), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> str:
    """A catalogue as the text of its file."""
    file = BytesIO()
    write_po(file, catalog, width=0, sort_output=True, include_lineno=False, include_previous=False)
    return file.getvalue().decode()


def compiled(catalog: Catalog) -> bytes:
    """A catalogue as gettext reads it."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def po_path(code: str) -> Path:
    """Where a language's catalogue is."""
    return LOCALE / FOLDERS[code] / "LC_MESSAGES" / "django.po"


def mo_path(code: str) -> Path:
    """Where it is compiled."""
    return po_path(code).with_suffix(".mo")


def main() -> int:
    """Bring every catalogue up to date; says what is left to translate."""
    template = template_catalog()
    for code in FOLDERS:
        catalog = updated(code, template)
        po_path(code).parent.mkdir(parents=True, exist_ok=True)
        po_path(code).write_text(written(catalog))
        mo_path(code).write_bytes(compiled(catalog))
        missing = [one.id for one in catalog if one.id and not (one.string and all(one.string))]
        sys.stdout.write(f"{code}: {len(catalog)} sentences, {len(missing)} to translate\n")
    return 0


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _of_templates() -> Iterator[Sentence]:
    for path in payer_templates():
        marked = templatize(path.read_text())
        flat = "\n".join(line.strip() for line in marked.splitlines())
        yield from _extracted(_named(path), flat)


def _of_modules() -> Iterator[Sentence]:
    for path in payer_modules():
        yield from _extracted(_named(path), path.read_text())


def _of_the_scenarios() -> Iterator[Sentence]:
    """What a payer may try out in test mode."""
    for scenario in json.loads((ROOT / SCENARIOS).read_text()):
        if scenario["group"] != "after":
            yield SCENARIOS, scenario["label"], [], None


def _extracted(name: str, source: str) -> Iterator[Sentence]:
    file = BytesIO(source.encode())
    for _, sentence, comments, context in extract("python", file, KEYWORDS, ("Translators:",)):
        yield name, sentence, comments, context


if __name__ == "__main__":
    raise SystemExit(main())
