"""Live legs of before are known by their marks too, and readers ask for where their money arrives."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import migrations

from chains.reader.marks import mark_of_call, mark_of_tag
from chains.registry import EVM_NATIVE_ADDRESS, Family, chain

BATCH = 500
SETTLES = ("intent__settlement_chain", "intent__settlement_token_address", "intent__settlement_address")


def mark(apps: Any, editor: Any) -> None:
    """Write each leg's mark, and each address."""
    alias = editor.connection.alias
    legs = apps.get_model("payments", "Leg").objects.using(alias)
    addresses = apps.get_model("chains", "WatchedAddress").objects.using(alias)
    given = legs.filter(mode="live").exclude(issued={}).order_by()
    marked = []
    for leg in given.order_by("pk").iterator(BATCH):
        if not _is_evm(leg.chain):
            continue
        request = leg.issued.get("request")
        is_own = request is None or leg.kind == "transfer"
        leg.mark = mark_of_tag(str(leg.pk)) if is_own else mark_of_call(bytes.fromhex(request["data"][2:]))
        marked.append(leg)
    legs.bulk_update(marked, ["mark"], batch_size=BATCH)
    orders = apps.get_model("payments", "BridgeOrder").objects.using(alias)
    crossing = given.exclude(order_id="").values_list("pk", "order_id")
    orders.bulk_create([orders.model(leg_id=key, order_id=order) for key, order in crossing], batch_size=BATCH)
    for place, token, address in sorted(given.values_list(*SETTLES).distinct()):
        if _is_evm(place) and token != EVM_NATIVE_ADDRESS:
            addresses.get_or_create(network=settings.NETWORK_PROFILE, chain=place, token_address=token, address=address)


def _is_evm(name: str) -> bool:
    known = chain(name)
    return known is not None and known.family is Family.EVM


class Migration(migrations.Migration):
    """Rows alone."""

    dependencies: ClassVar = [("payments", "0006_readers"), ("chains", "0002_readers")]

    operations: ClassVar = [migrations.RunPython(mark, migrations.RunPython.noop)]
