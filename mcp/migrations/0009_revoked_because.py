from django.db import migrations, models

BECAUSE = [
    ("lender_left", "Lender Left"),
    ("lender_role", "Lender Role"),
    ("lender_inactive", "Lender Inactive"),
]


class Migration(migrations.Migration):
    """Why a connection ended by itself."""

    dependencies = [('mcp_server', '0008_what_leaves')]

    operations = [
        migrations.AddField(
            model_name="agentconnection",
            name="revoked_because",
            field=models.CharField(blank=True, choices=BECAUSE, max_length=16),
        ),
    ]
