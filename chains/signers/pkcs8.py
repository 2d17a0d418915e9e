"""Ed25519 keys as encrypted PKCS #8, in PEM: what OpenSSL writes and reads.

Why written out here: ``cryptography`` writes this form with 2,048 rounds only, and a stolen file would then yield to
guessing. It reads any number. Source: RFC 5958, RFC 8018 (PBES2), RFC 8410; https://cheatsheetseries.owasp.org,
Password Storage.
"""

import base64
import hashlib
import os
import textwrap

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

ROUNDS = 600_000
_SEQUENCE, _INTEGER, _OCTETS, _IDENTIFIER = 0x30, 0x02, 0x04, 0x06
_PBES2 = bytes.fromhex("2a864886f70d01050d")
_PBKDF2 = bytes.fromhex("2a864886f70d01050c")
_HMAC_SHA256 = bytes.fromhex("2a864886f70d0209")
_AES_256_CBC = bytes.fromhex("60864801650304012a")
_KIND = "ENCRYPTED PRIVATE KEY"
_NULL = b"\x05\x00"
_BLOCK, _KEY_BYTES = 16, 32
_SHORT_LENGTHS = 128


def closed(secret: bytes, passphrase: bytes) -> bytes:
    """The file of a key."""
    salt, start = os.urandom(_BLOCK), os.urandom(_BLOCK)
    padding = PKCS7(8 * _BLOCK).padder()
    key = Ed25519PrivateKey.from_private_bytes(secret)
    plain = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    padded = padding.update(plain) + padding.finalize()
    closing = hashlib.pbkdf2_hmac("sha256", passphrase, salt, ROUNDS, _KEY_BYTES)
    cipher = Cipher(algorithms.AES(closing), modes.CBC(start)).encryptor()
    content = _container(salt, start, cipher.update(padded) + cipher.finalize())
    lines = textwrap.wrap(base64.b64encode(content).decode(), 64)
    return "\n".join([f"-----BEGIN {_KIND}-----", *lines, f"-----END {_KIND}-----", ""]).encode()


def opened(file: bytes, passphrase: bytes) -> bytes:
    """The 32 secret bytes of a file's key. Raises: ValueError or TypeError where it is no such file, or passphrase."""
    key = load_pem_private_key(file, passphrase)
    if not isinstance(key, Ed25519PrivateKey):
        raise TypeError("a key of another kind")
    return key.private_bytes_raw()


def _container(salt: bytes, start: bytes, encrypted: bytes) -> bytes:
    rounds = ROUNDS.to_bytes(3)
    function = _entry(_SEQUENCE, _entry(_IDENTIFIER, _HMAC_SHA256), _NULL)
    stretched = _entry(_SEQUENCE, _entry(_OCTETS, salt), _entry(_INTEGER, rounds), function)
    derivation = _entry(_SEQUENCE, _entry(_IDENTIFIER, _PBKDF2), stretched)
    cipher = _entry(_SEQUENCE, _entry(_IDENTIFIER, _AES_256_CBC), _entry(_OCTETS, start))
    scheme = _entry(_SEQUENCE, _entry(_IDENTIFIER, _PBES2), _entry(_SEQUENCE, derivation, cipher))
    return _entry(_SEQUENCE, scheme, _entry(_OCTETS, encrypted))


def _entry(tag: int, *parts: bytes) -> bytes:
    """One entry of DER."""
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < _SHORT_LENGTHS else bytes([_SHORT_LENGTHS | 1, size])
    return bytes([tag]) + length + content
