from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chains', '0005_own_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='transfer',
            name='past',
            field=models.JSONField(default=dict),
        ),
    ]
