"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"

    def ready(self) -> None:
        """Take part in explanations and sums; hear of settlements and changed addresses."""
        from payments.explanation import register_aftermath
        from payments.services.balance import register_outflows
        from payments.services.settled import register_listener
        from payouts.explanation import PAYOUT_CODES, payout_lines
        from payouts.selectors import paid_out_from
        from payouts.services import moved  # noqa: F401 - its receiver connects
        from payouts.services.at_settle import look_soon
        from payouts.states import FAILURE_REASONS

        register_aftermath("payouts", payout_lines, PAYOUT_CODES, FAILURE_REASONS)
        register_outflows("payouts", paid_out_from)
        register_listener(look_soon)
