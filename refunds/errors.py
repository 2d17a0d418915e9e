"""Refusals about refunds, each with its stable code."""

from decimal import Decimal

from chains.errors import InvalidAddress
from core.errors import Conflict, InvalidRequest, NotFound, ServiceError, field_problem
from core.money import ZERO_USD, json_number, to_decimal_string


class RefundExceedsBalance(ServiceError):
    """More than is left of what the intent received. Source: specification, Errors; docs/guides/errors.md."""

    code = "refund_exceeds_balance"
    http_status = 422

    def __init__(self, requested_usd: Decimal, refundable_usd: Decimal, paid_out_usd: Decimal = ZERO_USD) -> None:
        sentence = (
            f"{to_decimal_string(requested_usd)} USD is more than the {to_decimal_string(refundable_usd)} USD "
            "that can be refunded."
        )
        details = {"requested_usd": json_number(requested_usd), "refundable_usd": json_number(refundable_usd)}
        if paid_out_usd:
            sentence += (
                f" {to_decimal_string(paid_out_usd)} USD of this payment were paid out: to refund them from other "
                "funds of yours, say so with from_other_funds."
            )
            details |= {"paid_out_usd": json_number(paid_out_usd)}
        super().__init__(sentence, details=details)


class StrayNotFinal(Conflict):
    """It may not be there: it is not deep enough in its chain, or a reorganisation took it."""

    code = "stray_not_final"
    message = "This stray is not final on its chain, or is gone from it again. Look again later; nothing was sent."


class StrayGivenBack(Conflict):
    """One refund of it is enough."""

    code = "stray_given_back"
    message = "Another refund gives this stray back, or did already; nothing was sent."


class StrayPayerUnknown(Conflict):
    """It goes back to who provably sent it, and to nobody else."""

    code = "stray_payer_unknown"
    message = "No wallet is proven to have sent this stray, so the service gives it to none. Nothing was sent."


class StrayNotSendable(Conflict):
    """Nothing of the service could send it: the token is unknown to it, or the merchant does not have it."""

    code = "stray_not_sendable"
    message = "The service cannot send this token, or it did not come to the payment's own address. Nothing was sent."


class NoPayerToRepay(Conflict):
    """Nobody is proven to have paid what is left."""

    code = "refund_no_payer"
    message = (
        "No wallet is proven to have paid what is left, or what it paid is worth less than a cent. "
        "Ask the payer for an address and create a refund to it; nothing was changed."
    )


class SharesExceedBalance(ServiceError):
    """The payers' shares are more than is left: something went elsewhere, or other refunds hold it."""

    code = "refund_shares_exceed_balance"
    http_status = 422

    def __init__(self, shares_usd: Decimal, refundable_usd: Decimal) -> None:
        self.shares_usd, self.refundable_usd = shares_usd, refundable_usd
        super().__init__(
            f"The payers did not get {to_decimal_string(shares_usd)} USD back yet, and "
            f"{to_decimal_string(refundable_usd)} USD can be refunded. Cancel the refunds that wait, or refund each "
            "payer by itself; nothing was changed.",
            details={"shares_usd": json_number(shares_usd), "refundable_usd": json_number(refundable_usd)},
        )


class RefundNotCancellable(Conflict):
    """The refund is over, or something was signed that may still land."""

    code = "refund_not_cancellable"

    def __init__(self, status: str, *, is_over: bool) -> None:
        sentence = (
            f"A refund that is {status} cannot be cancelled."
            if is_over
            else "Something was signed for this refund that may still land, so it cannot be cancelled."
        )
        super().__init__(sentence, details={"status": status})


class RefundNotHeld(Conflict):
    """Nothing holds the refund back, so there is nothing to release."""

    code = "refund_not_held"

    def __init__(self, status: str) -> None:
        super().__init__(f"This refund is {status} and not held.", details={"status": status})


class RefundNotForWallet(Conflict):
    """No wallet of the merchant can send this refund now."""

    code = "refund_not_for_wallet"
    message = "This refund does not wait for a wallet. Look again at how it stands."


class RefundDestinationNotNeeded(Conflict):
    """The refund does not wait for a destination."""

    code = "refund_destination_not_needed"

    def __init__(self, status: str) -> None:
        super().__init__(f"This refund is {status} and does not wait for a destination.", details={"status": status})


class DestinationInvalid(InvalidRequest):
    """The destination cannot receive on the refund's chain. Source: docs/guides/refunds.md, Where it goes."""

    def __init__(self, chain_name: str, error: InvalidAddress) -> None:
        super().__init__(
            error.message,
            details={"fields": [field_problem("destination", "format", error.message)], "chain": chain_name}
            | error.details,
        )


class RefundTooSmall(InvalidRequest):
    """The amount is worth less than the smallest unit of the token that would be sent."""

    def __init__(self) -> None:
        message = "This is worth less than the smallest unit of the token."
        super().__init__(details={"fields": [field_problem("amount_usd", "precision", message)]})


class PayerUnknown(Conflict):
    """Nobody said whom to mail."""

    code = "payer_unknown"
    message = "No e-mail address came with this payment. Send the link yourself."


class PayerAskedAlready(Conflict):
    """The payer was mailed a moment ago."""

    code = "payer_asked_already"
    message = "The link was mailed within the last hour. Nothing was sent again."


class ClaimUnknown(NotFound):
    """This refund gave out no such nonce."""

    code = "refund_claim_unknown"
    message = "This refund gave out no such text to sign. Begin again; nothing was changed."

    def __init__(self) -> None:
        ServiceError.__init__(self)


class ClaimUsed(Conflict):
    """The nonce has done its work."""

    code = "refund_claim_used"
    message = "This signature was used already. Look again at how the refund stands."


class ClaimExpired(Conflict):
    """The nonce is too old."""

    code = "refund_claim_expired"
    message = "This text was good for ten minutes. Begin again, and sign the new one; nothing was changed."


class ClaimSignatureInvalid(ServiceError):
    """The wallet that was named did not sign the text that was given out."""

    code = "refund_claim_signature_invalid"
    http_status = 400
    message = (
        "This is not that wallet's signature of that text. Sign it unchanged with the wallet that you named. "
        "For a wallet that is a contract send `by_contract` with it, and its chain is asked; nothing was changed."
    )


class ClaimContractWallet(ServiceError):
    """A signature that only a contract could judge, where none is asked. Source: EIP-1271, EIP-6492."""

    code = "refund_claim_contract_wallet"
    http_status = 400
    message = (
        "Only a wallet that is a contract could judge this signature. In live mode send `by_contract` with it, and its "
        "chain is asked; else ask the merchant, who can enter an address for you. Nothing was changed."
    )


class ClaimWalletSilent(Conflict):
    """Nobody could say whether the wallet's contract takes the signature."""

    code = "refund_claim_wallet_silent"
    message = (
        "The chain could not say whether this wallet signed. Sign again in some minutes, or ask the merchant, who can "
        "enter an address for you; nothing was changed."
    )


class ClaimNotPayer(ServiceError):
    """The wallet is not one that paid."""

    code = "refund_claim_not_payer"
    http_status = 403
    message = "This wallet did not pay what is refunded. Connect the one that paid; nothing was changed."


class ClaimExceedsPayment(ServiceError):
    """The wallet paid, but less than the refund sends back."""

    code = "refund_claim_exceeds_payment"
    http_status = 403
    message = (
        "This wallet paid less than this refund sends back, or got some of it back already. "
        "Ask the merchant, who can split the refund; nothing was changed."
    )


class ClaimNotFinal(Conflict):
    """What the wallet paid can still be taken back by its chain."""

    code = "refund_claim_not_final"
    message = "Your payment is not final on its chain yet. Try again in some minutes; nothing was changed."
