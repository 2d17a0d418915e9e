"""Every sentence that an explanation can hold: what tests of hostile texts take for the service's own words."""

from checkout.words.failures import payer_sentences
from payments.explanation import sentences
from payments.explanation.diagnosis import ATTEMPT_WORDS, LEG_WORDS, PROBLEM_WORDS
from payouts.explanation import PAYOUT_WORDS
from refunds.explanation import BEYOND_STATUS, REFUND_WORDS


def every_sentence() -> set[str]:
    """All of them, in the merchant's voice and in the payer's."""
    after = [*REFUND_WORDS.values(), *PAYOUT_WORDS.values(), *BEYOND_STATUS.values()]
    details = [*ATTEMPT_WORDS.values(), *LEG_WORDS.values(), *PROBLEM_WORDS.values()]
    return {
        *sentences(),
        *payer_sentences(),
        *details,
        *(text for told in after for text in (told.happened, told.money, told.next)),
    }
