"""A payment proves itself: its record and receipt are checked by a program that shares nothing with the service."""

import json
import random
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from causeway_sdk import records
from causeway_sdk.records import verify
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chains.models import SigningAccount
from payments.models import RouteCandidate
from records.models import AwaitedSeal, RecordSeal
from records.services import sweep_due
from refunds.services.advance import sweep_due as sweep_refunds
from tests.conftest import ApiClient
from tests.machine import PATIENCE_SECONDS
from tests.payments.world import World, create
from tests.payouts.stories import run, settled

pytestmark = pytest.mark.django_db
CHANGES = 500
MOST_QUESTIONS, MOST_BYTES = 20, 6000
DESTINATION = "0x52908400098527886E0F7030069857D2E4169EE7"


def record_of(api: ApiClient, intent: dict[str, Any]) -> bytes:
    reply = api.get(f"/payment-intents/{intent['id']}/flight-record")
    assert reply.status == 200, reply.body
    return reply.raw


def keys() -> bytes:
    content: bytes = Client().get("/.well-known/causeway-receipt-keys.json").content
    return content


def written(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def test_a_settled_payment_has_a_receipt_over_all_that_happened(world: World, api: ApiClient) -> None:
    intent = settled(world, api, metadata={"size": "L"}, customer_email="payer@example.com", reference="A-17")
    assert json.loads(record_of(api, intent))["seals"] == []
    sweep_due()
    record = record_of(api, intent)
    report = verify(record, keys())
    assert (report.problems, report.notes) == ([], ["test mode: no money moved"])
    body = json.loads(record)
    (seal,) = body["seals"]
    receipt = seal["statement"]
    assert (receipt["type"], receipt["entries"], receipt["head"]) == (
        records.RECEIPT,
        len(body["entries"]),
        body["head"],
    )
    assert (receipt["amount"], receipt["merchant"]["name"]) == ("25.00", "Corner Shop")
    assert receipt["settlement"]["address"] == intent["settlement_address"]
    (transaction_,) = receipt["transactions"]
    assert (transaction_["recipient"], transaction_["base_units"]) == (intent["settlement_address"], "25000000")
    types = [entry["type"] for entry in body["entries"]]
    assert (types[0], body["entries"][0]["facts"]["reference"]) == ("payment.create", "A-17")
    expected = {"quote.weighed", "transaction.issued", "transaction.confirmed", "credit.counted", "payment.settle"}
    assert expected <= set(types)
    assert b"payer@example.com" not in record
    assert b'"size"' not in record
    assert verify(written(seal), keys()).facts == report.facts


def test_it_says_by_the_legs_that_the_service_held_nothing(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    custody = json.loads(record_of(api, intent))["seals"][0]["statement"]["custody"]
    assert (custody["held_by_service"], custody["held_at"], custody["simulated"]) == (False, [], True)
    (path,) = custody["paths"]
    assert [hop["role"] for hop in path] == ["payer", "merchant"]
    assert path[-1]["address"] == intent["settlement_address"]


def test_it_says_so_where_the_service_has_a_key_on_the_way(world: World, api: ApiClient, merchant: Any) -> None:
    intent = settled(world, api)
    address = "0x" + intent["settlement_address"][2:].swapcase()  # the same one, written in another case
    SigningAccount.objects.create(
        merchant=merchant, mode="test", network="simulated", chain=intent["settlement_chain"], address=address,
        backend="stored", key_reference="shop",
    )  # fmt: skip
    sweep_due()
    custody = json.loads(record_of(api, intent))["seals"][0]["statement"]["custody"]
    assert (custody["held_by_service"], custody["held_at"]) == (True, [intent["settlement_address"]])


def test_what_comes_later_extends_the_chain_and_changes_nothing(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    before = json.loads(record_of(api, intent))
    RouteCandidate.objects.all().delete()  # as they are purged
    asked = {"intent_id": intent["id"], "amount_usd": 10, "destination": DESTINATION, "reason": "One item less"}
    assert api.post("/refunds", asked).status == 201
    run(world, 30)
    record = record_of(api, intent)
    later = json.loads(record)
    sealed = len(before["entries"])
    assert (later["entries"][:sealed], later["seals"]) == (before["entries"], before["seals"])
    total = len(later["entries"])
    note = f"entries {sealed + 1} to {total} are chained and not signed yet"
    assert (verify(record, keys()).problems, verify(record, keys()).notes) == ([], ["test mode: no money moved", note])
    world.wait(timedelta(days=1).total_seconds())
    sweep_due()
    record = record_of(api, intent)
    sealed_again = json.loads(record)
    assert [seal["statement"]["type"] for seal in sealed_again["seals"]] == [records.RECEIPT, records.SEAL]
    assert sealed_again["entries"][:total] == later["entries"]
    assert "refund.create" in [entry["type"] for entry in later["entries"][sealed:]]
    assert verify(record, keys()).notes == ["test mode: no money moved"]
    world.wait(timedelta(days=1).total_seconds())
    sweep_due()
    assert (AwaitedSeal.objects.count(), RecordSeal.objects.count()) == (0, 2)


def test_a_refund_that_was_paid_is_sealed_at_once(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    world.run(4000)
    asked = {"intent_id": intent["id"], "amount_usd": 25, "destination": DESTINATION}
    refund = api.post("/refunds", asked).body
    for _ in range(20):
        sweep_refunds()
        world.wait(5)
    assert api.get(f"/refunds/{refund['id']}").body["status"] == "paid"
    sweep_due()
    record = record_of(api, intent)
    body = json.loads(record)
    assert [seal["statement"]["type"] for seal in body["seals"]] == [records.RECEIPT, records.SEAL]
    assert body["seals"][1]["statement"]["head"] == body["head"]
    types = [entry["type"] for entry in body["entries"]]
    assert {"refund.create", "refund.pay", "payment.refund"} <= set(types)
    assert verify(record, keys()).problems == []


def test_a_receipt_holds_after_its_key_was_rotated(world: World, api: ApiClient) -> None:
    first = settled(world, api)
    sweep_due()
    old = record_of(api, first), keys()
    world.wait(1)
    call_command("rotate_receipt_key", verbosity=0)
    second = settled(world, api)
    sweep_due()
    for record in (old[0], record_of(api, first), record_of(api, second)):
        assert verify(record, keys()).problems == []
    (problem,) = verify(record_of(api, second), old[1]).problems
    assert problem.endswith("is not among the published keys")


def test_a_record_is_its_merchants_alone(api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    intent = create(api)
    for stranger in (other_api, live_api):
        assert stranger.get(f"/payment-intents/{intent['id']}/flight-record").status == 404
    unpaid = record_of(api, intent)
    assert [entry["type"] for entry in json.loads(unpaid)["entries"]] == ["payment.create"]
    report = verify(unpaid, keys())
    assert (report.problems, report.notes) == ([], ["entries 1 to 1 are chained and not signed yet"])


def test_sealing_asks_a_few_questions_and_stores_little(world: World, api: ApiClient) -> None:
    for _ in range(2):  # the first one makes the key
        settled(world, api)
        with CaptureQueriesContext(connection) as asked:
            sweep_due()
    words = [query["sql"].split()[0] for query in asked]
    seal = RecordSeal.objects.order_by("pk")[1]
    assert words.count("SELECT") <= MOST_QUESTIONS
    assert len(seal.entries) + len(seal.statement) <= MOST_BYTES


def test_a_seal_is_never_changed_or_removed(world: World, api: ApiClient) -> None:
    settled(world, api)
    sweep_due()
    for statement in ("UPDATE records_recordseal SET number = 9", "DELETE FROM records_recordseal"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_a_record_of_an_earlier_release_holds_for_ever() -> None:
    """Files that were signed once, with a key that nobody has any more."""
    vectors = Path(__file__).parent / "vectors"
    report = verify(*((vectors / name).read_bytes() for name in ("record.json", "keys.json")))
    assert (report.problems, report.facts["amount"]) == ([], "25.00")


def changed(content: bytes, chance: random.Random) -> bytes:
    """The same with one byte that is another one."""
    place = chance.randrange(len(content))
    other = chance.choice([byte for byte in range(0x20, 0x7F) if byte != content[place]])
    return content[:place] + bytes([other]) + content[place + 1 :]


def test_each_of_500_changes_of_one_byte_is_found_and_named(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    call_command("rotate_receipt_key", verbosity=0)
    record, listed, chance = record_of(api, intent), keys(), random.Random(113)  # noqa: S311 - no secret
    receipt = written(json.loads(record)["seals"][0])
    assert verify(record, listed).holds
    assert verify(receipt, listed).holds
    for number in range(CHANGES):
        files = [(record, listed), (receipt, listed), (record, listed)][number % 3]
        altered = (files[0], changed(listed, chance)) if number % 3 == 2 else (changed(files[0], chance), listed)
        report = verify(*altered)
        assert report.problems, altered
        assert all(report.problems)


@pytest.mark.parametrize(
    ("place", "named"),
    [
        (("entries", 3, "facts"), "entry 4 ("),
        (("entries", 2, "at"), "entry 3 ("),
        (("head",), "head: it is not the hash of the last entry"),
        (("seals", 0, "statement", "amount"), "seal 1: the signature is not over this statement"),
        (("seals", 0, "key_id"), "seal 1: key 'other' is not among the published keys"),
        (("payment_intent_id",), "entry 1 (payment.create) is not what its hash is over"),
    ],
)
def test_what_was_changed_is_named(place: tuple[Any, ...], named: str, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    body = json.loads(record_of(api, intent))
    inner = body
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = {"amount": "1.00"} if place[-1] == "facts" else "other"
    assert [problem for problem in verify(written(body), keys()).problems if problem.startswith(named)]


def test_entries_that_are_left_out_moved_or_slipped_in_are_found(world: World, api: ApiClient) -> None:
    intent, other = settled(world, api), settled(world, api)
    sweep_due()
    body, foreign = json.loads(record_of(api, intent)), json.loads(record_of(api, other))
    entries = body["entries"]
    for altered in (entries[:-1], entries[1:], [entries[1], entries[0], *entries[2:]], [*entries, entries[-1]]):
        assert not verify(written({**body, "entries": altered}), keys()).holds
    assert not verify(written({**body, "seals": foreign["seals"]}), keys()).holds
    assert not verify(written({**foreign, "payment_intent_id": body["payment_intent_id"]}), keys()).holds


def test_the_verifier_is_one_file_that_needs_nothing_else(world: World, api: ApiClient, tmp_path: Path) -> None:
    intent = settled(world, api)
    sweep_due()
    program = tmp_path / "check.py"
    program.write_text(Path(records.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    for name, content in (("record.json", record_of(api, intent)), ("keys.json", keys())):
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-I", "-S", str(program), "record.json", "--keys", "keys.json"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert (ended.returncode, json.loads(ended.stdout)["holds"], ended.stderr) == (0, True, "")
    (tmp_path / "record.json").write_bytes(record_of(api, intent).replace(b"25.00", b"26.00"))
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert (ended.returncode, json.loads(ended.stdout)["holds"]) == (1, False)


@pytest.mark.parametrize(
    ("public", "message", "signature"),
    [  # Source: RFC 8032, 7.1, TEST 1 and TEST 2.
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ],
)  # fmt: skip
def test_its_signatures_are_those_of_the_standard(public: str, message: str, signature: str) -> None:
    key, signed = bytes.fromhex(public), bytes.fromhex(signature)
    assert records.verify_ed25519(key, bytes.fromhex(message), signed)
    assert not records.verify_ed25519(key, bytes.fromhex(message) + b"x", signed)
    s = int.from_bytes(signed[32:], "little") + 2**252 + 27742317777372353535851937790883648493
    assert not records.verify_ed25519(key, bytes.fromhex(message), signed[:32] + s.to_bytes(32, "little"))
