"""The time of a token's next record, past which no unit changes hands until it is made."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0003_issue_price_of_open_raises'),
    ]

    operations = [
        migrations.AddField(
            model_name='token',
            name='next_record_at',
            field=models.DateTimeField(blank=True, help_text='Record of the next distribution. Past it, no unit changes hands until the record is made', null=True),
        ),
    ]
