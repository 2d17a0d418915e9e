"""Why a token or a route is best, worse or of no use, in the payer's words: one sentence for each code of the planner.

Nothing here comes from a provider: not its name for itself, and not its reasons.
"""

from collections.abc import Mapping

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from checkout.words.figures import usd
from payments.selectors import PROVIDER_TITLES

REASONS = {
    "exact": _("The exact amount, sent directly: nothing is converted."),
    "only_one": _("The only way that works right now."),
    "cheapest_and_fastest": _("Costs the least and arrives first."),
    "cheapest": _("Costs the least."),
    "fastest": _("Arrives first."),
    "best_balance": _("The best balance of cost, time and safety."),
    "together": _("No single balance suffices, so several transactions share the amount: %(count)s."),
    "dearer": _("Costs %(usd)s more than the best choice."),
    "dearer_and_slower": _("Costs %(usd)s more than the best choice and takes %(time)s longer."),
    "dearer_but_faster": _("Costs %(usd)s more than the best choice, but arrives %(time)s sooner."),
    "slower": _("Takes %(time)s longer than the best choice."),
    "cheaper_but_slower": _("Costs %(usd)s less than the best choice, but takes %(time)s longer."),
    "more_risk": _("More can go wrong on its way than with the best choice."),
    "not_enough": _("Not enough: %(needed)s %(symbol)s would be needed."),
    "no_gas_coin": _("Too little %(coin)s on %(chain)s for the network fee."),
    "below_minimum": _("The amount is too small for it."),
    "above_maximum": _("The amount is too large for it right now."),
    "fees_above_amount": _("Its fees would be higher than the amount."),
    "not_guaranteed": _("It does not guarantee that the whole amount arrives."),
    "price_moves": _("Exchanging so much would move the price too far."),
    "no_price": _("There is no reliable price for it right now."),
    "no_answer": _("It gave no answer in time."),
    "not_trusted": _("Its answer did not pass our checks."),
    "unfinished": _("It would carry a part, but the rest of the amount cannot be covered."),
    "nothing_to_convert": _("There is nothing for it to exchange."),
    "no_route": _("No way leads from this token to the merchant right now."),
}
"""By code. Source: payments/routing/reasons.py."""
TOO_LITTLE = _("Not enough %(symbol)s.")
"""Where nobody says how much would be needed."""
PROVIDERS = {**PROVIDER_TITLES, "direct": _("Direct transfer")}
"""What a payer calls who carries a payment; one that is not here goes by its own name."""
_MINUTE = 60
_IN_SECONDS = 90


def reason_words(code: str, facts: Mapping[str, str]) -> str:
    """The sentence of a code in the active language; empty for a code that nobody wrote."""
    sentence = REASONS.get(code, "")
    if not sentence:
        return ""
    if code == "not_enough" and not facts.get("needed"):
        sentence = TOO_LITTLE
    spoken = {**facts, "usd": usd(facts.get("usd", "0")), "time": duration_words(int(facts.get("seconds", "0")))}
    return gettext(sentence) % spoken


def provider_words(provider: str) -> str:
    """Who carries a payment."""
    return gettext(PROVIDERS[provider]) if provider in PROVIDERS else provider.capitalize()


def duration_words(seconds: int) -> str:
    """A length of time as people say it."""
    if seconds < _IN_SECONDS:
        return ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds}
    minutes = round(seconds / _MINUTE)
    return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
