"""Transfers by a signed authorization that a token itself honours once (EIP-3009). Pure.

Of our own transfers the nonce follows from the transfer's id, so the token makes a second one impossible for ever, and
after ``valid_before`` the first one too. A payer's (docs/adr/0114) has a nonce of its wallet's choice.
Source: EIP-3009, EIP-712; https://developers.circle.com (USDC's domains).
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chains.calldata.abi import WORD
from chains.registry import CHAINS

TRANSFER_WITH_AUTHORIZATION = bytes.fromhex("e3ee160e")
"""Selector of ``transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)``."""
TRANSFER_WITH_SIGNATURE = bytes.fromhex("cf092995")
"""Selector of the same with ``bytes`` in place of the last three: a contract's may be of any length (EIP-1271)."""
AUTHORIZATION_USED = bytes.fromhex("98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5")
"""Topic of ``AuthorizationUsed(address,bytes32)``, which the token logs right before the transfer."""
DOMAIN_NAME, DOMAIN_VERSION = "USD Coin", "2"
PLAY_DOMAIN_NAME = "Causeway test money"
"""The domain of authorizations in test mode. Why another one: no token on any chain honours what is signed there."""
TOKENS = frozenset((known.name, known.circle_usdc) for known in CHAINS if known.circle_usdc)
"""Circle's own USDC: tokens whose EIP-712 domain has that name and version. The chain is asked all the same."""
_SIGNATURE_BYTES, _SMALLEST_V = 65, 27
_DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
_FIELDS = (
    ("from", "address"),
    ("to", "address"),
    ("value", "uint256"),
    ("validAfter", "uint256"),
    ("validBefore", "uint256"),
    ("nonce", "bytes32"),
)
_TYPE = f"TransferWithAuthorization({','.join(f'{kind} {name}' for name, kind in _FIELDS)})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Authorization:
    """Lets anybody move so much from one address to another, once, before a moment (Unix seconds), after another one.

    ``domain_name``: the token's own name for what is signed.
    """

    chain_id: int
    token: str
    holder: str
    recipient: str
    base_units: int
    valid_before: int
    nonce: str
    valid_after: int = 0
    domain_name: str = DOMAIN_NAME

    def typed_data(self) -> dict[str, Any]:
        """What a wallet signs (EIP-712). Numbers are text, since scripts cannot hold them all."""
        domain = {
            "name": self.domain_name,
            "version": DOMAIN_VERSION,
            "chainId": self.chain_id,
            "verifyingContract": self.token,
        }
        numbers = (str(self.base_units), str(self.valid_after), str(self.valid_before))
        values = (self.holder, self.recipient, *numbers, self.nonce)
        return {
            "types": {
                "EIP712Domain": [
                    {"name": "name", "type": "string"},
                    {"name": "version", "type": "string"},
                    {"name": "chainId", "type": "uint256"},
                    {"name": "verifyingContract", "type": "address"},
                ],
                "TransferWithAuthorization": [{"name": name, "type": kind} for name, kind in _FIELDS],
            },
            "domain": domain,
            "primaryType": "TransferWithAuthorization",
            "message": dict(zip((name for name, _ in _FIELDS), values, strict=True)),
        }

    def digest(self) -> bytes:
        """The 32 bytes under which a wallet's key sets its signature (EIP-712)."""
        domain = _bytes(domain_separator(self.chain_id, self.token, self.domain_name))
        return _keccak(b"\x19\x01" + domain + _keccak(_keccak(_TYPE.encode()) + self._terms()))

    def calldata(self, signature: str) -> str:
        """The call that uses an ordinary key's signature. Raises: ValueError where it has another form."""
        raw = _bytes(signature)
        if len(raw) != _SIGNATURE_BYTES:
            raise ValueError("not a signature of an ordinary key")
        v = raw[-1] if raw[-1] >= _SMALLEST_V else raw[-1] + _SMALLEST_V
        return "0x" + (TRANSFER_WITH_AUTHORIZATION + self._terms() + v.to_bytes(WORD) + raw[: 2 * WORD]).hex()

    def calldata_with_bytes(self, signature: str) -> str:
        """The call that uses a signature as it is, whoever says that it is one."""
        raw = _bytes(signature)
        place, padding = (len(_FIELDS) + 1) * WORD, bytes(-len(raw) % WORD)
        signed = place.to_bytes(WORD) + len(raw).to_bytes(WORD) + raw + padding
        return "0x" + (TRANSFER_WITH_SIGNATURE + self._terms() + signed).hex()

    def _terms(self) -> bytes:
        addresses = (int(self.holder, 16), int(self.recipient, 16))
        numbers = (*addresses, self.base_units, self.valid_after, self.valid_before)
        return b"".join(number.to_bytes(WORD) for number in numbers) + _bytes(self.nonce)


def nonce_of(tag: str) -> str:
    """The nonce of a transfer: keccak of its id (the 16 bytes of a UUID).

    Source: docs/design/sending.md, An authorization's nonce.
    """
    return "0x" + _keccak(UUID(tag).bytes).hex()


def domain_separator(chain_id: int, token: str, name: str = DOMAIN_NAME) -> str:
    """What a token with the pinned domain answers to ``DOMAIN_SEPARATOR()``."""
    names = [_keccak(text.encode()) for text in (_DOMAIN_TYPE, name, DOMAIN_VERSION)]
    return "0x" + _keccak(b"".join(names) + chain_id.to_bytes(WORD) + int(token, 16).to_bytes(WORD)).hex()


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _keccak(content: bytes) -> bytes:
    from eth_hash.auto import keccak  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    return bytes(keccak(content))
