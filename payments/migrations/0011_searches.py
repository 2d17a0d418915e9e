"""When legs are searched for by themselves, beside their chains' readers. Those in flight are, like new ones."""

from datetime import timedelta
from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

from core.clock import now

AFTER_THE_END = timedelta(minutes=2)


def plan(apps: Any, editor: Any) -> None:
    """Legs that a reader looks for, of intents that are not over yet."""
    alias = editor.connection.alias
    intents = apps.get_model("payments", "PaymentIntent").objects.using(alias)
    legs = apps.get_model("payments", "Leg").objects.using(alias)
    open_ones = legs.filter(mode="live", intent__expires_at__gt=now()).exclude(mark="")
    ends = intents.filter(pk=OuterRef("intent_id")).annotate(then=F("expires_at") + AFTER_THE_END)
    legs.filter(pk__in=open_ones.values("pk")).update(search_at=Subquery(ends.values("then")[:1]))


class Migration(migrations.Migration):
    """A column, its index, and the rows in flight."""

    dependencies: ClassVar = [("payments", "0010_references_of_legs_in_flight")]

    operations: ClassVar = [
        migrations.AddField("leg", "search_at", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "leg",
            models.Index(
                fields=["search_at", "id"], condition=models.Q(search_at__isnull=False), name="leg_to_search"
            ),
        ),
        migrations.RunPython(plan, migrations.RunPython.noop),
    ]
