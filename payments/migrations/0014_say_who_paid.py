"""Credits say who paid them; those that exist are read again, since nobody kept it."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('merchants', '0007_request_log'),
        ('payments', '0013_hold_what_goes_back'),
    ]

    operations = [
        migrations.AddField(
            model_name='credit',
            name='payer',
            field=models.CharField(blank=True, default='', max_length=128),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='credit',
            name='payer_nonce',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='credit',
            name='payer_proof',
            field=models.CharField(blank=True, default='', max_length=16),
            preserve_default=False,
        ),
        # Why a default for those that exist alone: each of them is due to be read again, and no new one is.
        migrations.AddField(
            model_name='credit',
            name='payer_due_at',
            field=models.DateTimeField(null=True, default=django.utils.timezone.now),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name='credit',
            index=models.Index(condition=models.Q(('payer_due_at__isnull', False)), fields=['payer_due_at'], name='credit_payer_unknown'),
        ),
    ]
