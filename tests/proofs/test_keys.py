"""The keys that sign receipts: their list, their rotation, and that no signature passes for another purpose."""

import hashlib
import json
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from proofs.canonical import canonical
from proofs.keys import published, sign
from proofs.models import ProofKey

PURPOSE = "causeway.receipt.v1"
pytestmark = pytest.mark.django_db


def listed() -> dict[str, Any]:
    answer = Client().get("/.well-known/causeway-receipt-keys.json")
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (200, "*")
    body: dict[str, Any] = json.loads(answer.content)
    assert canonical(body) == answer.content
    return body


def holds(entry: dict[str, Any], purpose: str, content: bytes, signature: str) -> bool:
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(entry["public_key"]))
    try:
        public.verify(bytes.fromhex(signature), purpose.encode() + b"\n" + content)
    except InvalidSignature:
        return False
    return True


def test_the_first_signature_makes_the_key_that_is_published_from_then_on() -> None:
    assert listed() == {"type": "causeway.keys.v1", "keys": [], "signed_by": None, "signature": None}
    made = sign(PURPOSE, b"content")
    assert sign(PURPOSE, b"content") == made
    assert sign("causeway.statement.v1", b"content") != made
    body = listed()
    (entry,) = body["keys"]
    digest = hashlib.sha256(bytes.fromhex(entry["public_key"])).hexdigest()
    assert entry["id"] == made.key_id == f"rk_{digest[:16]}"
    assert (entry["algorithm"], entry["retired_at"], entry["endorsed_by"]) == ("Ed25519", None, None)
    assert holds(entry, PURPOSE, b"content", made.value)
    assert not holds(entry, "causeway.statement.v1", b"content", made.value)
    unsigned = {name: value for name, value in body.items() if name != "signature"}
    assert holds(entry, "causeway.keys.v1", canonical(unsigned), body["signature"])


def test_a_rotation_has_the_old_key_endorse_the_new_one_and_forgets_its_private_half() -> None:
    before = sign(PURPOSE, b"content")
    call_command("rotate_receipt_key", verbosity=0)
    after = sign(PURPOSE, b"content")
    body = listed()
    old, new = body["keys"]
    assert (old["id"], new["id"]) == (before.key_id, after.key_id)
    assert (body["signed_by"], new["endorsed_by"]) == (new["id"], old["id"])
    assert old["retired_at"] == new["created_at"]
    facts = {name: new[name] for name in ("id", "algorithm", "public_key", "created_at")}
    assert holds(old, "causeway.key.v1", canonical(facts), new["endorsement"])
    assert holds(old, PURPOSE, b"content", before.value)
    assert bytes(ProofKey.objects.get(pk=old["id"]).sealed_seed) == b""


def test_a_key_that_nothing_opens_is_replaced_by_the_word_of_who_runs_the_service(settings: Any) -> None:
    old = sign(PURPOSE, b"content").key_id
    settings.ENCRYPTION_KEYS = ["another-key-of-more-than-32-characters"]
    with pytest.raises(CommandError, match="No key of ENCRYPTION_KEYS opens"):
        call_command("rotate_receipt_key")
    call_command("rotate_receipt_key", "--lost", verbosity=0)
    assert [(entry["id"] == old, entry["endorsed_by"]) for entry in listed()["keys"]] == [(True, None), (False, None)]


def test_no_private_key_lies_in_the_open_and_none_is_opened_to_show_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    sign(PURPOSE, b"content")
    with connection.cursor() as cursor:
        cursor.execute("SELECT sealed_seed FROM proofs_proofkey")
        (sealed,) = cursor.fetchone()
    assert bytes(sealed)[:1] == b"\x01"
    assert len(bytes(sealed)) > 32 + 12
    monkeypatch.setattr("proofs.keys.decrypt", None)
    assert listed()["signature"] == json.loads(published())["signature"]


@pytest.mark.parametrize("value", [1.5, 2**53, {1: "a"}, {"ä": 1}, (1,), b"a", {"a": [object()]}])
def test_what_has_no_one_way_to_be_written_is_not_signed(value: object) -> None:
    with pytest.raises(TypeError):
        canonical(value)


def test_a_value_is_written_as_the_standard_says() -> None:
    value = {"b": [True, None, -1], "a": 'é\u2028\n"\\\x01€', "": {}}
    assert canonical(value) == '{"":{},"a":"é\u2028\\n\\"\\\\\\u0001€","b":[true,null,-1]}'.encode()
