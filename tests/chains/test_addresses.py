"""Addresses: form, checksum, one spelling; and the ones that nobody can own."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.constants import ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from chains import addresses
from chains.addresses import parse_address, refuse_unpayable
from chains.base58 import base58, from_base58
from chains.errors import InvalidAddress, UnpayableAddress
from chains.registry import CHAINS, Chain

BY_NAME = {entry.name: entry for entry in CHAINS}
BASE, SOLANA = BY_NAME["base"], BY_NAME["solana"]
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
WALLET = str(Keypair.from_seed(bytes([1]) * 32).pubkey())
EIP_55 = (
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
)
"""The examples of EIP-55 itself."""


def no_address(chain: Chain, text: str) -> str:
    with pytest.raises(InvalidAddress) as caught:
        parse_address(chain, text)
    assert caught.value.http_status == 400
    assert caught.value.details == {"chain_family": chain.family, "reason": caught.value.reason}
    return caught.value.reason


def refusal(chain: Chain, address: str, *known_tokens: str) -> str:
    assert parse_address(chain, address) == address
    with pytest.raises(UnpayableAddress) as caught:
        refuse_unpayable(chain, address, frozenset(known_tokens))
    assert caught.value.details == {"chain_family": chain.family, "reason": caught.value.reason}
    return caught.value.reason


def test_an_address_has_one_spelling_and_mixed_case_must_match_the_checksum() -> None:
    for address in EIP_55:
        texts = (address, address.lower(), "0x" + address[2:].upper())
        assert {parse_address(BASE, text) for text in texts} == {address}
    for address in (WALLET, USDC_MINT, "11111111111111111111111111111111"):
        assert parse_address(SOLANA, address) == address
    address = EIP_55[0]
    for position in (3, 4, 41):
        wrong = address[:position] + address[position].swapcase() + address[position + 1 :]
        assert no_address(BASE, wrong) == "checksum"


def test_what_is_no_address() -> None:
    digits = "833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    odd = ["", "0x", digits, "0X" + digits.upper(), f"0x{digits[:-1]}", f"0x{digits}0", f"0x{digits[:-1]}g"]
    for text in [*odd, f"0x{digits}\n", f" 0x{digits}", f"0x{digits[:-1]}٣", "\ud800", USDC_MINT, "vitalik.eth"]:
        assert no_address(BASE, text) == "format", text
    for text in ("", USDC_ON_BASE, USDC_MINT.replace("E", "0", 1), USDC_MINT + "\n", "é" * 40):
        assert no_address(SOLANA, text) == "format", text
    for text in ("1" * 33, "1" * 44, "z" * 44, USDC_MINT[:-2]):
        assert no_address(SOLANA, text) == "length", text


@given(st.binary(min_size=32, max_size=32))
def test_all_bytes_are_an_address_and_parsing_is_stable(raw: bytes) -> None:
    once = parse_address(BASE, "0x" + raw[:20].hex())
    assert once.lower() == "0x" + raw[:20].hex()
    assert parse_address(BASE, once) == once
    text = str(Pubkey.from_bytes(raw))
    assert parse_address(SOLANA, text) == text == base58(raw)
    assert (from_base58(base58(raw)), from_base58(base58(b"\0" + raw))) == (raw, b"\0" + raw)


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    for chain in (BASE, SOLANA):
        with contextlib.suppress(InvalidAddress):
            parse_address(chain, text)


UNPAYABLE = {
    "reserved": [
        "0x0000000000000000000000000000000000000000",
        "0x0000000000000000000000000000000000000001",
        "0x000000000000000000000000000000000000dEaD",
        "0x0000000000000000000000000000000000001010",
        "0x4200000000000000000000000000000000000010",
    ],
    "contract": [
        "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
        "0xcA11bde05977b3631167028862bE2a173976CA11",
        "0x000000000022D473030F116dDEE9F6B43aC78BA3",
        "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    ],
}
PROGRAMS = [
    "11111111111111111111111111111111",
    *map(str, (TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, ASSOCIATED_TOKEN_PROGRAM_ID)),
    "Stake11111111111111111111111111111111111111",
    "SysvarRent111111111111111111111111111111111",
]


@pytest.mark.spec("Rulings C13.1")
def test_addresses_that_nobody_owns_are_refused() -> None:
    assert refusal(BASE, USDC_ON_BASE, USDC_ON_BASE) == "token"
    assert refusal(SOLANA, USDC_MINT, USDC_MINT) == "token"
    for reason, evm in UNPAYABLE.items():
        for address in evm:
            assert refusal(BASE, address) == reason, address
    for address in PROGRAMS:
        assert refusal(SOLANA, address) == "program", address
    owner, mint = Pubkey.from_string(WALLET), Pubkey.from_string(USDC_MINT)
    assert refusal(SOLANA, str(get_associated_token_address(owner, mint, TOKEN_PROGRAM_ID))) == "off_curve"
    refuse_unpayable(BASE, EIP_55[0], frozenset({USDC_ON_BASE}))
    refuse_unpayable(SOLANA, WALLET, frozenset({USDC_MINT}))
    for chain, listed in ((BASE, addresses._EVM_CONTRACTS), (SOLANA, addresses._SOLANA_PROGRAMS)):
        assert {parse_address(chain, address) for address in listed} == listed, "spelt as it is stored"
