"""AWS KMS over its wire form, with real signatures: what it answers recovers to the address, or is refused."""

import base64
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256K1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes
from pytest_django import Settings
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.registry import Family
from chains.signers import kms
from chains.signers.base import EvmTransaction, SignedEvm, Signer, SignerUnavailable
from chains.signers.evm import CURVE_ORDER, LocalEvmSigner, digest_of
from chains.signers.registry import opened
from core.secrets import Sealed
from tests.chains.signers.kms_service import EVM_ID, SOLANA_ID, KmsService, running
from tests.chains.signers.rows import EVM_ADDRESS, EVM_KEY, RECIPIENT, SOLANA_ADDRESS

MESSAGE = b"\x80" + bytes(range(200))


@pytest.fixture
def service(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[KmsService]:
    """A service that the settings lead to."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr(kms, "READ_TIMEOUT", 1)
    kms._made_client.cache_clear()
    with running() as found:
        settings.SIGNER_KMS_REGION, settings.SIGNER_KMS_ENDPOINT = "eu-central-1", found.url
        yield found
    kms._made_client.cache_clear()


def evm() -> Signer:
    """The signer of the secp256k1 key."""
    return opened("aws_kms", EVM_ID, Family.EVM)


def solana() -> Signer:
    """The signer of the Ed25519 key."""
    return opened("aws_kms", SOLANA_ID, Family.SOLANA)


def transaction(nonce: int = 0) -> EvmTransaction:
    """A transaction that sends a coin."""
    return EvmTransaction(
        chain_id=8453, nonce=nonce, to=RECIPIENT, value=1, data=b"", gas_limit=21_000, max_fee=10, priority_fee=1
    )


def why(call: object) -> str:
    """Why no signature was had."""
    assert callable(call)
    with pytest.raises(SignerUnavailable) as refused:
        call()
    return str(refused.value)


def fields_of(signed: SignedEvm) -> dict[str, Any]:
    """A signed transaction's fields by name. Why decoded: one number in 256 is written a byte shorter."""
    return dict(TypedTransaction.from_bytes(HexBytes(signed.raw)).as_dict())


def unsigned(fields: dict[str, Any]) -> dict[str, Any]:
    """What was signed."""
    return {name: value for name, value in fields.items() if name not in {"v", "r", "s"}}


@pytest.mark.parametrize("half", ["high", "low"])
def test_an_evm_transaction_recovers_to_the_address(half: str, service: KmsService) -> None:
    """With both parities, and from both halves of the curve, of which nodes take the lower one only."""
    service.half = half
    signer = evm()
    assert signer.address == EVM_ADDRESS
    parities = set()
    for nonce in range(12):
        signed = signer.sign_evm(transaction(nonce))
        assert Account.recover_transaction(signed.raw) == EVM_ADDRESS
        fields = fields_of(signed)
        assert fields["s"] <= CURVE_ORDER // 2
        local = LocalEvmSigner(Sealed(EVM_KEY)).sign_evm(transaction(nonce))
        assert unsigned(fields) == unsigned(fields_of(local))
        parities.add(fields["v"])
    assert parities == {0, 1}


def test_the_digest_is_what_is_sent(service: KmsService) -> None:
    evm().sign_evm(transaction())
    assert [action for action, _ in service.asked] == ["GetPublicKey", "Sign"]
    assert service.asked[1][1] == {
        "KeyId": EVM_ID,
        "Message": base64.b64encode(digest_of(transaction())).decode(),
        "MessageType": "DIGEST",
        "SigningAlgorithm": "ECDSA_SHA_256",
    }


def test_a_message_of_solana_verifies(service: KmsService) -> None:
    signer = solana()
    assert signer.address == SOLANA_ADDRESS
    signature = signer.sign_solana(MESSAGE)
    assert Signature.from_bytes(signature).verify(Pubkey.from_string(SOLANA_ADDRESS), MESSAGE)


def test_the_public_key_is_asked_for_once(service: KmsService) -> None:
    for nonce in range(3):
        evm().sign_evm(transaction(nonce))
    assert [action for action, _ in service.asked].count("GetPublicKey") == 1


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("closes", "AWS KMS did not sign: ConnectionClosedError."),
        ("throttles", "AWS KMS did not sign: ThrottlingException."),
        ("broken", "AWS KMS did not sign: KMSInternalException."),
        ("disabled", "AWS KMS did not sign: DisabledException."),
        ("nonsense", "AWS KMS did not sign: "),
        ("empty", "AWS KMS did not sign: an answer of no known form (KeyError)."),
        ("short", "AWS KMS gave an answer that is not this key's (ValueError)."),
    ],
)
def test_a_failing_service_is_no_signature(fault: str, sentence: str, service: KmsService) -> None:
    first, second = evm(), solana()
    service.fault = fault
    service.asked.clear()
    assert why(lambda: first.sign_evm(transaction())).startswith(sentence)
    assert len(service.asked) <= kms.MOST_ATTEMPTS
    assert why(lambda: second.sign_solana(MESSAGE)).startswith(("AWS KMS did not sign: ", "AWS KMS gave an answer"))


def test_a_silent_service_is_given_up_soon(service: KmsService) -> None:
    signer = evm()
    service.fault = "silent"
    service.asked.clear()
    assert why(lambda: signer.sign_evm(transaction())) == "AWS KMS did not sign: ReadTimeoutError."
    assert len(service.asked) == kms.MOST_ATTEMPTS


def test_a_service_that_is_not_there(service: KmsService, settings: Settings) -> None:
    settings.SIGNER_KMS_ENDPOINT = "http://127.0.0.1:9"
    assert why(evm) == "AWS KMS did not sign: EndpointConnectionError."


def test_one_failure_is_tried_again(service: KmsService, monkeypatch: pytest.MonkeyPatch) -> None:
    signer = evm()
    service.fault = "broken"
    answer = service.answer

    def heal(action: str, question: dict[str, object]) -> object:
        """Fail the first time only."""
        if len(service.asked) > 1:
            service.fault = ""
        return answer(action, question)

    monkeypatch.setattr(service, "answer", heal)
    assert Account.recover_transaction(signer.sign_evm(transaction()).raw) == EVM_ADDRESS


def test_a_key_that_was_exchanged_behind_its_name_does_not_sign(service: KmsService) -> None:
    first, second = evm(), solana()
    service.keys = {EVM_ID: generate_private_key(SECP256K1()), SOLANA_ID: Ed25519PrivateKey.generate()}
    assert why(lambda: first.sign_evm(transaction())) == "AWS KMS gave an answer that is not this key's (ValueError)."
    assert why(lambda: second.sign_solana(MESSAGE)) == "AWS KMS gave an answer that is not this key's (ValueError)."


def test_a_key_of_the_other_kind_is_refused(service: KmsService) -> None:
    sentence = why(lambda: opened("aws_kms", SOLANA_ID, Family.EVM))
    assert sentence == "The key in AWS KMS is of another kind: this chain needs ECC_SECG_P256K1."
    sentence = why(lambda: opened("aws_kms", EVM_ID, Family.SOLANA))
    assert sentence == "The key in AWS KMS is of another kind: this chain needs ECC_NIST_EDWARDS25519."


def test_an_unknown_key_is_refused(service: KmsService) -> None:
    assert why(lambda: opened("aws_kms", "alias/unknown", Family.EVM)) == "AWS KMS did not sign: NotFoundException."


@pytest.mark.parametrize(
    "name",
    ["shop", "", "alias/", "alias/a b", "../x", "alias/" + "a" * 181, EVM_KEY.hex(), EVM_ID + "\n", EVM_ID[:-1] + "A"]
    + [f"arn:aws:kms:eu-central-1:12345:key/{EVM_ID}", "arn:aws:s3:::bucket"],
)
def test_what_names_no_key_is_never_asked(name: str, service: KmsService) -> None:
    sentence = why(lambda: opened("aws_kms", name, Family.EVM))
    assert sentence == "A key of AWS KMS is named by its id, its ARN, or alias/ and a name."
    assert service.asked == []


@pytest.mark.parametrize(
    "name", [EVM_ID, SOLANA_ID, "alias/shop-base", f"arn:aws:kms:eu-central-1:123456789012:key/{EVM_ID}"]
)
def test_names_of_keys(name: str) -> None:
    assert kms.is_kms_reference(name)


def test_each_kind_signs_its_own_only(service: KmsService) -> None:
    assert "does not sign messages of Solana" in why(lambda: evm().sign_solana(MESSAGE))
    assert "does not sign transactions of EVM" in why(lambda: solana().sign_evm(transaction()))


def test_without_credentials_nothing_is_signed(service: KmsService, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    kms._made_client.cache_clear()
    assert why(evm) == "AWS KMS did not sign: NoCredentialsError."


def test_without_boto3_it_is_said_how_to_get_it(service: KmsService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    sentence = why(evm)
    assert sentence == "AWS KMS cannot be asked: boto3 is not installed: pip install -r requirements/kms.txt."
