"""A late payment goes back once, by a constraint; several payers are repaid in one act."""

import django.db.models.deletion
from django.db import migrations, models


def link_late_refunds(apps, schema_editor):
    """What was kept apart by its key so far belongs to the first late payment of its intent."""
    Refund = apps.get_model('refunds', 'Refund')
    Credit = apps.get_model('payments', 'Credit')
    for refund in Refund.objects.filter(idempotency_key__startswith='late:', created_by='policy:late').iterator():
        late = Credit.objects.filter(intent_id=refund.intent_id, late=True, purpose='settlement').order_by('pk').first()
        Refund.objects.filter(pk=refund.pk).update(credit=late, idempotency_key='')


class Migration(migrations.Migration):

    dependencies = [
        ('merchants', '0007_request_log'),
        ('payments', '0014_say_who_paid'),
        ('refunds', '0004_one_balance'),
    ]

    operations = [
        migrations.AddField(
            model_name='refund',
            name='credit',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='payments.credit'),
        ),
        migrations.AddField(
            model_name='refund',
            name='act',
            field=models.UUIDField(null=True),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.UniqueConstraint(condition=models.Q(('credit__isnull', False)), fields=('credit',), name='one_automatic_refund_per_credit'),
        ),
        migrations.AddIndex(
            model_name='refund',
            index=models.Index(condition=models.Q(('act__isnull', False)), fields=['act'], name='refund_of_act'),
        ),
        migrations.RunPython(link_late_refunds, migrations.RunPython.noop),
    ]
