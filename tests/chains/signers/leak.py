"""A planted leak: a secret in a frame of another file, for the test of the tests."""

from typing import NoReturn

from chains.signers.base import SignerUnavailable


def fail_with_a_local(secret: str) -> NoReturn:
    """Fail while a secret is in reach."""
    raise SignerUnavailable(f"a sentence of {len(secret)} letters")
