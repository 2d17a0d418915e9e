"""Messages as files: each is read whole, once, in order, and a fresh start begins without any."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from config import folder_broker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder_broker.empty(tmp_path)
    return tmp_path


@pytest.fixture
def channel(folder: Path) -> Iterator[Any]:
    opened = connect(folder)
    yield opened
    opened.connection.client.release()


def connect(folder: Path) -> Any:
    """A channel as the settings make it; the library's types do not know our transport."""
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    return Connection("folder://localhost", transport_options=options).channel()


def test_messages_come_out_as_they_went_in_and_a_fresh_start_begins_empty(channel: Any, folder: Path) -> None:
    for number in range(5):
        channel._put("money", {"number": number})
        channel._put("delivery", {"number": -number})
    assert [channel._get("money")["number"] for _ in range(5)] == [0, 1, 2, 3, 4]
    assert channel._size("delivery") == 5
    with pytest.raises(Empty):
        channel._get("money")
    channel._put("money", {"number": 1})
    (folder / ".0_left.money.msg.taken").write_text("{}")
    folder_broker.empty(folder)
    assert [path.name for path in folder.iterdir()] == ["control"]
    with pytest.raises(Empty):
        channel._get("money")


def test_two_readers_never_get_the_same(folder: Path) -> None:
    readers = [connect(folder) for _ in range(2)]
    found: list[int] = []
    for number in range(200):
        readers[0]._put("money", {"number": number})

    def read(channel: Any) -> None:
        while True:
            try:
                found.append(channel._get("money")["number"])
            except Empty:
                return

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(read, readers))
    assert sorted(found) == list(range(200))


def test_nobody_sees_half_a_message(folder: Path) -> None:
    writer, reader = connect(folder), connect(folder)
    large = {"text": "x" * 200_000}
    writing = threading.Thread(target=lambda: [writer._put("money", large) for _ in range(100)])
    writing.start()
    found = 0
    while writing.is_alive() or found < 100:
        try:
            assert reader._get("money") == large
            found += 1
        except Empty:
            continue
    writing.join()
