"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"

    def ready(self) -> None:
        """Take part in the test clock, explanations and sums, and hear of settlements and changed addresses."""
        from core import test_clock
        from payments.explanation import register_aftermath
        from payments.services.balance import register_outflows
        from payments.services.settled import register_listener
        from payments.services.settlement_effect import register_effect
        from payouts.explanation import payout_lines
        from payouts.selectors import paid_out_from
        from payouts.services.at_settle import look_soon
        from payouts.services.moved import hold_all_moved
        from payouts.services.world import shift_due

        test_clock.register(shift_due)
        register_aftermath("payouts", payout_lines)
        register_outflows("payouts", paid_out_from)
        register_effect(hold_all_moved)
        register_listener(look_soon)
