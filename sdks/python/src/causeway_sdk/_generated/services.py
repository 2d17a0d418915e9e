# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""The services as attributes of a client. Each is imported when it is first used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from causeway_sdk._resource import AsyncSends, Sends

if TYPE_CHECKING:
    from causeway_sdk._generated.async_calls.account import AsyncAccountService
    from causeway_sdk._generated.async_calls.events import AsyncEventsService
    from causeway_sdk._generated.async_calls.health import AsyncHealthService
    from causeway_sdk._generated.async_calls.payment_intents import AsyncPaymentIntentsService
    from causeway_sdk._generated.async_calls.payouts import AsyncPayoutsService
    from causeway_sdk._generated.async_calls.refunds import AsyncRefundsService
    from causeway_sdk._generated.async_calls.test_helpers import AsyncTestHelpersService
    from causeway_sdk._generated.async_calls.tokens import AsyncTokensService
    from causeway_sdk._generated.async_calls.webhook_endpoints import AsyncWebhookEndpointsService
    from causeway_sdk._generated.calls.account import AccountService
    from causeway_sdk._generated.calls.events import EventsService
    from causeway_sdk._generated.calls.health import HealthService
    from causeway_sdk._generated.calls.payment_intents import PaymentIntentsService
    from causeway_sdk._generated.calls.payouts import PayoutsService
    from causeway_sdk._generated.calls.refunds import RefundsService
    from causeway_sdk._generated.calls.test_helpers import TestHelpersService
    from causeway_sdk._generated.calls.tokens import TokensService
    from causeway_sdk._generated.calls.webhook_endpoints import WebhookEndpointsService


class Services(Sends):
    """Services whose methods block."""

    @cached_property
    def account(self) -> AccountService:
        """Who your key is: its merchant and mode, what it may do, and how often."""
        from causeway_sdk._generated.calls.account import AccountService

        return AccountService(self)

    @cached_property
    def events(self) -> EventsService:
        """What your webhook endpoints are sent."""
        from causeway_sdk._generated.calls.events import EventsService

        return EventsService(self)

    @cached_property
    def health(self) -> HealthService:
        """Is the service up?"""
        from causeway_sdk._generated.calls.health import HealthService

        return HealthService(self)

    @cached_property
    def payment_intents(self) -> PaymentIntentsService:
        """What you want to be paid, and how it went."""
        from causeway_sdk._generated.calls.payment_intents import PaymentIntentsService

        return PaymentIntentsService(self)

    @cached_property
    def payouts(self) -> PayoutsService:
        """What was paid out to you of settled intents."""
        from causeway_sdk._generated.calls.payouts import PayoutsService

        return PayoutsService(self)

    @cached_property
    def refunds(self) -> RefundsService:
        """What goes back to payers."""
        from causeway_sdk._generated.calls.refunds import RefundsService

        return RefundsService(self)

    @cached_property
    def test_helpers(self) -> TestHelpersService:
        """Test keys only: pay without a browser, move the test clock, send sample events."""
        from causeway_sdk._generated.calls.test_helpers import TestHelpersService

        return TestHelpersService(self)

    @cached_property
    def tokens(self) -> TokensService:
        """Tokens that payers can use."""
        from causeway_sdk._generated.calls.tokens import TokensService

        return TokensService(self)

    @cached_property
    def webhook_endpoints(self) -> WebhookEndpointsService:
        """Where you are told, with what signature, and what was delivered."""
        from causeway_sdk._generated.calls.webhook_endpoints import WebhookEndpointsService

        return WebhookEndpointsService(self)


class AsyncServices(AsyncSends):
    """Services whose methods are awaited."""

    @cached_property
    def account(self) -> AsyncAccountService:
        """Who your key is: its merchant and mode, what it may do, and how often."""
        from causeway_sdk._generated.async_calls.account import AsyncAccountService

        return AsyncAccountService(self)

    @cached_property
    def events(self) -> AsyncEventsService:
        """What your webhook endpoints are sent."""
        from causeway_sdk._generated.async_calls.events import AsyncEventsService

        return AsyncEventsService(self)

    @cached_property
    def health(self) -> AsyncHealthService:
        """Is the service up?"""
        from causeway_sdk._generated.async_calls.health import AsyncHealthService

        return AsyncHealthService(self)

    @cached_property
    def payment_intents(self) -> AsyncPaymentIntentsService:
        """What you want to be paid, and how it went."""
        from causeway_sdk._generated.async_calls.payment_intents import AsyncPaymentIntentsService

        return AsyncPaymentIntentsService(self)

    @cached_property
    def payouts(self) -> AsyncPayoutsService:
        """What was paid out to you of settled intents."""
        from causeway_sdk._generated.async_calls.payouts import AsyncPayoutsService

        return AsyncPayoutsService(self)

    @cached_property
    def refunds(self) -> AsyncRefundsService:
        """What goes back to payers."""
        from causeway_sdk._generated.async_calls.refunds import AsyncRefundsService

        return AsyncRefundsService(self)

    @cached_property
    def test_helpers(self) -> AsyncTestHelpersService:
        """Test keys only: pay without a browser, move the test clock, send sample events."""
        from causeway_sdk._generated.async_calls.test_helpers import AsyncTestHelpersService

        return AsyncTestHelpersService(self)

    @cached_property
    def tokens(self) -> AsyncTokensService:
        """Tokens that payers can use."""
        from causeway_sdk._generated.async_calls.tokens import AsyncTokensService

        return AsyncTokensService(self)

    @cached_property
    def webhook_endpoints(self) -> AsyncWebhookEndpointsService:
        """Where you are told, with what signature, and what was delivered."""
        from causeway_sdk._generated.async_calls.webhook_endpoints import AsyncWebhookEndpointsService

        return AsyncWebhookEndpointsService(self)
