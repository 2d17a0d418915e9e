"""Our static files as they are served: short, and under names that change with everything they import."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from config.minified import is_minified, minified, minified_copy
from config.storage import HashedStaticFiles

OTHERS = ("admin/js/core.js", "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js", "checkout/types.d.ts")
FIRST = ("main", "state", "view", "words", "api", "poll", "wallets/discovery")
MOST_BYTES = 8 * 1024
"""Of the scripts before the first press. Why less than the whole budget: the page and its style sheet count too."""


def our_files() -> dict[str, tuple[object, str]]:
    """Every static file of ours that is served shorter."""
    found = ((path, storage) for finder in finders.get_finders() for path, storage in finder.list(None))
    return {path: (storage, path) for path, storage in found if is_minified(path)}


@pytest.fixture
def collected(tmp_path: Path) -> Path:
    """They, as an installation collects them."""
    storage = HashedStaticFiles(location=str(tmp_path), base_url="/static/")
    files = our_files()
    for name, (source, path) in files.items():
        with source.open(path) as original:  # type: ignore[attr-defined]  # a storage without a type
            storage.save(name, original)
    problems = [one for one in storage.post_process(files) if isinstance(one[2], Exception)]
    assert problems == []
    return tmp_path


def test_every_import_leads_to_a_file_whose_name_tells_its_content(collected: Path) -> None:
    hashed = [path for path in collected.rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imports = [
        (path.name, target if target.startswith("/") else path.parent / target)
        for path in hashed
        for target in re.findall(r'(?:from\s*|import\()"([./][^"]+)"', path.read_text(encoding="utf-8"))
    ]
    assert len(imports) > 40
    missing = [(name, str(at)) for name, at in imports if not (collected / str(at).removeprefix("/static/")).is_file()]
    assert missing == []
    assert [name for name, at in imports if not re.search(r"\.[0-9a-f]{12}\.js$", str(at))] == []


def test_what_is_served_has_no_comments_and_the_first_scripts_are_light(collected: Path) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in [*collected.rglob("*.js"), *collected.rglob("*.css")]}
    assert [path.name for path, text in texts.items() if "/**" in text or "\n\n" in text] == []
    first = [next(collected.joinpath("checkout").glob(f"{name}.????????????.js")) for name in FIRST]
    assert sum(len(gzip.compress(path.read_bytes())) for path in first) <= MOST_BYTES


@pytest.mark.parametrize("name", OTHERS)
def test_what_others_wrote_stays_as_it_is(name: str) -> None:
    assert not is_minified(name)


def test_a_copy_of_the_embedded_default_is_the_same_text_made_shorter(tmp_path: Path) -> None:
    source = tmp_path / "source.js"
    source.write_text("/** Why. */\nexport const one = 1;\n", encoding="utf-8")
    copy = minified_copy("checkout/one.js", source, tmp_path / "static")
    assert copy == tmp_path / "static" / "checkout" / "one.js"
    assert copy.read_text(encoding="utf-8") == "export const one=1;" == minified("checkout/one.js", source.read_text())
    assert [path.name for path in copy.parent.iterdir()] == ["one.js"]
