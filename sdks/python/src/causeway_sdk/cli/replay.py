"""``causeway scenario`` and ``causeway replay``: a payment as a file, and a folder of such files as a test suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from causeway_sdk import _http
from causeway_sdk._core import as_object, decode, encode, plan
from causeway_sdk.cli.desk import MISUSED, REFUSED, Desk, Stop

PAUSE, LONGEST = 0.5, 60.0
"""Seconds: between two looks, and until a replay is given up."""
LARGEST = 200 * 1024
"""Bytes of a file, as the service takes it."""
_REPLAYS = "/api/public/v1/test-helpers/scenarios/replays"
_PATH = click.Path(exists=True, path_type=Path)


@click.command
@click.argument("payment_intent_id")
@click.pass_obj
def scenario(desk: Desk, /, payment_intent_id: str) -> None:
    """Write what happened to a payment as a scenario file: no names, no wallets, no dates."""
    asked = plan("GET", "/api/public/v1/payment-intents/{id}/scenario", {"id": payment_intent_id})
    click.echo(encode(desk.client.send(asked).value))


@click.command
@click.argument("paths", type=_PATH, nargs=-1, required=True)
@click.pass_obj
def replay(desk: Desk, /, paths: tuple[Path, ...]) -> None:
    """Replay scenario files, or folders of them, in test mode: a line for each says whether it came to the same end.

    Exits with 1 where one did not.
    """
    rows: list[dict[str, Any]] = []
    others = 0
    for file in _files(paths):
        row = _played(desk, file)
        others += row["verdict"] != "same"
        if desk.is_piped:
            desk.write(row)
        rows.append(row)
    if not desk.is_piped:
        desk.write_rows(rows)
    if others:
        raise Stop(f"{others} of {len(rows)} came to another end.", REFUSED)


def _files(paths: tuple[Path, ...]) -> list[Path]:
    """The files named, and those below the folders named, in order. Raises: Stop where there is none."""
    found = [file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    if not found:
        raise Stop("There is no .json file.", MISUSED)
    return found


def _played(desk: Desk, file: Path) -> dict[str, Any]:
    """What became of one file. Raises: CausewayError, Stop."""
    content = file.read_bytes()
    if len(content) > LARGEST:
        raise Stop(f"{file}: a scenario file has at most {LARGEST} bytes.", MISUSED)
    try:
        told = decode(content)
    except ValueError as error:
        raise Stop(f"{file}: {error}", MISUSED) from None
    asked = {"scenario": told, "name": file.name[:120]}
    found = as_object(desk.client.send(plan("POST", _REPLAYS, asked)).value)
    ends = _http.now() + LONGEST
    while found.get("verdict") is None:
        if _http.now() > ends:
            raise Stop(f"{file}: nobody played it within {LONGEST:.0f} seconds. Do the service's workers run?", REFUSED)
        _http.pause(PAUSE)
        look = plan("GET", _REPLAYS + "/{id}", {"id": found["id"]})
        found = as_object(desk.client.send(look).value)
    return {"file": str(file), "verdict": found["verdict"], "differs": "; ".join(_words(found)), "id": found["id"]}


def _words(found: dict[str, Any]) -> Iterator[str]:
    """Where it came to another end, or why it broke."""
    if found.get("problem"):
        yield str(found["problem"])
    for one in found.get("differences", ()):
        yield f"{one['field']}: {one['came'] or 'nothing'} instead of {one['expected'] or 'nothing'}"
