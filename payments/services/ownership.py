"""Whose attempt it is: the browser's that began it, or the wallet's whose signature is shown.

Source: docs/adr/0045-an-attempt-belongs-to-who-began-it.md.
"""

from hashlib import sha256
from uuid import UUID

from chains.clients.evm_claims import signer_of_claim
from chains.instructions.transactions import validated_signature
from payments.errors import AttemptOfAnotherBrowser
from payments.models import Leg, PaymentAttempt, PaymentIntent, Reporter
from payments.services.attempts import attempt_of


def browser_of_secret(secret: str) -> str:
    """What is stored of a browser's secret, by which its rows are found; empty for none."""
    return sha256(f"browser:{secret}".encode()).hexdigest() if secret else ""


def browser_of_wallet(address: str) -> str:
    """Stands for the browser where a wallet asked for its transaction itself. No secret of a page leads to it."""
    return sha256(f"wallet:{address}".encode()).hexdigest()


def require_own(intent: PaymentIntent, attempt_id: UUID, browser: str) -> None:
    """Let only the browser act that began the attempt; one that was begun without a secret is anybody's.

    Why no lock: whose an attempt is never changes. Raises: NotFound, AttemptOfAnotherBrowser.
    """
    if not _is_own(attempt_of(intent, attempt_id), browser):
        raise AttemptOfAnotherBrowser


def require_own_or_claimed(
    intent: PaymentIntent, place: tuple[UUID, int], browser: str, *, tx_hash: str, claim: str
) -> Reporter:
    """As ``require_own``, or whoever brings the attempt's wallet's own signature under the claim of this transaction.

    Says who that is. ``place``: the attempt, and its leg. Raises: as ``require_own``.
    """
    attempt = attempt_of(intent, place[0])
    leg = _leg(attempt, place[1])
    if leg is not None and claim and signer_of_claim(str(leg.pk), tx_hash, claim) == attempt.payer_address:
        return Reporter.WALLET
    if not _is_own(attempt, browser):
        raise AttemptOfAnotherBrowser
    return Reporter.BROWSER if attempt.browser else Reporter.LINK


def require_own_or_signed(intent: PaymentIntent, place: tuple[UUID, int], browser: str, *, signed: str) -> None:
    """As ``require_own``, or whoever brings the very transaction that was issued, signed by its wallet.

    ``place``: the attempt, and its leg. Raises: as ``require_own``.
    """
    attempt = attempt_of(intent, place[0])
    if _is_own(attempt, browser):
        return
    leg = _leg(attempt, place[1])
    try:
        validated_signature(signed, leg.issued.get("transaction_base64", "") if leg else "")
    except ValueError as error:
        raise AttemptOfAnotherBrowser from error


def _is_own(attempt: PaymentAttempt, browser: str) -> bool:
    return attempt.browser in ("", browser)


def _leg(attempt: PaymentAttempt, sequence: int) -> Leg | None:
    found: Leg | None = attempt.legs.filter(sequence=sequence).first()
    return found
