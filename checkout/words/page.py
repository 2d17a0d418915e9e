"""What the page's scripts say, in English. ``{0}`` is a gap that the script fills with text of its own."""

from django.utils.translation import gettext_noop as _

from chains.registry import CHAINS, Family
from payments.explanation.parts import Parts
from payments.selectors import PROVIDER_TITLES

OPENING = {
    "chooseWallet": _("Choose a wallet"),
    "noWallets": _("No wallet was found in this browser. Use your phone, or a wallet app."),
    "notInTest": _("Real wallets rest in test mode"),
    "waiting": _("Waiting…"),
    "browserWallet": _("Browser wallet"),
    "left": _("{0} left to pay"),
    "reference": _("For support: {0}"),
}
"""Said before a wallet is pressed. Each costs bytes of the first load."""

LATER = {
    "payWith": _("Pay with"),
    "changeWallet": _("Change wallet"),
    "slow": _("The network answers slowly. We keep asking."),
    "looking": _("Looking at your balances on every network…"),
    "unreadable": _("Your balances could not be read."),
    "tryAgain": _("Try again"),
    "nothing": _("This wallet holds nothing that can be used here."),
    "tooLittle": _("Not enough to pay with ({0})"),
    "best": _("Best choice"),
    "needs": _("{0} ({1}) + {2} network fee · {3}"),
    "yourPayment": _("Your payment"),
    "quoting": _("Getting a firm price…"),
    "refreshing": _("Refreshing the price…"),
    "worsened": _("The price went up. It was {0}."),
    "atMost": _("You pay at most"),
    "atLeast": _("Merchant gets at least"),
    "fee": _("Service fee"),
    "gas": _("Network fee"),
    "total": _("All in all at most"),
    "takes": _("Takes about"),
    "money": _("Your money is"),
    "inWallet": _("in your wallet, until you confirm there"),
    "ways": _("Every way that was weighed ({0})"),
    "chosen": _("Chosen"),
    "routeCosts": _("{0} in all · {1}"),
    "refund": _("A refund would go to"),
    "ownWallet": _("your wallet {0}"),
    "elsewhere": _("Your wallet may have been asked already. Continue only if you have not confirmed there."),
    "pay": _("Pay {0}"),
    "connectToPay": _("Connect {0} to pay"),
    "before": _("Your wallet asks you to confirm. Nothing moves before that."),
    "changeToken": _("Change token"),
    "confirm": _("Confirm in your wallet"),
    "preparing": _("Preparing your transaction…"),
    "reset": _("Step {0} of {1}: set the old allowance of {2} to zero; this token asks for that first."),
    "allow": _("Step {0} of {1}: allow {2} to use exactly {3}, for this payment only."),
    "mined": _("Step {0} of {1} is on its way. The next request follows once the network has it."),
    "payStep": _("Step {0} of {1}: pay."),
    "both": _("One request: allow {2} to use exactly {3}, and pay."),
    "batch": _("Your wallet sends both together. Waiting for the network…"),
    "allowance": _("You allowed {0} to use {1}, and no payment used it."),
    "revoke": _("Take it back"),
    "request": _("Request {0} of {1}: look for your wallet's window."),
    "cancel": _("Cancel"),
    "keepOpen": _("Keep this page open until your wallet has sent the payment."),
    "keepOpenTitle": _("Keep this page open"),
    "unheard": _("Your wallet sent the payment, and the service has yet to hear of it. That takes a moment."),
    "progress": _("You can close this page"),
    "safe": _("The payment continues without it, and this address shows the result."),
    "doubt": _("You cannot pay twice"),
    "doubtWhy": _("One answer is missing. Paying again is switched off until it is here. You can close this page."),
    "receipt": _("Receipt"),
    "after": _("Keep or leave this page"),
    "print": _("Print this page"),
    "goBack": _("Return to the merchant"),
    "leaving": _("Returning in {0}…"),
    "stay": _("Stay here"),
    "on": _("{0} on {1}"),
    "move": _("Move {0} from {1} to {2}"),
    "swap": _("Swap {0} for {1} on {2}"),
    "send": _("Send {0} on {1}"),
    "elapsed": _("{0} of about {1}"),
    "took": _("took {0}"),
    "view": _("View transaction"),
    "viewOn": _("View on {0}"),
}
"""Said once a wallet was pressed, or where a payment is on its way."""

MOMENTS = {
    "connecting": Parts(
        _("Waiting for {0}"), _("Connecting moves no money."), _("Allow the connection in your wallet.")
    ),
    "starting": Parts(
        _("Preparing your payment"),
        _("Your money is still in your wallet."),
        _("Your wallet will ask you in a moment."),
    ),
    "signing": Parts(
        _("Confirm in {0}"),
        _("Your money stays in your wallet until you confirm."),
        _("Compare the amount, then confirm. Keep this page open."),
    ),
    "revoking": Parts(
        _("Confirm in {0}"), _("This only takes an allowance back."), _("Confirm, and keep this page open.")
    ),
    "sent": Parts(
        _("Your wallet says that it sent the payment"),
        _("If it was sent, it is on its way. The network has not shown it yet."),
        _("Nothing to do. Do not pay again."),
    ),
}
"""What this tab is in the middle of. ``{0}`` is the wallet's name."""

OPENING_NAMES = {"evm": _("Ethereum, Base and other EVM networks"), "solana": "Solana"}

LATER_NAMES = {
    **{known.name: known.short_name for known in CHAINS if known.family is Family.EVM},
    **PROVIDER_TITLES,
    "planned": _("Planned"),
    "awaiting_signature": _("Your wallet"),
    "submitted": _("Sent"),
    "confirming": _("Confirming"),
    "confirmed": _("Done"),
    "failed": _("Failed"),
    "refunded": _("Returned"),
    "in_doubt": _("Checking"),
}
"""Names of chains, providers and statuses by their ids. Proper names are the same in every language."""
