"""Writes sdks/collections: every operation of merchants as a collection for Bruno and one for Postman."""

from pathlib import Path

from sdks.generator import collection_bruno, collection_postman
from sdks.generator.collection_requests import groups_of
from sdks.generator.read import Document

TARGET = Path(__file__).resolve().parent.parent / "collections"
README = "README.md"
"""The one file there that is written by hand."""


def files(document: Document) -> dict[Path, str]:
    """Each file that is written from a description, with its text. Raises: ValueError as ``groups_of``."""
    groups = groups_of(document)
    written = {
        **{f"bruno/{name}": text for name, text in collection_bruno.files(groups).items()},
        **{f"postman/{name}": text for name, text in collection_postman.files(groups).items()},
    }
    return {TARGET / name: text for name, text in written.items()}


def committed() -> dict[Path, str]:
    """The files as they stand."""
    found = (path for path in sorted(TARGET.rglob("*")) if path.is_file() and path.name != README)
    return {path: path.read_text(encoding="utf-8") for path in found}


def write(document: Document) -> None:
    """Write every file, and remove those that are no longer written."""
    wanted = files(document)
    for path in committed().keys() - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
