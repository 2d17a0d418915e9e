"""What the scripts of the claim page say: sentences, and every problem in three parts, marked for translation.

Why so careful of what is called certain: an answer may be lost after the service has taken a signature.
"""

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from core.language import isolated
from payments.explanation.parts import Parts

_WAITS = _("Your refund still waits. Nothing was changed.")
_PERHAPS = _("If your signature arrived, this page will show where your refund goes.")
_ASK = _("Ask the merchant, who can enter an address for you.")

SENTENCES: Final = {
    "connect": _("Connect the wallet that paid"),
    "where": _("Where shall it go?"),
    "connected": _("Connected: {0}"),
    "toWallet": _("To this wallet"),
    "toOther": _("To another address"),
    "address": _("Your address"),
    "help": _("An address of yours on {0}. What is sent to a wrong one is lost."),
    "text": _("Your wallet shows this text"),
    "sign": _("Sign in your wallet"),
    "answer": _("Answer in your wallet…"),
    "asking": _("Asking your wallet’s contract on its network. This takes up to three minutes…"),
    "another": _("Use another wallet"),
}
"""``{0}`` is a gap that the script fills."""

PROBLEMS: Final = {
    # The wallet.
    "wallet_missing": Parts(
        _("No wallet was found in this browser."),
        _WAITS,
        _("Open this page in the browser of the wallet that paid, or ask the merchant to enter an address."),
    ),
    "declined": Parts(_("You declined in your wallet."), _WAITS, _("Sign again, or use another wallet.")),
    "locked": Parts(
        _("Your wallet is locked or shared no account."), _WAITS, _("Unlock it, allow this site, and try again.")
    ),
    "request_pending": Parts(
        _("Your wallet already has a request open."),
        _WAITS,
        _("Open your wallet, decline what is open, and try again."),
    ),
    "account_changed": Parts(
        _("Your wallet switched to another account."), _WAITS, _("Connect the account that paid.")
    ),
    "wallet_failed": Parts(_("Your wallet gave no signature."), _WAITS, _("Try again, or use another wallet.")),
    # What was entered and signed.
    "address_refused": Parts(
        _("Your refund cannot be sent to this address."),
        _WAITS,
        _("Enter an address of your own on the network of the refund, copied whole from your wallet."),
    ),
    "signature_refused": Parts(
        _("That wallet did not sign this text."),
        _WAITS,
        _("Sign the text unchanged. If your wallet is a contract, ask the merchant to enter an address."),
    ),
    "contract_wallet": Parts(_("This wallet is a contract, and its signature cannot be checked here."), _WAITS, _ASK),
    "wallet_silent": Parts(
        _("The network could not say whether your wallet signed this text."), _WAITS, _("Try again in some minutes.")
    ),
    "text_too_old": Parts(
        _("The text that you signed is no longer good."), _WAITS, _("Sign once more: you get a new text.")
    ),
    # Who paid.
    "not_payer": Parts(
        _("This wallet did not pay what is refunded."), _WAITS, _("Connect the wallet that paid, or ask the merchant.")
    ),
    "paid_less": Parts(
        _("This wallet paid less than this refund sends back, or got a part of it back already."),
        _WAITS,
        _("Ask the merchant, who can split the refund."),
    ),
    "not_final": Parts(_("Your payment is not final on its network yet."), _WAITS, _("Try again in some minutes.")),
    # The service.
    "moved_on": Parts(
        _("This refund no longer waits for an address."),
        _("This page shows where it goes."),
        _("Load this page again. Ask the merchant if you do not know the address."),
    ),
    "too_often": Parts(_("That was too often."), _WAITS, _("Wait a minute, then try again.")),
    "refused": Parts(_("The service refused this."), _WAITS, _("Load this page again, or ask the merchant.")),
    "unreachable": Parts(_("The service cannot be reached."), _PERHAPS, _("Try again in a moment.")),
}

ANSWERS: Final = {
    "refund_destination_not_needed": "moved_on",
    "refund_claim_used": "moved_on",
    "refund_claim_unknown": "text_too_old",
    "refund_claim_expired": "text_too_old",
    "refund_claim_signature_invalid": "signature_refused",
    "refund_claim_contract_wallet": "contract_wallet",
    "refund_claim_wallet_silent": "wallet_silent",
    "refund_claim_not_payer": "not_payer",
    "refund_claim_exceeds_payment": "paid_less",
    "refund_claim_not_final": "not_final",
    "rate_limited": "too_often",
    "not_found": "refused",
    "invalid_request": "refused",
    "invalid_json": "refused",
    "malformed_request": "refused",
    "method_not_allowed": "refused",
    "payload_too_large": "refused",
    "unsupported_media_type": "refused",
    "internal_error": "unreachable",
    "temporarily_unavailable": "unreachable",
    "upstream_unavailable": "unreachable",
}
"""By the API's code. A code that is not here reads as ``unreachable``: whether it changed anything is not known."""


def spoken_words() -> dict[str, object]:
    """All of it as the page's script takes it, in the language that is active."""
    return {
        "sentences": {key: isolated(gettext(sentence)) for key, sentence in SENTENCES.items()},
        "problems": {code: [gettext(part) for part in parts] for code, parts in PROBLEMS.items()},
        "answers": ANSWERS,
    }
