"""Keys that never leave AWS KMS: it is asked for each signature, and every answer is held against the address.

Why imports inside functions: boto3 is an extra (``requirements/kms.txt``), and like solders it loads slowly.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from django.conf import settings

from chains.registry import Family
from chains.signers.base import EvmTransaction, SignedEvm, SignerUnavailable
from chains.signers.evm import NOT_SOLANA, checksummed, digest_of, put_together
from chains.signers.solana import NOT_EVM, verified

if TYPE_CHECKING:
    from types_boto3_kms import KMSClient

CONNECT_TIMEOUT, READ_TIMEOUT = 2, 4
MOST_ATTEMPTS = 2
"""Together at most 13 seconds for a signature: a sweep waits that long, and asks again later."""
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KEY = rf"(?:{_UUID}|mrk-[0-9a-f]{{32}})"
_REFERENCE = re.compile(
    rf"{_KEY}|alias/[A-Za-z0-9/_-]{{1,180}}|arn:aws[a-z-]*:kms:[a-z0-9-]{{4,25}}:\d{{12}}:key/{_KEY}"
)
_SPECS = {Family.EVM: "ECC_SECG_P256K1", Family.SOLANA: "ECC_NIST_EDWARDS25519"}
_UNCOMPRESSED = b"\x04"
Answered = TypeVar("Answered")


class EvmKmsSigner:
    """Signs with a secp256k1 key of AWS KMS."""

    def __init__(self, reference: str, address: str) -> None:
        self._reference = reference
        self.address = address

    def __repr__(self) -> str:
        """The address."""
        return f"<EvmKmsSigner {self.address}>"

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        """Have it signed. Raises: SignerUnavailable."""
        digest = digest_of(transaction)
        signature = _ask(
            lambda kms: kms.sign(
                KeyId=self._reference, Message=digest, MessageType="DIGEST", SigningAlgorithm="ECDSA_SHA_256"
            )["Signature"]
        )
        return _believed(lambda: put_together(transaction, *decode_dss_signature(signature), self.address))

    def sign_solana(self, message: bytes) -> bytes:
        """Refuse. Raises: SignerUnavailable."""
        raise SignerUnavailable(NOT_SOLANA)


class SolanaKmsSigner:
    """Signs with an Ed25519 key of AWS KMS."""

    def __init__(self, reference: str, address: str) -> None:
        self._reference = reference
        self.address = address

    def __repr__(self) -> str:
        """The address."""
        return f"<SolanaKmsSigner {self.address}>"

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        """Refuse. Raises: SignerUnavailable."""
        raise SignerUnavailable(NOT_EVM)

    def sign_solana(self, message: bytes) -> bytes:
        """Have it signed: the whole message, since Ed25519 hashes it itself. Raises: SignerUnavailable."""
        signature = _ask(
            lambda kms: kms.sign(
                KeyId=self._reference, Message=message, MessageType="RAW", SigningAlgorithm="ED25519_SHA_512"
            )["Signature"]
        )
        return _believed(lambda: verified(signature, message, self.address))


def open_kms(reference: str, family: Family) -> EvmKmsSigner | SolanaKmsSigner:
    """What signs with a key of AWS KMS, whose public key is asked for. Raises: SignerUnavailable."""
    if not is_kms_reference(reference):
        raise SignerUnavailable("A key of AWS KMS is named by its id, its ARN, or alias/ and a name.")
    address = _address(reference, family)
    return EvmKmsSigner(reference, address) if family is Family.EVM else SolanaKmsSigner(reference, address)


def is_kms_reference(text: str) -> bool:
    """Whether it can name a key of AWS KMS."""
    return _REFERENCE.fullmatch(text) is not None


def _address(reference: str, family: Family) -> str:
    found = _ask(lambda kms: kms.get_public_key(KeyId=reference))
    if found.get("KeySpec", found.get("CustomerMasterKeySpec")) != _SPECS[family]:
        raise SignerUnavailable(f"The key in AWS KMS is of another kind: this chain needs {_SPECS[family]}.")
    return _believed(lambda: _address_of(found["PublicKey"], family))


def _address_of(encoded: bytes, family: Family) -> str:
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    public = load_der_public_key(encoded)
    if family is Family.SOLANA:
        return str(Pubkey(public.public_bytes(Encoding.Raw, PublicFormat.Raw)))
    return checksummed(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint).removeprefix(_UNCOMPRESSED))


def _ask(question: "Callable[[KMSClient], Answered]") -> Answered:
    """One question to the service. Why the sentence holds its code only: messages name accounts and roles."""
    client = _client()
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  (slow import, see module)

    try:
        return question(client)
    except ClientError as error:
        reason = str(error.response.get("Error", {}).get("Code", "")) or "an error"
    except BotoCoreError as error:
        reason = type(error).__name__
    except Exception as error:
        reason = f"an answer of no known form ({type(error).__name__})"
    raise SignerUnavailable(f"AWS KMS did not sign: {reason}.")


def _believed(read: Callable[[], Answered]) -> Answered:
    """What an answer says. Why so broad a catch: it comes from outside, and the libraries fail in any way."""
    try:
        return read()
    except Exception as error:
        reason = type(error).__name__
    raise SignerUnavailable(f"AWS KMS gave an answer that is not this key's ({reason}).")


def _client() -> "KMSClient":
    if not settings.SIGNER_KMS_REGION:
        raise SignerUnavailable("SIGNER_KMS_REGION is not set, so AWS KMS is not asked.")
    with _making:
        try:
            return _made_client(settings.SIGNER_KMS_REGION, settings.SIGNER_KMS_ENDPOINT)
        except ImportError:
            reason = "boto3 is not installed: pip install -r requirements/kms.txt"
        except Exception as error:
            reason = f"its settings cannot be used ({type(error).__name__})"
    raise SignerUnavailable(f"AWS KMS cannot be asked: {reason}.")


_making = Lock()
"""Why: a client may be shared between threads, but two must not be made at once."""


@lru_cache(maxsize=4)
def _made_client(region: str, endpoint: str) -> "KMSClient":
    import boto3  # noqa: PLC0415  (slow import, see module)
    from botocore.config import Config  # noqa: PLC0415  (slow import, see module)

    config = Config(
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        retries={"mode": "standard", "total_max_attempts": MOST_ATTEMPTS},
    )
    client: KMSClient = boto3.session.Session().client(
        "kms", region_name=region, endpoint_url=endpoint or None, config=config
    )
    return client
