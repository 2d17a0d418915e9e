"""Refusals about payment intents, each with its stable code."""

from collections.abc import Iterable
from enum import StrEnum

from core.errors import Conflict, InvalidRequest, ServiceError, field_problem
from payments.states import INTENT_MACHINE


class CurrencyUnsupported(ServiceError):
    """Amounts are in US dollars only. Source: docs/design/money.md, Dollars only."""

    code = "currency_unsupported"
    http_status = 400
    message = "Only USD is supported."

    def __init__(self) -> None:
        super().__init__(details={"supported": ["USD"]})


class ReturnUrlNotAllowed(ServiceError):
    """A return address on an origin that the merchant did not list, although it lists some."""

    code = "return_url_not_allowed"
    http_status = 400
    message = "Payers may be sent back to your listed origins only. Add this one on the dashboard, or use another."

    def __init__(self, origin: str) -> None:
        problem = field_problem("return_url", "unknown_value", "Its origin is not on your list.")
        super().__init__(details={"fields": [problem], "origin": origin})


class MetadataInvalid(ServiceError):
    """Metadata breaks one of its limits; ``details.limit`` names it.

    Source: docs/design/requests.md, Limits of a request.
    """

    code = "metadata_invalid"
    http_status = 400
    message = "metadata is larger or deeper than allowed."


class SettlementProfileMissing(ServiceError):
    """A live intent says nothing of its settlement and the merchant has no profile to take it from."""

    code = "settlement_profile_missing"
    http_status = 400
    message = "Say where to settle, or set a settlement profile on the dashboard."

    def __init__(self, missing: Iterable[str]) -> None:
        super().__init__(details={"missing": list(missing)})


class SettlementPairUnsupported(ServiceError):
    """Live settlement is limited to an allow-list of tokens by contract address."""

    code = "settlement_pair_unsupported"
    http_status = 400
    message = "This chain and token cannot be settled in live mode."


class SettlementAddressInvalid(ServiceError):
    """The address does not fit the chain."""

    code = "settlement_address_invalid"
    http_status = 400
    message = "This address cannot receive on that chain."


class SettlementAddressNotAllowed(ServiceError):
    """The merchant locked its live settlement addresses to its profile."""

    code = "settlement_address_not_allowed"
    http_status = 400
    message = "This merchant's settlement addresses are locked. Use an address of the settlement profile."


class SettlementAddressUnproven(ServiceError):
    """A chain's coin settles at addresses only that somebody signed with. Source: docs/adr/0035."""

    code = "settlement_address_unproven"
    http_status = 400
    message = (
        "A chain's own coin settles only at an address of the settlement profile that was proven. "
        "Prove it on the dashboard, under Settings, or settle in a token such as USDC."
    )


class IntentNotCancellable(Conflict):
    """The intent is past the point where cancelling is safe, or already over."""

    code = "intent_not_cancellable"

    def __init__(self, status: str) -> None:
        super().__init__(
            f"An intent that is {status} cannot be cancelled.",
            details={"status": status, "cancellable_from": INTENT_MACHINE.sources_of("cancel")},
        )


class Unacceptable(StrEnum):
    """Why what arrived of an intent cannot be accepted as enough."""

    NOT_PARTIALLY_FILLED = "not_partially_filled"
    ON_ITS_WAY = "on_its_way"
    NOTHING_KEPT = "nothing_kept"


class IntentNotAcceptable(Conflict):
    """What arrived of the intent cannot be accepted as enough, now or ever."""

    code = "intent_not_acceptable"
    _MESSAGES = {
        Unacceptable.NOT_PARTIALLY_FILLED: "Only a part of a payment can be accepted as enough; this one is {status}.",
        Unacceptable.ON_ITS_WAY: "More of this payment is on its way. Wait until it has arrived; nothing was changed.",
        Unacceptable.NOTHING_KEPT: "All that arrived goes back to the payer. Nothing is left that could be accepted.",
    }

    def __init__(self, status: str, reason: Unacceptable) -> None:
        acceptable_from = INTENT_MACHINE.sources_of("accept_partial")
        super().__init__(
            self._MESSAGES[reason].format(status=status),
            details={"status": status, "acceptable_from": acceptable_from, "reason": reason.value},
        )


class IntentNotSettled(Conflict):
    """Nothing of this intent can be sent on: it is not settled, or nothing arrived. Source: specification, Errors."""

    code = "intent_not_settled"

    def __init__(self, status: str) -> None:
        super().__init__(
            f"An intent that is {status} has received nothing that could be sent.", details={"status": status}
        )


class IntentNotPayable(Conflict):
    """No payment can be started now."""

    code = "intent_not_payable"

    def __init__(self, status: str) -> None:
        super().__init__(f"An intent that is {status} cannot be paid now.", details={"status": status})


class AttemptOfAnotherBrowser(ServiceError):
    """The attempt was begun elsewhere: the link lets anybody begin one, and act on one's own alone."""

    code = "attempt_of_another_browser"
    http_status = 403
    message = "This try was begun in another browser or wallet. Nothing was changed; begin one of your own."


class TooManyAttempts(Conflict):
    """Nobody begins another try of this payment: the wallet in this browser, or all together, had enough of them."""

    code = "too_many_attempts"

    def __init__(self, reason: str, most: int) -> None:
        super().__init__(
            "Too many tries of this payment were begun. Those that were sent still count; ask for a new payment link.",
            details={"reason": reason, "most": most},
        )


class TooManyHints(ServiceError):
    """So many hashes were reported for one transaction, and what became of none of them is known yet."""

    code = "too_many_hints"
    http_status = 429
    message = (
        "Too many hashes were reported for this transaction. Those before are looked for first; nothing was changed."
    )

    def __init__(self, most: int, seconds: int) -> None:
        details = {"most": most, "retryable": True, "retry_after_seconds": seconds}
        super().__init__(details=details, headers={"Retry-After": str(seconds)})


class PaymentInDoubt(Conflict):
    """The outcome of the last payment is still unknown, so a second one is refused."""

    code = "in_doubt"
    message = "The last payment's outcome is not known yet. Do not pay again; this page will tell you."


class QuoteExpired(Conflict):
    """The quote is no longer current."""

    code = "quote_expired"
    message = "This quote is no longer current. Ask for a new one; nothing was sent."


class TransactionAlreadyUsed(Conflict):
    """The hash was already reported for another payment."""

    code = "tx_already_used"
    message = "This transaction was already used for another payment."


class NotATransaction(InvalidRequest):
    """What was told as a transaction has not the form of one on the leg's chain. Nothing was kept of it."""

    code = "not_a_transaction"
    message = "This is not the hash of a transaction on that chain. Nothing was changed; send the one your wallet gave."

    def __init__(self, chain_name: str) -> None:
        problem = field_problem("tx_hash", "format", self.message)
        super().__init__(details={"chain": chain_name, "fields": [problem]})


class TransactionAltered(Conflict):
    """What the wallet signed is not the transaction that it was given."""

    code = "transaction_altered"
    message = "The wallet signed another transaction than the one it was given. We did not send it."


class TransactionNotAwaited(Conflict):
    """A signed transaction for a leg that waits for none. Why refused: nobody may pay by a try that was given up."""

    code = "transaction_not_awaited"
    message = "This payment does not wait for that transaction any more. We did not send it."


class UnknownToken(InvalidRequest):
    """The payer chose a token that its wallet does not list."""

    def __init__(self) -> None:
        problem = field_problem("token_address", "unknown_value", "Choose a token from the wallet's list.")
        super().__init__(details={"fields": [problem]})


class AuthorizationNotOffered(Conflict):
    """This intent cannot be paid by a signed authorization; ``details.reason`` says why."""

    code = "authorization_not_offered"
    message = "This payment cannot be made by a signed authorization. Open its page in a browser to pay."

    def __init__(self, reason: str) -> None:
        super().__init__(details={"reason": reason})


class AuthorizationUnfit(ServiceError):
    """What was signed is not what was asked for: ``details.field`` names the first thing that differs."""

    code = "authorization_unfit"
    http_status = 402
    message = "What was signed is not what this payment asks for. Nothing was sent; sign what is asked for."

    def __init__(self, field: str) -> None:
        super().__init__(details={"field": field})


class AuthorizationUntimely(ServiceError):
    """The authorization's time is over, about to be, or has not begun."""

    code = "authorization_untimely"
    http_status = 402
    message = "The authorization is not valid now, or not for long enough. Nothing was sent; sign a new one."


class AuthorizationUnsigned(ServiceError):
    """The signature is not of the key whose address pays. Contracts' signatures are not taken (docs/x402.md)."""

    code = "authorization_unsigned"
    http_status = 402
    message = "An ordinary key signs for the wallet that pays, and this is not its signature. Nothing was sent."


class AuthorizationUnused(ServiceError):
    """What was signed was taken, and moved nothing; ``details.reason`` says why."""

    code = "authorization_unused"
    http_status = 402
    message = "The authorization was taken and moved nothing. Sign a new one if the payment is still to be made."

    def __init__(self, reason: str) -> None:
        super().__init__(details={"reason": reason})


class AuthorizationAlreadyUsed(Conflict):
    """The same authorization, by token, wallet and nonce, was taken for another payment, or with other terms."""

    code = "authorization_already_used"
    message = "This authorization was already given for another payment. Nothing was sent; sign a new one."


class SettlementUnchanged(Conflict):
    """It is so already."""

    code = "settlement_unchanged"
    message = "This is how it is already. Nothing was changed."


class SettlementChangeWaits(Conflict):
    """Another change of the same thing waits, or the one that was shown no longer does."""

    code = "settlement_change_waits"
    message = "Another change of this is waiting. Look at it, then say whether yours replaces it."


class SettlementChangeOver(Conflict):
    """The change took effect, was withdrawn, or was replaced, meanwhile."""

    code = "settlement_change_over"
    message = "This change no longer waits. Nothing was done."

    def __init__(self, status: str) -> None:
        super().__init__(details={"status": status})


class SecondPersonRequired(Conflict):
    """Who asked for a change, or came to lead the team only afterwards, cannot be the one who confirms it."""

    code = "second_person_required"
    message = "Another person confirms this: somebody who was an owner or admin when it was asked for, and did not ask."


class SettlementFamilyUnknown(InvalidRequest):
    """No payments settle on such chains, or none of the merchant's do."""

    message = "There is no settlement address of this kind yet. Set one first."


class SettlementSignatureWrong(InvalidRequest):
    """The text was not signed with the address that is to be proven."""

    code = "settlement_signature_wrong"
    message = "This is not that address's signature under exactly that text."
