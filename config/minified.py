"""Our scripts and style sheets as browsers get them: without comments and spare space, with every name as written."""

from os import getpid
from pathlib import Path, PurePosixPath

from rcssmin import cssmin
from rjsmin import jsmin

OURS = ("checkout", "demo", "embed", "refunds", "theme")
"""Folders of static files that are our own. What others wrote is served as they made it."""
_MINIFIERS = {".js": jsmin, ".css": cssmin}


def is_minified(name: str) -> bool:
    """Whether a static file is one that browsers get without comments."""
    path = PurePosixPath(name)
    return path.parts[0] in OURS and path.suffix in _MINIFIERS


def minified(name: str, text: str) -> str:
    """A script or a style sheet, shorter."""
    shorter: str = _MINIFIERS[PurePosixPath(name).suffix](text)
    return shorter


def minified_copy(name: str, source: Path, folder: Path) -> Path:
    """A shorter copy of a file below a folder. Why written aside first: several processes start at once."""
    copy = folder / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    aside = copy.with_suffix(f"{copy.suffix}.{getpid()}")
    aside.write_text(minified(name, source.read_text(encoding="utf-8")), encoding="utf-8")
    return aside.replace(copy)
