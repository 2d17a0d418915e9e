"""What tests of pages about payouts begin with."""

from tests.refunds.conftest import owner  # noqa: F401 - a fixture
