"""Every sample of every guide and of the README runs as it is written, against a service as `make run` starts it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from guides.library import groups
from tests.architecture.source import ROOT
from tests.guides.samples import (
    PYTHON,
    TERMINAL,
    TYPESCRIPT,
    Block,
    Ran,
    blocks_of,
    of,
    run_in_python,
    run_in_terminal,
    run_in_typescript,
    with_own,
    wrong_answers,
)
from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port

pytestmark = pytest.mark.embedded
GUIDES = {page.slug: ROOT / "docs" / page.file for page in groups()[0].sections[0].pages}
PAGES = {"readme": ROOT / "README.md", **GUIDES}
SDKS = ROOT / "sdks"
MODULES = ROOT / ".local" / "sdks-node" / "node_modules"
BUN = MODULES / "@oven" / "bun-linux-x64" / "bin" / "bun"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("service"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture
def folder(service: Embedded, tmp_path: Path) -> Path:
    """Where samples are run: as after `make run`, with the file of keys."""
    (tmp_path / ".local").mkdir()
    shutil.copy(service.folder / "demo.json", tmp_path / ".local" / "demo.json")
    return tmp_path


def page(name: str, languages: tuple[str, ...]) -> list[Block]:
    return of(blocks_of(PAGES[name].read_text(encoding="utf-8")), languages)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_what_is_pasted_into_a_terminal(name: str, service: Embedded, folder: Path) -> None:
    blocks = [block for block in blocks_of(PAGES[name].read_text(encoding="utf-8")) if "skip" not in block.words]
    ran = run_in_terminal(of(blocks, TERMINAL), service.merchant(), folder)
    assert ran.code == 0, ran.said[-3000:]
    assert list(wrong_answers(blocks, ran)) == [], ran.said[-3000:]


@pytest.mark.parametrize("name", sorted(name for name in PAGES if page(name, PYTHON)))
def test_what_is_written_in_python(name: str, service: Embedded, folder: Path) -> None:
    ran = run_in_python(page(name, PYTHON), service.merchant(), folder, SDKS / "python" / "src")
    assert ran.code == 0, ran.said[-3000:]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(name for name in PAGES if page(name, TYPESCRIPT)))
def test_what_is_written_in_typescript(name: str, service: Embedded, folder: Path) -> None:
    install_typescript(folder)
    ran = run_in_typescript(page(name, TYPESCRIPT), service.merchant(), folder, BUN)
    assert ran.code == 0, ran.said[-3000:]


def install_typescript(folder: Path) -> None:
    """Put the SDK where a program finds it, in its sources, and a framework beside it."""
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "hono").symlink_to(MODULES / "hono")
    package = Path(shutil.copytree(SDKS / "typescript", folder / "node_modules" / "causeway-sdk"))
    about = json.loads((package / "package.json").read_text())
    exports = json.dumps(about["exports"]).replace("./dist/", "./src/").replace(".d.ts", ".ts").replace(".js", ".ts")
    (package / "package.json").write_text(json.dumps(about | {"exports": json.loads(exports)}))


def test_planted_faults_of_samples_are_noticed(service: Embedded, folder: Path) -> None:
    """A sample that the service refuses, one that it should refuse and takes, and an answer that does not come."""
    merchant = service.merchant()

    def ran(text: str) -> Ran:
        return run_in_terminal(of(blocks_of(text), TERMINAL), merchant, folder)

    path = "http://localhost:8000/api/public/v1/payment-intents -H 'Authorization: Bearer sk_test_...'"
    assert ran(f"```sh\ncurl {path}/nobody\n```\n").code != 0
    assert ran(f"```sh error\ncurl {path}\n```\n").code != 0
    text = f'```sh\ncurl {path}\n```\n\n```json\n{{"data": [], "colour": "red"}}\n```\n'
    good = ran(text)
    assert good.code == 0
    assert list(wrong_answers(blocks_of(text), good)) == ["line 5: colour is not in the answer"]
    assert with_own("sk_test_...", merchant) == merchant.key
    assert run_in_python(blocks_of("```python\n1 / 0\n```\n"), merchant, folder, folder).code != 0
