"""A second reading of AWS KMS, by people who do not know this code: moto, in this process.

What it cannot show: moto 5.2.5 hashes a digest once more before it signs, so its signatures are nobody's here.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from eth_keys.datatypes import PublicKey, Signature
from moto import mock_aws
from pytest_django import Settings

from chains.registry import Family
from chains.signers import kms
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.evm import CURVE_ORDER
from chains.signers.registry import opened
from tests.chains.signers.rows import RECIPIENT

if TYPE_CHECKING:
    from types_boto3_kms import KMSClient

TRANSACTION = EvmTransaction(
    chain_id=8453, nonce=0, to=RECIPIENT, value=1, data=b"", gas_limit=21_000, max_fee=10, priority_fee=1
)


@pytest.fixture
def client(settings: Settings) -> Iterator["KMSClient"]:
    """moto's service, and the client that signers have of it."""
    settings.SIGNER_KMS_REGION = "eu-central-1"
    kms._made_client.cache_clear()
    with mock_aws():
        yield kms._client()
    kms._made_client.cache_clear()


def new_key(client: "KMSClient", spec: str = "ECC_SECG_P256K1") -> str:
    """A key's id."""
    made = client.create_key(KeyUsage="SIGN_VERIFY", KeySpec=spec)  # type: ignore[arg-type]  # a text is enough
    return made["KeyMetadata"]["KeyId"]


def test_the_address_follows_from_the_public_key(client: "KMSClient") -> None:
    name = new_key(client)
    uncompressed = client.get_public_key(KeyId=name)["PublicKey"][-64:]
    assert opened("aws_kms", name, Family.EVM).address == PublicKey(uncompressed).to_checksum_address()


def test_its_signatures_are_read_rightly(client: "KMSClient") -> None:
    """Over what moto really signs, the digest's own hash, both halves and one parity lead to the key's address."""
    name = new_key(client)
    address = opened("aws_kms", name, Family.EVM).address
    for turn in range(8):
        digest = sha256(bytes([turn])).digest()
        signed = client.sign(KeyId=name, Message=digest, MessageType="DIGEST", SigningAlgorithm="ECDSA_SHA_256")
        r, s = decode_dss_signature(signed["Signature"])
        low = min(s, CURVE_ORDER - s)
        found = [
            Signature(vrs=(parity, r, low)).recover_public_key_from_msg_hash(sha256(digest).digest())
            for parity in (0, 1)
        ]
        assert address in {key.to_checksum_address() for key in found}


def test_a_signature_over_something_else_is_never_sent(client: "KMSClient") -> None:
    signer = opened("aws_kms", new_key(client), Family.EVM)
    with pytest.raises(SignerUnavailable, match="not this key's"):
        signer.sign_evm(TRANSACTION)


@pytest.mark.parametrize(("spec", "sentence"), [("RSA_2048", "of another kind"), ("ECC_NIST_P256", "of another kind")])
def test_keys_of_other_kinds_are_refused(spec: str, sentence: str, client: "KMSClient") -> None:
    with pytest.raises(SignerUnavailable, match=sentence):
        opened("aws_kms", new_key(client, spec), Family.EVM)


def test_an_alias_leads_to_its_key(client: "KMSClient") -> None:
    name = new_key(client)
    client.create_alias(AliasName="alias/shop", TargetKeyId=name)
    assert opened("aws_kms", "alias/shop", Family.EVM).address == opened("aws_kms", name, Family.EVM).address


def test_an_unknown_key_is_refused(client: "KMSClient") -> None:
    with pytest.raises(SignerUnavailable, match="NotFoundException"):
        opened("aws_kms", "11111111-2222-3333-4444-555555555555", Family.EVM)
