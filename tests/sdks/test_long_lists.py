"""A list of 1,001 rows to which rows are added while it is read: each row comes once, in both SDKs, in order.

An empty page and a cursor that comes again are vectors (sdks/vectors/pages.json), which both SDKs read as well.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from causeway_sdk import AsyncCauseway, Causeway

from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port
from tests.sdks.npm import run
from tests.sdks.test_typescript_runtimes import story_bundled

pytestmark = [pytest.mark.embedded, pytest.mark.exhaustive]

ROWS, A_PAGE, AT_ONCE = 1001, 100, 8
MARK = "long-list"
Read = Callable[[Embedded, Path], list[str]]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("embedded"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture(scope="module")
def rows(service: Embedded) -> set[str]:
    """The ids of the rows that are there before anything is read."""
    client = Causeway(service.demo["test_secret_key"], service.base_url, max_retries=5)
    with client, ThreadPoolExecutor(AT_ONCE) as workers:
        made = workers.map(lambda _: client.payment_intents.create(amount="1.00", reference=MARK).id, range(ROWS))
        return set(made)


def blocking(service: Embedded, _: Path) -> list[str]:
    ids = list[str]()
    with Causeway(service.demo["test_secret_key"], service.base_url, max_retries=5) as client:
        for intent in client.payment_intents.list(reference=MARK, limit=A_PAGE):
            ids.append(intent.id)
            if len(ids) % A_PAGE == 1:
                client.payment_intents.create(amount="1.00", reference=MARK)
    return ids


def awaited(service: Embedded, _: Path) -> list[str]:
    async def read() -> list[str]:
        ids = list[str]()
        async with AsyncCauseway(service.demo["test_secret_key"], service.base_url, max_retries=5) as client:
            async for intent in client.payment_intents.list(reference=MARK, limit=A_PAGE):
                ids.append(intent.id)
                if len(ids) % A_PAGE == 1:
                    await client.payment_intents.create(amount="1.00", reference=MARK)
        return ids

    return asyncio.run(read())


def typescript(service: Embedded, folder: Path) -> list[str]:
    program = str(story_bundled("pages.mjs", folder))
    told = run("node", program, service.base_url, service.demo["test_secret_key"], MARK, folder=folder)
    ids: list[str] = json.loads(told)
    return ids


@pytest.mark.parametrize("read", [blocking, awaited, typescript])
def test_each_row_of_a_long_list_comes_once_while_others_are_added(
    service: Embedded, rows: set[str], read: Read, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    ids = read(service, tmp_path)
    lost, twice = rows - set(ids), len(ids) - len(set(ids))
    record_property("rows", len(rows))
    record_property("wrong", len(lost) + twice)
    assert len(rows) == ROWS
    assert (lost, twice) == (set(), 0)
