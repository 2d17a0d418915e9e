"""``causeway verify``: a record that holds, one that does not, and a node that does not answer."""

import json
from pathlib import Path

import pytest
from django.test import Client

from records.services import sweep_due
from tests.conftest import ApiClient
from tests.payments.world import World
from tests.payouts.stories import settled
from tests.sdks.door import Terminal

pytestmark = pytest.mark.django_db


def test_a_record_is_checked_without_a_key_and_what_does_not_hold_is_named(
    world: World, api: ApiClient, tmp_path: Path
) -> None:
    intent = settled(world, api)
    sweep_due()
    record, keys = tmp_path / "record.json", tmp_path / "keys.json"
    record.write_bytes(api.get(f"/payment-intents/{intent['id']}/flight-record").raw)
    keys.write_bytes(Client().get("/.well-known/causeway-receipt-keys.json").content)
    terminal = Terminal("")
    ended = terminal.run(f"verify {record} --keys {keys}")
    told = json.loads(ended.stdout)
    assert (ended.exit_code, told["holds"], told["facts"]["amount"]) == (0, True, "25.00")
    true = record.read_bytes()
    record.write_bytes(true.replace(b'"25.00"', b'"26.00"'))
    ended = terminal.run(f"verify {record} --keys {keys}")
    assert (ended.exit_code, json.loads(ended.stdout)["holds"]) == (1, False)
    assert "seal 1: the signature is not over this statement" in ended.stderr
    chain = intent["settlement_chain"]
    silent = f"verify {record} --keys {keys} --node {chain}=http://127.0.0.1:1"
    ended = terminal.run(silent)
    assert (ended.exit_code, "is not over" in ended.stderr, "could not ask" in ended.stderr) == (1, True, True)
    record.write_bytes(true)
    ended = terminal.run(silent)
    assert (ended.exit_code, json.loads(ended.stdout)["holds"]) == (3, True)
    assert ended.stderr.startswith(f"{chain}: could not ask its node: ")
