"""Provider and route on Medusa's own classes at a real service, and faults planted into them, each of which is seen."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port
from tests.sdks.medusa.place import HERE, place
from tests.sdks.npm import run

FAULTS = {
    "a repeat makes another payment": (
        "provider.js",
        "currency_code), session, data",
        "currency_code), crypto.randomUUID(), data",
        "makes one payment",
    ),
    "euros are taken for dollars": (
        "provider.js",
        '.toLowerCase() !== "usd"',
        '.toLowerCase() === "x"',
        "rounds to cents",
    ),
    "what is on its way counts": (
        "statuses.js",
        "PaymentSessionStatus.PENDING_AUTHORIZATION",
        "PaymentSessionStatus.CAPTURED",
        "says of each status",
    ),
    "what went back counts": ("statuses.js", '        case "refunded":\n', "", "says of each status"),
    "a payment of another session counts": (
        "provider.js",
        'sessionOf(intent) === textOf(data, "session_id")',
        "sessionOf(intent)",
        "captures what settled",
    ),
    "what is open is captured": (
        "provider.js",
        '!["settled", "refunded"].includes(intent.status)',
        "intent === undefined",
        "captures what settled",
    ),
    "the old amount can still be paid": (
        "provider.js",
        "        await this.#close(old.id);\n",
        "",
        "asks for another amount",
    ),
    "an amount of before finds the cancelled payment": (
        "provider.js",
        "`${old.id}-${wanted}`",
        "`${sessionOf(old)}-${wanted}`",
        "asks for another amount",
    ),
    "what was paid is given up": (
        "provider.js",
        '!["cancelled", "expired", "failed"].includes(status)',
        "status === undefined",
        "gives up nothing",
    ),
    "a session that is given up stays open": (
        "provider.js",
        'if (data?.["id"])',
        "if (data === null)",
        "lets nobody pay",
    ),
    "a lost answer becomes two refunds": (
        "provider.js",
        "const lost = await this.#unheard(intent.id, known);",
        "const lost = undefined;",
        "refunds once",
    ),
    "a second refund is swallowed": ("provider.js", "!known.includes(refund.id) &&", "", "refunds once"),
    "everybody is believed": ("provider.js", "await unwrap(raw,", "JSON.parse(raw,", "is refused unless"),
    "play money pays": (
        "provider.js",
        "if (event.mode !==",
        "if (event === undefined && event.mode !==",
        "of another mode",
    ),
    "one secret counts": ("provider.js", '.split(",")\n    .map', '.split(",", 1)\n    .map', "either secret"),
    "the forged is answered well": ("hook.js", "sendStatus(401)", "sendStatus(204)", "refuses what is forged"),
    "what failed is answered well": ("hook.js", "sendStatus(500)", "sendStatus(204)", "refuses what is forged"),
    "a session that was given up is sold": ("hook.js", 'session.data?.["id"] === intent', "intent", "does nothing for"),
}
"""A module as it is built, what stands there, what is written instead, and the story that has to fail."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("service"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("medusa"))


def stories(packages: Path, service: Embedded, *chosen: str) -> str:
    """What Node prints of the stories. Raises: AssertionError with it, when one fails."""
    merchant = service.merchant()
    test = str(HERE / "provider.test.mjs")
    return run(
        "node", "--test", *chosen, test, BASE_URL=merchant.base_url, KEY=merchant.key, PLACE=str(packages)
    )  # fmt: skip


def test_the_provider_does_what_it_says(built: Path, service: Embedded) -> None:
    assert "# fail 0" in stories(built, service)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_seen(fault: str, built: Path, service: Embedded, tmp_path: Path) -> None:
    module, right, wrong, story = FAULTS[fault]
    (tmp_path / "node_modules").symlink_to(built.parents[1] / "node_modules")
    packages = tmp_path / "shop" / "node_modules"
    shutil.copytree(built, packages)
    planted = packages / "causeway-medusa" / "dist" / module
    text = planted.read_text(encoding="utf-8")
    assert text.count(right) == 1
    planted.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"# fail [1-9]"):
        stories(packages, service, "--test-name-pattern", story)
