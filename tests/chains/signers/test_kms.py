"""AWS KMS over its wire form, with real signatures: what it answers recovers to the address, or is refused."""

import base64
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256K1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_keys.datatypes import PublicKey
from hexbytes import HexBytes
from moto import mock_aws
from pytest_django import Settings
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.registry import Family
from chains.signers import kms
from chains.signers.base import SignedEvm, Signer, SignerUnavailable
from chains.signers.evm import CURVE_ORDER, LocalEvmSigner, digest_of
from chains.signers.registry import opened
from core.secrets import Sealed
from tests.chains.signers.kms_service import EVM_ID, SOLANA_ID, KmsService, running
from tests.chains.signers.rows import EVM_ADDRESS, EVM_KEY, SOLANA_ADDRESS, coin_payment

MESSAGE = b"\x80" + bytes(range(200))
UNKNOWN, NOT_ITS_OWN = (
    "AWS KMS did not sign: NotFoundException.",
    "AWS KMS gave an answer that is not this key's (ValueError).",
)
OTHER_KIND = "The key in AWS KMS is of another kind: this chain needs"


@pytest.fixture
def service(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[KmsService]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr(kms, "READ_TIMEOUT", 1)
    kms._made_client.cache_clear()
    with running() as found:
        settings.SIGNER_KMS_REGION, settings.SIGNER_KMS_ENDPOINT = "eu-central-1", found.url
        yield found
    kms._made_client.cache_clear()


def evm(name: str = EVM_ID) -> Signer:
    return opened("aws_kms", name, Family.EVM)


def solana(name: str = SOLANA_ID) -> Signer:
    return opened("aws_kms", name, Family.SOLANA)


def why(call: Callable[[], object]) -> str:
    with pytest.raises(SignerUnavailable) as refused:
        call()
    return str(refused.value)


def fields_of(signed: SignedEvm) -> dict[str, Any]:
    """A signed transaction's fields by name. Why decoded: one number in 256 is written a byte shorter."""
    return dict(TypedTransaction.from_bytes(HexBytes(signed.raw)).as_dict())


def unsigned(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in {"v", "r", "s"}}


def test_an_evm_transaction_recovers_to_the_address(service: KmsService) -> None:
    """With both parities, and from both halves of the curve, of which nodes take the lower one only. The digest is what
    is sent, and the public key is asked for once.
    """
    assert evm().address == EVM_ADDRESS
    for half in ("high", "low"):
        service.half, parities, nonce = half, set[int](), 0
        while parities != {0, 1}:
            nonce += 1
            signed = evm().sign_evm(coin_payment(nonce))
            assert Account.recover_transaction(signed.raw) == EVM_ADDRESS
            fields = fields_of(signed)
            assert fields["s"] <= CURVE_ORDER // 2
            local = LocalEvmSigner(Sealed(EVM_KEY)).sign_evm(coin_payment(nonce))
            assert unsigned(fields) == unsigned(fields_of(local))
            parities.add(fields["v"])
    assert [action for action, _ in service.asked].count("GetPublicKey") == 1
    assert service.asked[1][1] == {
        "KeyId": EVM_ID,
        "Message": base64.b64encode(digest_of(coin_payment(1))).decode(),
        "MessageType": "DIGEST",
        "SigningAlgorithm": "ECDSA_SHA_256",
    }


def test_a_message_of_solana_verifies_and_each_kind_signs_its_own_only(service: KmsService) -> None:
    signer = solana()
    assert signer.address == SOLANA_ADDRESS
    assert Signature.from_bytes(signer.sign_solana(MESSAGE)).verify(Pubkey.from_string(SOLANA_ADDRESS), MESSAGE)
    assert "does not sign messages of Solana" in why(lambda: evm().sign_solana(MESSAGE))
    assert "does not sign transactions of EVM" in why(lambda: signer.sign_evm(coin_payment()))
    assert why(lambda: evm(SOLANA_ID)) == f"{OTHER_KIND} ECC_SECG_P256K1."
    assert why(lambda: solana(EVM_ID)) == f"{OTHER_KIND} ECC_NIST_EDWARDS25519."


FAILURES = {
    "closes": "AWS KMS did not sign: ConnectionClosedError.",
    "throttles": "AWS KMS did not sign: ThrottlingException.",
    "broken": "AWS KMS did not sign: KMSInternalException.",
    "disabled": "AWS KMS did not sign: DisabledException.",
    "nonsense": "AWS KMS did not sign: ",
    "empty": "AWS KMS did not sign: an answer of no known form (KeyError).",
    "short": NOT_ITS_OWN,
}


def test_a_failing_service_is_no_signature(service: KmsService, monkeypatch: pytest.MonkeyPatch) -> None:
    """One failure is tried again, a silent service is given up soon."""
    first, second, answer = evm(), solana(), service.answer
    for fault, sentence in FAILURES.items():
        service.fault = fault
        service.asked.clear()
        assert why(lambda: first.sign_evm(coin_payment())).startswith(sentence), fault
        assert len(service.asked) <= kms.MOST_ATTEMPTS
        told = why(lambda: second.sign_solana(MESSAGE))
        assert told.startswith(("AWS KMS did not sign: ", "AWS KMS gave an answer")), fault
    service.fault = "silent"
    service.asked.clear()
    assert why(lambda: first.sign_evm(coin_payment())) == "AWS KMS did not sign: ReadTimeoutError."
    assert len(service.asked) == kms.MOST_ATTEMPTS

    def heal(action: str, question: dict[str, object]) -> object:
        service.fault = "" if service.asked else service.fault
        return answer(action, question)

    service.fault = "broken"
    service.asked.clear()
    monkeypatch.setattr(service, "answer", heal)
    assert Account.recover_transaction(first.sign_evm(coin_payment()).raw) == EVM_ADDRESS


def test_a_key_that_was_exchanged_behind_its_name_does_not_sign(service: KmsService) -> None:
    first, second = evm(), solana()
    service.keys = {EVM_ID: generate_private_key(SECP256K1()), SOLANA_ID: Ed25519PrivateKey.generate()}
    assert why(lambda: first.sign_evm(coin_payment())) == NOT_ITS_OWN
    assert why(lambda: second.sign_solana(MESSAGE)) == NOT_ITS_OWN


def test_what_names_no_key_is_never_asked(service: KmsService) -> None:
    names = ["shop", "", "alias/", "alias/a b", "../x", "alias/" + "a" * 181, EVM_KEY.hex(), EVM_ID + "\n"]
    names += [EVM_ID[:-1] + "A", f"arn:aws:kms:eu-central-1:12345:key/{EVM_ID}", "arn:aws:s3:::bucket"]
    for name in names:
        assert why(partial(evm, name)) == "A key of AWS KMS is named by its id, its ARN, or alias/ and a name.", name
    assert service.asked == []
    assert why(lambda: evm("alias/unknown")) == UNKNOWN
    for name in (EVM_ID, SOLANA_ID, "alias/shop-base", f"arn:aws:kms:eu-central-1:123456789012:key/{EVM_ID}"):
        assert kms.is_kms_reference(name)


def test_without_a_service_credentials_or_boto3_nothing_is_signed(
    service: KmsService, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGNER_KMS_ENDPOINT = "http://127.0.0.1:9"
    assert why(evm) == "AWS KMS did not sign: EndpointConnectionError."
    settings.SIGNER_KMS_ENDPOINT = service.url
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    kms._made_client.cache_clear()
    assert why(evm) == "AWS KMS did not sign: NoCredentialsError."
    kms._made_client.cache_clear()
    monkeypatch.setitem(sys.modules, "boto3", None)
    needed = "AWS KMS cannot be asked: boto3 is not installed: pip install -r requirements/kms.txt."
    assert why(evm) == needed


def test_people_who_do_not_know_this_code_read_aws_kms_alike(settings: Settings) -> None:
    """moto, in this process. What it cannot show: moto 5.2.5 hashes a digest once more: its signatures are nobody's."""
    settings.SIGNER_KMS_REGION = "eu-central-1"
    kms._made_client.cache_clear()
    with mock_aws():
        client = kms._client()
        name, rsa, other_curve = (
            client.create_key(KeyUsage="SIGN_VERIFY", KeySpec=spec)["KeyMetadata"]["KeyId"]
            for spec in ("ECC_SECG_P256K1", "RSA_2048", "ECC_NIST_P256")
        )
        address = evm(name).address
        assert address == PublicKey(client.get_public_key(KeyId=name)["PublicKey"][-64:]).to_checksum_address()
        client.create_alias(AliasName="alias/shop", TargetKeyId=name)
        assert evm("alias/shop").address == address
        assert why(lambda: evm(EVM_ID)) == UNKNOWN
        for other in (rsa, other_curve):
            assert why(partial(evm, other)) == f"{OTHER_KIND} ECC_SECG_P256K1."
        assert why(lambda: evm(name).sign_evm(coin_payment())) == NOT_ITS_OWN
    kms._made_client.cache_clear()
