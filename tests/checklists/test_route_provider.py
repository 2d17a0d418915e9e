"""Adding a route provider is a folder and an entry; it is asked, weighed, chosen, named to the payer, and paid with."""

import pytest

from tests.checklists.copies import Copy

pytestmark = pytest.mark.slow

PROVIDER = '''"""Harbour: an aggregator of test mode that takes a tenth of a per cent."""

from chains.registry import chain
from core.money import BaseUnits, usd
from payments.routing.assets import dollars_down, key_of, units_worth, value_usd
from payments.routing.base import LegKind, Prepared, RouteOffer, RouteProvider, RouteRequest, SigningOrder
from payments.routing.offers import counting_seconds
from payments.routing.simulated import simulated_transaction


class HarbourProvider(RouteProvider):
    """Swaps on one chain."""

    name, title = "harbour", "Harbour"

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One offer where the payer has another token on the same chain."""
        source, destination = request.source, request.destination
        if key_of(source) == key_of(destination) or source.chain != destination.chain or chain(source.chain) is None:
            return []
        target = request.target_base_units
        worth = value_usd(destination, target)
        return [
            RouteOffer(
                provider=self.name,
                request=request,
                kind=LegKind.SWAP,
                input_base_units=units_worth(source, worth * 1001 / 1000),
                min_output_base_units=target,
                expected_output_base_units=BaseUnits(target),
                to_amount_usd=dollars_down(worth),
                fee_usd=dollars_down(worth / 1000),
                gas_usd=usd("0.01"),
                duration_sec=counting_seconds(request),
                raw={"tool": "quay"},
            )
        ]

    def prepare(self, order: SigningOrder) -> Prepared:
        """A make-believe transaction at the agreed price."""
        return simulated_transaction(self.name, order)


HARBOUR = HarbourProvider()
'''
OWN_TEST = '''"""Harbour, from the door to the settled payment."""

from checkout.words.reasons import provider_words
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create, read


def test_it_is_chosen_named_and_paid_with(world: World, api: ApiClient) -> None:
    intent = create(api, settlement_chain="base", settlement_token="USDC")
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "base", "ETH"))
    world.run(60)
    listed = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    assert [one["provider"] for one in listed if one["chosen"]] == ["harbour"]
    assert provider_words("harbour") == "Harbour"
    assert read(api, intent)["status"] == "settled"
'''


def test_a_provider_is_a_folder_and_an_entry(copy: Copy) -> None:
    copy.add("payments/routing/harbour/__init__.py", '"""Harbour."""\n')
    copy.add("payments/routing/harbour/provider.py", PROVIDER)
    imported = "from payments.routing.harbour.provider import HARBOUR\n"
    copy.put_before("payments/routing/registry.py", "from payments.routing.jupiter", imported)
    copy.put_before("payments/routing/registry.py", "SIMULATED_MERIDIAN)\n", "HARBOUR, ")
    copy.add("tests/payments/test_harbour.py", OWN_TEST)
    assert copy.passed("tests/payments/test_harbour.py") == 1
