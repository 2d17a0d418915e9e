"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"

    def ready(self) -> None:
        """Take part in the test clock, explanations, sums, samples; hear of settlements and changed addresses."""
        from core import test_clock
        from payments.explanation import register_aftermath
        from payments.services.balance import register_outflows
        from payments.services.settled import register_listener
        from payouts.explanation import PAYOUT_CODES, payout_lines
        from payouts.samples import sample_of
        from payouts.selectors import paid_out_from
        from payouts.services import moved  # noqa: F401 - its receiver connects
        from payouts.services.at_settle import look_soon
        from payouts.services.world import shift_due
        from payouts.states import FAILURE_REASONS
        from webhooks.events import register_sampler

        test_clock.register(shift_due)
        register_sampler("payout", sample_of)
        register_aftermath("payouts", payout_lines, PAYOUT_CODES, FAILURE_REASONS)
        register_outflows("payouts", paid_out_from)
        register_listener(look_soon)
