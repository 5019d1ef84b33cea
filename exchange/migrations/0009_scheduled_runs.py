"""The last publications of periodic tasks, which any number of beat processes share."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exchange", "0008_proposal_labels")]

    operations = [
        migrations.CreateModel(
            name="ScheduledRun",
            fields=[
                ("task", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("published_at", models.DateTimeField()),
            ],
        ),
    ]
