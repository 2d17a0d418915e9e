from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('mode', models.CharField(max_length=4)),
                ('status', models.CharField(db_index=True, max_length=32)),
                ('failure_reason', models.CharField(blank=True, max_length=64)),
                ('sequence', models.PositiveBigIntegerField(default=0)),
                ('changed_at', models.DateTimeField(blank=True, null=True)),
                ('stored_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('reference', models.CharField(blank=True, db_index=True, max_length=128)),
                ('amount', models.DecimalField(decimal_places=6, max_digits=20)),
                ('amount_received', models.DecimalField(decimal_places=6, default=0, max_digits=20)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('checkout_url', models.CharField(blank=True, max_length=500)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('was_announced', models.BooleanField(default=False, editable=False)),
            ],
            options={
                'ordering': ['-stored_at', 'id'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Payout',
            fields=[
                ('id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('mode', models.CharField(max_length=4)),
                ('status', models.CharField(db_index=True, max_length=32)),
                ('failure_reason', models.CharField(blank=True, max_length=64)),
                ('sequence', models.PositiveBigIntegerField(default=0)),
                ('changed_at', models.DateTimeField(blank=True, null=True)),
                ('stored_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('payment_id', models.CharField(blank=True, db_index=True, max_length=64)),
                ('amount', models.DecimalField(decimal_places=6, max_digits=20)),
                ('destination', models.CharField(max_length=128)),
                ('tx_hash', models.CharField(blank=True, max_length=128)),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-stored_at', 'id'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ReceivedEvent',
            fields=[
                ('id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('type', models.CharField(db_index=True, max_length=64)),
                ('resource_type', models.CharField(max_length=32)),
                ('resource_id', models.CharField(db_index=True, max_length=64)),
                ('sequence', models.PositiveBigIntegerField()),
                ('mode', models.CharField(max_length=4)),
                ('created_at', models.DateTimeField()),
                ('received_at', models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                'ordering': ['-received_at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Refund',
            fields=[
                ('id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('mode', models.CharField(max_length=4)),
                ('status', models.CharField(db_index=True, max_length=32)),
                ('failure_reason', models.CharField(blank=True, max_length=64)),
                ('sequence', models.PositiveBigIntegerField(default=0)),
                ('changed_at', models.DateTimeField(blank=True, null=True)),
                ('stored_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('payment_id', models.CharField(db_index=True, max_length=64)),
                ('amount', models.DecimalField(decimal_places=6, max_digits=20)),
                ('reason', models.TextField(blank=True)),
                ('tx_hash', models.CharField(blank=True, max_length=128)),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-stored_at', 'id'],
                'abstract': False,
            },
        ),
    ]
