"""Every line of the request log was written into eight indexes: four of them are gone."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """Why these: filters look through a stretch of lines, and purging goes by the key. Source: docs/adr/0075."""

    dependencies: ClassVar = [("merchants", "0003_audit_action")]
    operations: ClassVar = [
        migrations.RemoveIndex("requestrecord", "request_refused"),
        migrations.RemoveIndex("requestrecord", "request_of_key"),
        migrations.RemoveIndex("requestrecord", "request_of_path"),
        migrations.RemoveIndex("requestrecord", "request_by_age"),
    ]
