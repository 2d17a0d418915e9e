"""Every type of an answer by its name, for annotations: ``from causeway_sdk.types import PaymentIntent``."""

from causeway_sdk._generated import *  # noqa: F403 - all of them
