"""Live legs on Solana of before are known by their references, and the accounts where they are paid are read."""

from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.db import migrations
from django.db.models import Max

from chains.registry import Family, chain

BATCH = 500
WATCHED = timedelta(hours=24)
SETTLES = ("intent__settlement_chain", "intent__settlement_token_address", "intent__settlement_address")


def mark(apps: Any, editor: Any) -> None:
    """Write each leg's reference as its mark, and each address with the time until which payments are awaited there."""
    alias = editor.connection.alias
    legs = apps.get_model("payments", "Leg").objects.using(alias)
    addresses = apps.get_model("chains", "WatchedAddress").objects.using(alias)
    given = legs.filter(mode="live", mark="").exclude(issued={}).order_by()
    marked = []
    for leg in given.order_by("pk").iterator(BATCH):
        leg.mark = str(leg.issued.get("reference", ""))
        if leg.mark and leg.chain == leg.to_chain and _is_solana(leg.chain):
            marked.append(leg)
    legs.bulk_update(marked, ["mark"], batch_size=BATCH)
    own = legs.filter(mode="live").exclude(mark="").order_by()
    places = own.values_list(*SETTLES).annotate(until=Max("intent__expires_at")).order_by(*SETTLES)
    for place, token, address, until in places:
        if _is_solana(place):
            until_then = {"awaited_until": until + WATCHED}
            named = {"network": settings.NETWORK_PROFILE, "chain": place, "token_address": token, "address": address}
            addresses.update_or_create(**named, defaults=until_then)


def _is_solana(name: str) -> bool:
    known = chain(name)
    return known is not None and known.family is Family.SOLANA


class Migration(migrations.Migration):
    """Rows alone."""

    dependencies: ClassVar = [("payments", "0009_wallet_words"), ("chains", "0003_token_accounts")]

    operations: ClassVar = [migrations.RunPython(mark, migrations.RunPython.noop)]
