"""The package as npm installs it: what it holds, what a strict compiler says of a program that uses it."""

import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.sdks.npm import PACKAGE, STORIES, TOOLS, run, tool

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("SDK of TypeScript")]

STRICT = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "noPropertyAccessFromIndexSignature": True,
    "noImplicitOverride": True,
    "noEmit": True,
    "target": "es2022",
    "types": ["node"],
}
AROUND = """import type { Causeway as Client, Event, PaymentIntent } from "causeway-sdk";
declare const app: { post(path: string, handler: unknown): void };
declare const rawBody: string, headers: Headers;
declare function fulfil(event: Event): void;
declare function readCursor(): Promise<string | null>;
declare function inOneTransaction(event: Event, cursor: string): Promise<void>;
"""
CLIENT = "declare const causeway: Client, intent: PaymentIntent;\n"
"""What the pages take for granted."""
MODULES = ("index", "webhooks", "catch-up", "testing", "express", "hono", "next")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the packed package is installed, without a network."""
    folder = tmp_path_factory.mktemp("package")
    source, place = folder / "source", folder / "shop" / "node_modules" / "causeway-sdk"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("dist", "*.tgz"))
    run(tool("tsc"), "--project", str(source / "tsconfig.json"))
    [packed] = json.loads(run("npm", "pack", "--offline", "--json", "--pack-destination", str(folder), folder=source))
    with tarfile.open(folder / packed["filename"]) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    place.parent.mkdir(parents=True)
    shutil.move(folder / "unpacked" / "package", place)
    (place.parent / "@types").symlink_to(TOOLS / "@types")
    (place.parent / "undici-types").symlink_to(TOOLS / "undici-types")
    return folder / "shop"


def compiled(shop: Path, name: str, text: str, **more: str) -> None:
    """Raises: AssertionError with what the compiler does not like."""
    (shop / name).write_text(text, encoding="utf-8")
    settings = {"compilerOptions": {**STRICT, **more}, "files": [name]}
    (shop / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    run(tool("tsc"), "--project", "tsconfig.json", folder=shop)


def test_it_holds_what_is_named_and_nothing_else(shop: Path) -> None:
    place = shop / "node_modules" / "causeway-sdk"
    held = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert {"README.md", "LICENSE", "SKILL.md", "package.json"} <= held
    assert {f"dist/{module}{ending}" for module in MODULES for ending in (".js", ".d.ts")} <= held
    assert {name.split("/")[0] for name in held} == {"README.md", "LICENSE", "SKILL.md", "package.json", "dist", "src"}


@pytest.mark.parametrize(("module", "resolution"), [("nodenext", "nodenext"), ("esnext", "bundler")])
def test_a_strict_program_has_no_error(shop: Path, module: str, resolution: str) -> None:
    text = (STORIES / "program.ts").read_text(encoding="utf-8")
    (shop / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    compiled(shop, "program.ts", text, module=module, moduleResolution=resolution)


@pytest.mark.parametrize("page", ["README.md", "SKILL.md"])
def test_what_is_shown_compiles(shop: Path, page: str) -> None:
    (shop / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for number, text in enumerate(
        re.findall(r"```ts\n(.*?)```", (PACKAGE / page).read_text(encoding="utf-8"), re.DOTALL)
    ):
        needs = AROUND if "new Causeway" in text else AROUND + CLIENT
        compiled(shop, f"shown{number}.ts", needs + text, module="nodenext", moduleResolution="nodenext")


@pytest.mark.parametrize("module", MODULES)
def test_each_module_loads_in_node(shop: Path, module: str) -> None:
    name = "causeway-sdk" if module == "index" else f"causeway-sdk/{module}"
    said = run(
        "node", "--input-type=module", "-e", f"console.log(Object.keys(await import('{name}')).length > 0)", folder=shop
    )
    assert said == "true\n"
