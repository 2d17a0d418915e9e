"""A stand-in for AWS KMS on this machine: its wire form, real keys, real signatures, and the ways in which it fails.

Why not moto's alone: moto 5.2.5 ignores ``MessageType=DIGEST`` and hashes the digest once more, and knows no Ed25519.
Source: AWS KMS API Reference, Sign and GetPublicKey; the wire form is botocore's own description (JSON 1.1).
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256K1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from chains.signers.evm import CURVE_ORDER
from tests.chains.signers.rows import EVM_KEY, SOLANA_KEY
from tests.machine import PATIENCE_SECONDS, pause

EVM_ID = "11111111-2222-3333-4444-555555555555"
SOLANA_ID = "mrk-0123456789abcdef0123456789abcdef"
_Key = EllipticCurvePrivateKey | Ed25519PrivateKey


@dataclass
class KmsService:
    keys: dict[str, _Key]
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    fault: str = ""
    half: str = ""
    """``high`` or ``low``: in which half of the curve each s lies; AWS returns either."""
    url: str = ""

    def answer(self, action: str, question: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append((action, question))
        key = self.keys.get(question["KeyId"])
        if key is None:
            return 400, {"__type": "NotFoundException", "message": "Key does not exist"}
        if action == "GetPublicKey":
            return 200, _public(question["KeyId"], key)
        signature = self._signature(key, question)
        if signature is None:
            return 400, {"__type": "InvalidKeyUsageException", "message": "not this algorithm"}
        return 200, {"KeyId": question["KeyId"], "Signature": base64.b64encode(signature).decode()}

    def _signature(self, key: _Key, question: dict[str, Any]) -> bytes | None:
        message = base64.b64decode(question["Message"])
        asked = (question["SigningAlgorithm"], question["MessageType"])
        if isinstance(key, Ed25519PrivateKey):
            return key.sign(message) if asked == ("ED25519_SHA_512", "RAW") else None
        if asked != ("ECDSA_SHA_256", "DIGEST") or len(message) != 32:
            return None
        return self._in_half(key.sign(message, ECDSA(Prehashed(hashes.SHA256()))))

    def _in_half(self, der: bytes) -> bytes:
        r, s = decode_dss_signature(der)
        if self.half:
            s = max(s, CURVE_ORDER - s) if self.half == "high" else min(s, CURVE_ORDER - s)
        return encode_dss_signature(r, s)


@contextmanager
def running() -> Iterator[KmsService]:
    ec = derive_private_key(int.from_bytes(EVM_KEY), SECP256K1())
    service = KmsService(keys={EVM_ID: ec, SOLANA_ID: Ed25519PrivateKey.from_private_bytes(SOLANA_KEY)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), _door(service))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _public(name: str, key: _Key) -> dict[str, Any]:
    der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    spec, algorithms = "ECC_NIST_EDWARDS25519", ["ED25519_SHA_512", "ED25519_PH_SHA_512"]
    if isinstance(key, EllipticCurvePrivateKey):
        spec, algorithms = "ECC_SECG_P256K1", ["ECDSA_SHA_256"]
    told = {"KeyId": name, "KeySpec": spec, "KeyUsage": "SIGN_VERIFY", "SigningAlgorithms": algorithms}
    return {**told, "PublicKey": base64.b64encode(der).decode()}


def _door(service: KmsService) -> type[BaseHTTPRequestHandler]:
    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            action = self.headers["X-Amz-Target"].removeprefix("TrentService.")
            status, body = service.answer(action, json.loads(raw))
            self._send(*_spoiled(service.fault, action, status, json.dumps(body).encode()))

        def _send(self, status: int, body: bytes) -> None:
            """Write the answer, and say that it closes: the next question would be sent into a closed connection."""
            self.close_connection = True
            if not status:
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Door


def _spoiled(fault: str, action: str, status: int, body: bytes) -> tuple[int, bytes]:
    """The answer as a fault leaves it; status 0 closes the connection without one."""
    if fault == "silent":
        pause(PATIENCE_SECONDS)
    if fault == "short" and action == "GetPublicKey":
        return status, body
    return _FAULTS.get(fault, (status, body))


_FAULTS = {
    "closes": (0, b""),
    "nonsense": (200, b"<html>"),
    "empty": (200, b"{}"),
    "throttles": (400, b'{"__type": "ThrottlingException", "message": "Rate exceeded for 123456789012"}'),
    "broken": (500, b'{"__type": "KMSInternalException", "message": "account 123456789012"}'),
    "disabled": (400, b'{"__type": "DisabledException"}'),
    "short": (200, json.dumps({"Signature": base64.b64encode(b"\x30\x06").decode()}).encode()),
}
