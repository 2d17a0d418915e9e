"""Base58, in which Solana writes keys, signatures and hashes. Pure."""

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(raw: bytes) -> str:
    """Bytes as Solana writes them."""
    number, text = int.from_bytes(raw), ""
    while number:
        number, digit = divmod(number, len(_ALPHABET))
        text = _ALPHABET[digit] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + text


def from_base58(text: str) -> bytes:
    """The bytes that a text stands for. Raises: ValueError for a letter that is none of the 58."""
    number = 0
    for letter in text:
        number = number * len(_ALPHABET) + _ALPHABET.index(letter)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)
