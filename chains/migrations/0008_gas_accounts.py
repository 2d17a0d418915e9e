"""Who pays the gas of what payers authorized, and every call that was sent for them."""

from typing import ClassVar

import core.clock
import core.columns
import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    """Two tables, empty."""

    dependencies: ClassVar = [
        ('chains', '0007_addresses_that_rest'),
        ('merchants', '0006_suspended'),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='GasAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('network', models.CharField(max_length=12)),
                ('chain', models.CharField(max_length=32)),
                ('address', models.CharField(max_length=128)),
                ('backend', models.CharField(max_length=16)),
                ('key_reference', models.CharField(max_length=200)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=core.clock.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('network', 'chain'), name='one_gas_account_of_a_chain')],
            },
        ),
        migrations.CreateModel(
            name='AuthorizedCall',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('intent_id', models.UUIDField()),
                ('token_address', models.CharField(max_length=128)),
                ('holder', models.CharField(max_length=128)),
                ('recipient', models.CharField(max_length=128)),
                ('base_units', core.columns.BaseUnitsColumn()),
                ('valid_after', models.BigIntegerField()),
                ('valid_before', models.BigIntegerField()),
                ('authorization_nonce', models.CharField(max_length=66)),
                ('signature', models.TextField()),
                ('nonce', models.BigIntegerField(null=True)),
                ('gas_limit', models.PositiveIntegerField(null=True)),
                ('max_fee', core.columns.OptionalBaseUnitsColumn(null=True)),
                ('priority_fee', core.columns.OptionalBaseUnitsColumn(null=True)),
                ('raw', models.TextField(blank=True)),
                ('tx_hashes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(default=core.clock.now)),
                ('acted_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=40)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='merchants.merchant')),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='chains.gasaccount')),
            ],
            options={
                'indexes': [models.Index(fields=['intent_id'], name='authorized_call_of_intent'), models.Index(fields=['merchant', 'created_at'], name='authorized_call_by_age')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None), ('nonce__isnull', False)), fields=('account',), name='one_call_of_a_gas_account_at_once')],
            },
        ),
    ]
