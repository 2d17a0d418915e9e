"""What can go wrong on the page and with a wallet: what happened, where the money is, what to do now.

Why so careful of what is called certain: a wallet may send what its owner declined, and a page may never hear of it.
"""

from django.utils.translation import gettext_noop as _

from payments.explanation.parts import Parts

_SAFE = _("No payment was sent. Your money is still in your wallet.")
_FEE_AT_MOST = _("No payment was sent. At most a network fee was spent.")
_PERHAPS = _("It may have sent the payment. If so, it will show up here.")
_UNLESS_CONFIRMED = _("No payment is sent unless you confirm it in your wallet.")
_NOT_PASSED_ON = _("We did not send what it signed. Your money is still in your wallet.")
_GOES_ON = _("Payments already sent continue without this page.")
_ALLOWANCE_STAYS = _("No payment used the allowance. Your money is still in your wallet.")
_TOKEN_OR_LEAVE = _("Choose a token to try again, or leave this page.")
_ANOTHER_WALLET = _("Try again, or use another wallet.")
_ANOTHER_TOKEN = _("Try again, or pay with another token.")
_NEW_PRICE = _("Choose a token to get a new price.")
_LOOK_FIRST = _("Look into your wallet before you try again.")
_TAKE_BACK_LATER = _("Try to take it back again, or do it in your wallet.")

BEFORE = {
    "paid": (_("Nothing more was sent. What you paid before is on its way or with the merchant."), ""),
    "perhaps": (_("An earlier request may have sent the payment. If so, it will show up here."), _LOOK_FIRST),
}
"""Money and next instead of those of a ``CERTAIN`` problem: where a part was paid before, and where an earlier answer
of the wallet was unclear. An empty one is kept as it is."""

PROBLEMS: dict[str, Parts] = {
    # A wallet that was asked to connect, or to send one transaction.
    "declined": Parts(_("You declined in your wallet."), _SAFE, _TOKEN_OR_LEAVE),
    "locked": Parts(
        _("Your wallet is locked or shared no account."), _SAFE, _("Unlock it, allow this site, and try again.")
    ),
    "request_pending": Parts(
        _("Your wallet already has a request open."),
        _UNLESS_CONFIRMED,
        _("Open your wallet, decline what is open, and try again."),
    ),
    "wrong_network": Parts(
        _("Your wallet stayed on another network."),
        _SAFE,
        _("Allow the change in your wallet, or pay with another token."),
    ),
    "unknown_network": Parts(
        _("Your wallet does not know this network."), _SAFE, _("Add it in your wallet, or pay with another token.")
    ),
    "no_gas": Parts(
        _("Your wallet says that it holds too little for the payment and its network fee."),
        _SAFE,
        _("Add a little, or pay with another token."),
    ),
    "account_changed": Parts(
        _("Your wallet switched to another account."), _SAFE, _("Switch back, or connect the new account here.")
    ),
    "wallet_failed": Parts(_("Your wallet answered with an error."), _SAFE, _ANOTHER_WALLET),
    "wallet_refused": Parts(_("Your wallet refused what it was asked to send."), _SAFE, _ANOTHER_WALLET),
    "wallet_unclear": Parts(_("Your wallet gave no clear answer."), _PERHAPS, _LOOK_FIRST),
    # What a wallet signed, and the service passes on.
    "wallet_altered": Parts(_("Your wallet changed the payment before it signed it."), _NOT_PASSED_ON, _ANOTHER_WALLET),
    "signed_too_late": Parts(_("Your wallet signed after this try was over."), _NOT_PASSED_ON, _NEW_PRICE),
    # An allowance before the payment.
    "approval_declined": Parts(_("You declined the allowance in your wallet."), _FEE_AT_MOST, _TOKEN_OR_LEAVE),
    "payment_declined": Parts(
        _("You declined the payment in your wallet."),
        _FEE_AT_MOST,
        _("Choose a token to try again, or take the allowance back."),
    ),
    "approval_reverted": Parts(_("The network refused the allowance."), _FEE_AT_MOST, _ANOTHER_TOKEN),
    "approval_slow": Parts(
        _("The allowance is not confirmed yet."), _FEE_AT_MOST, _("Wait a minute, then press pay again.")
    ),
    "batch_refused": Parts(_("Your wallet could not send the payment."), _SAFE, _ANOTHER_TOKEN),
    "batch_reverted": Parts(_("The network refused the payment."), _FEE_AT_MOST, _ANOTHER_TOKEN),
    "batch_pending": Parts(
        _("Your wallet has not said how it ended."),
        _PERHAPS,
        _("Look into your wallet. Pressing pay again only asks it how it went."),
    ),
    # An allowance that is taken back.
    "revoke_declined": Parts(_("You kept the allowance."), _ALLOWANCE_STAYS, _TAKE_BACK_LATER),
    "revoke_failed": Parts(_("The allowance was not taken back."), _ALLOWANCE_STAYS, _TAKE_BACK_LATER),
    "revoke_unclear": Parts(
        _("It is not clear yet whether the allowance was taken back."), _ALLOWANCE_STAYS, _LOOK_FIRST
    ),
    # What the chain says of a transaction that a wallet told.
    "tx_not_for_this_intent": Parts(
        _("Your wallet named a transaction that is not this payment."),
        _("What it sent went where it was addressed."),
        _("Look into your wallet. Pay again only if it shows no payment to this merchant."),
    ),
    "tx_not_found": Parts(
        _("No network has seen what your wallet sent."),
        _("If it still lands, it will show up here."),
        _("Look into your wallet before you pay again."),
    ),
    "tx_already_used": Parts(
        _("This transaction was already used for another payment."),
        _("It counts for that payment, not for this one."),
        _("Look into your wallet before you pay again."),
    ),
    # Two pages, or two payers.
    "other_tab": Parts(
        _("Another tab is already asking your wallet."), _UNLESS_CONFIRMED, _("Answer there; this page follows.")
    ),
    "other_browser": Parts(
        _("This try was begun in another window or on another device."),
        _("This step sent no payment. What was sent before goes on."),
        _("Go on where you began, or choose a token to begin here."),
    ),
    "too_many_tries": Parts(
        _("This payment was begun too many times."),
        _("This step sent no payment. What was sent before goes on."),
        _("Ask the merchant for a new payment link."),
    ),
    # The price, and the payment itself.
    "quote_changed": Parts(
        _("The price changed before your wallet was asked."),
        _SAFE,
        _("Look at the new price, and confirm it if you agree."),
    ),
    "quote_expired": Parts(
        _("The price that you accepted is no longer current."),
        _SAFE,
        _("Look at the price that is shown now, or choose a token to get a new one."),
    ),
    "no_route": Parts(_("This token cannot be used right now."), _SAFE, _("Choose another token.")),
    "in_doubt": Parts(
        _("It is not known yet how the last payment ended."),
        _("It may be on its way or with the merchant. This step sent nothing."),
        _("Do not pay again. We keep looking, and this page will tell you."),
    ),
    "moved_on": Parts(
        _("The payment moved on in the meantime."),
        _("This step sent no payment. What was sent before goes on."),
        _("Look at this page again before you continue."),
    ),
    "gone": Parts(
        _("This payment is not here any more."),
        _("This step sent no payment. What was sent before goes on."),
        _("Ask the merchant for a new payment link."),
    ),
    # The service.
    "busy_service": Parts(_("Too many requests in a short time."), _SAFE, _("Wait a moment, then try again.")),
    "session_ended": Parts(_("This page was open for too long."), _GOES_ON, _("Reload it to go on.")),
    "not_allowed_here": Parts(
        _("This website may not show this payment."),
        _("No payment is sent from here. Payments already sent continue."),
        _("Open the payment's own page, or tell the merchant."),
    ),
    "unreachable": Parts(_("The payment service did not answer."), _GOES_ON, _("Check your connection and try again.")),
    "refused": Parts(
        _("The payment service refused this step."), _SAFE, _("Try again, or choose another token or wallet.")
    ),
}
"""By code. To add one: write it here, then ``make failures``; the tests fail until every language has it."""

CERTAIN = frozenset(code for code, parts in PROBLEMS.items() if parts.money in {_SAFE, _FEE_AT_MOST})
"""Those that say that no payment was sent."""

FALLBACK = "refused"
"""Said for a code that nobody wrote."""

OPENING = ("unreachable",)
"""Said before the others are loaded: that they cannot be."""
